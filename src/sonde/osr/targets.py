"""Where a point leads to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Direct:
    """The target is a function that the module has, or declares."""

    name: str
    """With sigil."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The target is where the cell points to, which may change."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The target is asked for when it is first needed, and kept in the cell."""

    value: str | None = None
    """A value of the function that is told to whoever is asked: a target is for one such value only."""


Target = Direct | Slot | Asked
