"""What each signal that speaks against a claim adds to its risk. It must never be set by hand for one set.

Fitted by logistic regression, none below zero, with an intercept for each set, on the sets that
docs/results/grounding.md names; how they hold on sets left out stands there too.
"""

TERMS: dict[str, float] = {
    "added_words": 2.9,
    "beside_quotes": 4.8,
    "changed_figure": 7.4,
    "changed_negation": 2.4,
    "denied_clause": 1.4,
    "disclaimer": 3.2,
    "new_words": 5.8,
    "nowhere_unheld": 1.4,
    "order": 1.3,
    "other_figure": 6.0,
    "other_name": 7.6,
    "other_rate": 4.8,
    "other_words": 0.1,
    "steps": 1.6,
    "steps_of_copy": 4.2,
    "surprising_figure": 2.0,
    "turned": 4.7,
    "unavailable": 1.8,
    "unknown_name": 4.0,
    "waiver": 1.7,
}
"""Where the evidence reads as terms: prices, deadlines, hours."""

PROSE: dict[str, float] = {
    "denied_clause": 2.7,
    "exact_added_words": 6.7,
    "exact_changed_figure": 7.1,
    "exact_changed_negation": 5.5,
    "exact_changed_words": 3.4,
    "exact_other_words": 4.6,
    "nowhere": 2.9,
    "order_of_copy": 0.9,
    "other_figure": 2.5,
    "other_name": 5.2,
    "turned": 1.3,
    "uncovered": 3.4,
    "unknown_figure": 1.1,
    "unknown_name": 0.7,
}
"""Where it reads as prose."""
