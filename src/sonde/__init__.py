"""sonde: a vertical profile of a running program, from source line to machine.

Within a program: `with sonde.profile() as p:`, `@sonde.profiled`, `sonde.start()` and `sonde.stop()` (docs/api.md). On
the command line: `sonde --help`. Everything else is reached through the facades of its rooms. Importing `sonde` itself
costs nothing: what the names stand for is loaded when they are first used.
"""

from importlib import import_module

__version__ = "0.1.0"

__all__ = ["Block", "__version__", "block_of", "profile", "profiled", "start", "start_if_asked", "stop"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sonde' has no attribute '{name}'")
    api = import_module("sonde.api")
    # All at once: looking one up within a block would be calls of the block's.
    globals().update({each: getattr(api, each) for each in __all__ if each != "__version__"})
    return globals()[name]
