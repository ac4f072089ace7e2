"""sonde: a vertical profile of a running program, from source line to machine.

Within a program: `with sonde.profile() as p:`, `@sonde.profiled`, `sonde.start()` and `sonde.stop()` (docs/api.md). On
the command line: `sonde --help`. Everything else is reached through the facades of its rooms. Importing `sonde` itself
costs nothing: what the names stand for is loaded when they are first used.
"""

from importlib import import_module

__version__ = "0.1.0"

__all__ = [
    "Block",
    "__version__",
    "block_of",
    "load_ipython_extension",
    "profile",
    "profiled",
    "start",
    "start_if_asked",
    "stop",
]


def __getattr__(name: str) -> object:
    if name == "load_ipython_extension":  # what `%load_ext sonde` looks for
        return import_module("sonde.notebook").load_ipython_extension
    if name not in __all__:
        raise AttributeError(f"module 'sonde' has no attribute '{name}'")
    api = import_module("sonde.api")
    # All at once: looking one up within a block would be calls of the block's.
    globals().update({each: getattr(api, each) for each in api.__all__})
    return globals()[name]
