"""Calibration: from labelled answers to the risk above which an agent's answers are acted on."""
