"""guardrail: every raw response of an LLM judged, exactly one decision a record.

>>> from guardrail import RawRecord, decide, load_policies
>>> policies = load_policies("policies/")
>>> [decision] = decide([RawRecord(value)], policies)
"""

from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, Outcome, RawRecord, Violation
from guardrail.judge.policy import Policy, compile_policy
from guardrail.policies import load_policies, load_policy
from guardrail.scorers import load_scorers
from guardrail.version import VERSION

__version__ = VERSION

__all__ = [
    "Decision",
    "Outcome",
    "Policy",
    "RawRecord",
    "Violation",
    "__version__",
    "compile_policy",
    "decide",
    "load_policies",
    "load_policy",
    "load_scorers",
]
