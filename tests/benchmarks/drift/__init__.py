"""Drift by simulation: how soon it is found, how often it isn't there, and what that costs."""
