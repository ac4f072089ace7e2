"""No garbage collections while many objects are made, of which none is garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Let Python look for garbage in circles only afterwards, if it did before.

    Each collection walks over what there is, for nothing where a model of a million objects is being made: half the
    time. Objects that nothing refers to are freed as ever.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
