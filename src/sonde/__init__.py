"""sonde: a vertical profile of a running program, from source line to machine.

The package is used through its command line (`sonde --help`) or through the facades of
its rooms, `sonde.instruments.contexts.profile` first. Importing `sonde` itself costs nothing.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
