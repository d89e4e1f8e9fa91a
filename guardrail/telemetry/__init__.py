"""OpenTelemetry, and only here. It must never decide anything, nor carry a user's words."""
