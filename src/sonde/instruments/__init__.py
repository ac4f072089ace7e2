"""Instruments: one folder for each system, all with the same floor plan.

    source(s) --> analyses --> profile --> report        what each hands on; `verb` knows all of them

An instrument that has no use for a room leaves it out. What more than one of them needs is a service on a lower floor;
they do not import one another, but for the exceptions in `.importlinter`.
"""
