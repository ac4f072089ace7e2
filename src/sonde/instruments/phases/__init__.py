"""Phases: which methods a program spends its time in for long at a time, by which counters they differ, and when they
run."""
