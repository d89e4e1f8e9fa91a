"""The judge: bytes and a policy in, decisions out.

It must never touch the world (no I/O, clock, randomness, logging).
"""
