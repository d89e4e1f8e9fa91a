"""Kafka, and only here. It must never judge."""
