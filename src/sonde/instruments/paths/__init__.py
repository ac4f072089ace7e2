"""Paths: which sequences of acyclic paths a routine takes over up to k iterations of its loops, and how often."""
