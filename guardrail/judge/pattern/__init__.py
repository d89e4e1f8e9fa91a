"""The referee for a stranger's regex (REGEX.md). It must never hand an unvetted text to an engine."""

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.referee import Run, compare, execute

__all__ = ["Fault", "Run", "compare", "execute"]
