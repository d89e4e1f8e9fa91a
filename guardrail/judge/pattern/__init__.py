"""The referee for a stranger's regex (REGEX.md). It must never hand an unvetted text to an engine."""

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.referee import Compiled, Run, compile_pattern, execute, hints_for

__all__ = ["Compiled", "Fault", "Run", "compile_pattern", "execute", "hints_for"]
