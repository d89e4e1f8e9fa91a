"""What each signal that speaks against a claim adds to its risk. It must never be set by hand for one set.

Fitted by logistic regression, none below zero, with an intercept for each set, on the sets that
docs/results/grounding.md names; how they hold on sets left out stands there too.
"""

TERMS: dict[str, float] = {
    "added_words": 2.8,
    "beside_quotes": 4.7,
    "changed_figure": 5.1,
    "changed_negation": 2.2,
    "denied_clause": 1.3,
    "disclaimer": 3.2,
    "new_words": 5.2,
    "nowhere_unheld": 1.4,
    "order": 1.4,
    "other_figure": 6.0,
    "other_name": 6.9,
    "other_rate": 4.7,
    "other_words": 0.6,
    "steps": 3.6,
    "surprising_figure": 2.7,
    "turned": 4.5,
    "unavailable": 1.8,
    "unknown_name": 4.0,
    "waiver": 1.7,
}
"""Where the evidence reads as terms: prices, deadlines, hours."""

PROSE: dict[str, float] = {
    "denied_clause": 2.3,
    "exact_added_words": 6.7,
    "exact_changed_figure": 6.3,
    "exact_changed_negation": 4.1,
    "exact_changed_words": 3.2,
    "exact_other_words": 5.1,
    "nowhere": 3.0,
    "order_of_copy": 0.9,
    "other_figure": 2.1,
    "other_name": 3.4,
    "turned": 2.0,
    "uncovered": 3.8,
    "unknown_figure": 2.3,
    "unknown_name": 0.9,
}
"""Where it reads as prose."""
