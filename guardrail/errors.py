"""What can go wrong with US. What models and users do wrong is a violation: a value, never raised.

GuardrailError
├── SettingsError    a setting is missing or wrong              run, watch: exit 78; other verbs: 2
├── PolicyError      a policy can't be loaded                   run, watch: exit 65; other verbs: 2
├── InputError       a file named on the command line is unusable                             exit 2
├── ScorerError      a scorer gives no scores for a record      that record: dead letter, or on_error
├── TransientError   the broker may answer next time            bounded retry
└── FencedError      another instance has taken our place       stop at once, commit nothing
"""

from __future__ import annotations


class GuardrailError(Exception):
    """The root of our own errors: catch this one to catch them all."""


class SettingsError(GuardrailError):
    """A deployment setting is missing, unknown or impossible."""


class PolicyError(GuardrailError):
    """A policy file can't be loaded, or names a scorer that isn't there.

    The message is a list of lines `FILE:LINE: KEY: what is wrong`, or `agent NAME: KEY: ...` once it is loaded, one for
    each fault found.
    """


class InputError(GuardrailError):
    """A file given by the user can't be read or written."""


class ScorerError(GuardrailError):
    """A scorer gave too few scores, too many, or what is no number. The message quotes nothing of a record."""


class TransientError(GuardrailError):
    """The broker failed in a way that may heal; the batch was aborted and will be read again."""


class FencedError(GuardrailError):
    """Another producer with our transactional id is active; carrying on would double records."""
