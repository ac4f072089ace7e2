"""Where in the source something was decided, in its inlining context."""

from typing import NamedTuple


class Place(NamedTuple):
    """A place in one method.

    `at` counts in what the run's `offsets` says: bytecode indices, or lines. Negative bytecode indices are the
    compiler's own (entry, unwinding, ...).
    """

    method: str
    at: int
    column: int = 0
    """From 1; 0: not known, or bytecode indices, which need none."""


Position = tuple[Place, ...]
"""Innermost first: where it is, then the call sites through which that was inlined; the compiled method is last.
Empty: not known."""

Spread = tuple[tuple[Position, int], ...]
"""How the time of a compilation is spread over what was inlined into it: inline stacks, with the time seen in each."""
