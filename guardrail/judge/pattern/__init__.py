"""The referee for a stranger's regex (REGEX.md). It must never hand an unvetted text to an engine."""
