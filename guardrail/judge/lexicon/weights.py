"""What each signal that speaks against a claim adds to its risk. It must never be set by hand for one set.

Fitted by logistic regression, none below zero, with an intercept for each set, on the sets that
docs/results/grounding.md names; how they hold on sets left out stands there too.
"""

TERMS: dict[str, float] = {
    "added_words": 2.8,
    "beside_quotes": 4.2,
    "changed_figure": 7.5,
    "changed_negation": 2.4,
    "denied_clause": 1.4,
    "disclaimer": 3.2,
    "new_words": 5.8,
    "nowhere_unheld": 1.3,
    "order": 1.3,
    "other_figure": 6.0,
    "other_name": 7.7,
    "other_rate": 4.7,
    "other_words": 0.2,
    "steps": 1.6,
    "steps_of_copy": 4.2,
    "surprising_figure": 2.0,
    "turned": 4.7,
    "unavailable": 1.8,
    "unknown_name": 3.9,
    "waiver": 1.7,
}
"""Where the evidence reads as terms: prices, deadlines, hours."""

PROSE: dict[str, float] = {
    "denied_clause": 2.7,
    "exact_added_words": 6.8,
    "exact_changed_figure": 7.2,
    "exact_changed_negation": 5.5,
    "exact_changed_words": 3.4,
    "exact_other_words": 4.9,
    "nowhere": 2.9,
    "order_of_copy": 1.1,
    "other_figure": 1.9,
    "other_name": 3.9,
    "turned": 1.3,
    "uncovered": 3.4,
    "unknown_figure": 1.1,
    "unknown_name": 0.8,
}
"""Where it reads as prose."""
