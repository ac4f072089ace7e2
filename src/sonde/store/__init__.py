"""The store: what all profile files have in common, and what several runs have; the folder of a run that goes on.

Its modules are imported by their own names, so that a run that has just begun does not load SQLite.
"""
