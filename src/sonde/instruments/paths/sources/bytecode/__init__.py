"""Paths of Python's functions: graphs of their bytecode, numbers, and probes. It runs in the measured process.

    instructions -> code_graph -> numbered_code -> rewriting, code_writing   to 3.13: the functions count by themselves
                                                -> event_tables              3.14 and later: events of sys.monitoring
    traced_program   which functions, and when

Nothing but the standard library is imported, and nothing of sonde that is not on its lowest floors.
"""
