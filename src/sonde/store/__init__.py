"""The store: the file of all kinds, what several runs have in common, the folder of a run that goes on, its recovery.

Which kinds there are is said by the instruments (`StoredKind`) and listed in the registry; the store knows none.

Its modules are imported by their own names, so that a run that has just begun does not load SQLite.
"""
