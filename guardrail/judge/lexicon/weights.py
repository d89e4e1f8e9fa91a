"""What each signal that speaks against a claim adds to its risk. It must never be set by hand for one set.

Fitted by logistic regression, none below zero, with an intercept for each set, on the sets that
docs/results/grounding.md names; how they hold on sets left out stands there too.
"""

TERMS: dict[str, float] = {
    "added_words": 4.0,
    "changed_figure": 6.0,
    "changed_negation": 2.2,
    "changed_words": 0.5,
    "denied_clause": 1.2,
    "disclaimer": 2.7,
    "new_words": 3.9,
    "nowhere_unheld": 1.5,
    "order": 1.7,
    "other_figure": 5.1,
    "other_name": 6.2,
    "other_rate": 4.8,
    "other_words": 0.6,
    "turned": 4.4,
    "unavailable": 1.5,
    "unknown_figure": 1.3,
    "unknown_name": 3.4,
    "waiver": 1.5,
}
"""Where the evidence reads as terms: prices, deadlines, hours."""

PROSE: dict[str, float] = {
    "denied_clause": 3.2,
    "exact_added_words": 8.0,
    "exact_changed_figure": 6.7,
    "exact_changed_negation": 4.4,
    "exact_changed_words": 4.8,
    "exact_other_words": 6.2,
    "nowhere": 2.8,
    "order_of_copy": 3.1,
    "other_figure": 6.0,
    "other_name": 4.6,
    "turned": 1.1,
    "uncovered": 3.1,
    "unknown_figure": 2.9,
    "unknown_name": 1.2,
}
"""Where it reads as prose."""
