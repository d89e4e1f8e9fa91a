"""Observations in, tallies and alarms out. It must never touch the world."""
