"""The checks: each asks one question of the same original, and none knows another."""
