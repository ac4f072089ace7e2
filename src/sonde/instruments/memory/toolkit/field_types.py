"""What is found out about a tool while its methods are checked, over several rounds.

A field need not be declared: it is what is assigned to it. As the assignment may come after the reading, the methods
are checked again and again until no more is learnt; then the types that only `field += value` tells of are taken for
known; and at last everything is checked strictly.
"""

from dataclasses import dataclass, field

from sonde.instruments.memory.toolkit.value_types import NUMBERS, Kind


class StillUnknown(Exception):
    """The type of a field that is read is not known in this round."""


@dataclass(slots=True)
class Fields:
    """The fields of the tool, or those of its objects."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """Where the type was learnt."""
    guesses: dict[str, tuple[Kind, int]] = field(default_factory=dict)
    """From augmented assignments."""
    assigned: dict[str, int] = field(default_factory=dict)
    """All that is assigned to, and where."""

    def learn(self, name: str, kind: Kind, line: int) -> bool:
        """Take note of a type; whether it was not known before."""
        if name in self.kinds:
            return False
        self.kinds[name], self.lines[name] = kind, line
        return True

    def settle(self) -> bool:
        """When nothing else is known: believe augmented assignments, else take one field for an int."""
        guessed = {name: guess for name, guess in self.guesses.items() if name not in self.kinds}
        for name, (kind, line) in guessed.items():
            self.learn(name, kind if kind in NUMBERS - {Kind.BOOL} else Kind.INT, line)
        if guessed:
            return True
        return any(self.learn(name, Kind.INT, line) for name, line in self.assigned.items())


@dataclass(slots=True)
class Knowledge:
    """Of one tool."""

    tool: Fields = field(default_factory=Fields)
    objects: Fields = field(default_factory=Fields)
    table_keys: dict[str, tuple[Kind, ...]] = field(default_factory=dict)
    key_lines: dict[str, int] = field(default_factory=dict)
    key_texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """How they are written where a table is used first."""
    strict: bool = False
    """The last round: what is not known is an error."""
    learnt: bool = False
    """Whether this round has brought anything."""
    type_names: list[str] = field(default_factory=list)
    """That are asked for."""
    uses_place: bool = False
    uses_value: bool = False
    uses_objects: bool = False
    prints: bool = False

    def settle(self) -> bool:
        """Go on without certainty; whether that helped."""
        return self.tool.settle() or self.objects.settle()
