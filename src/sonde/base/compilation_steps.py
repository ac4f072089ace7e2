"""The steps from source files to machine code, for whoever shows how far it is."""

FRONT_END = "front end"
PROBES = "probes"
MACHINE_CODE = "machine code"

COMPILATION = {FRONT_END: 6.0, PROBES: 1.0, MACHINE_CODE: 3.0}
"""Step -> about its part of the time; as measured on Lua (33 files of C) and on one of C++."""
WITHOUT_PROBES = {step: COMPILATION[step] for step in (FRONT_END, MACHINE_CODE)}
