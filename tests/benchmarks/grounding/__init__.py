"""The grounding benchmark: `make bench-grounding` measures and writes docs/results/grounding.md."""
