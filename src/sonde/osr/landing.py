"""Where to go on: a version of a function, or code made for the purpose, and the point in it."""

from dataclasses import dataclass

from sonde.ir import Module
from sonde.ir.analyses import Place
from sonde.osr.code import Code
from sonde.osr.state_map import StateMap


@dataclass(frozen=True, slots=True)
class Landing:
    """A point of a function to go on at.

    Made of a version by `landing`, or by hand of a module of one's own.
    """

    module: Module
    """Has the function, and is used up."""
    symbol: str
    """The function, with sigil."""
    at: str | Place
    """See `place_of`."""
    state: StateMap | None = None
    """How its live values are made of those where the other function is left. None: they have the same names."""
    recipe: str = ""
    """Passes to be run on the continuation: `O2`, or single ones. Empty: none."""
    level: int = 2
    """How hard the code generator tries, 0 to 3."""


def landing(code: Code, at: str | Place, state: StateMap | None = None, recipe: str = "") -> Landing:
    """A point of a version, whose code is copied."""
    module, body = code.copied()
    return Landing(module, body.name, at, state, recipe, max(code.version.level, 1))
