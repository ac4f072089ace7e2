"""What a value of the tool language can be."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The type of an expression. Its value is how messages and result lines call it."""

    INT = "int"
    """64 bits with a sign; wraps around."""
    FLOAT = "float"
    BOOL = "bool"
    TYPE = "type"
    METHOD = "method"
    PLACE = "place"
    THREAD = "thread"
    OBJECT = "object"
    """Which object it is, and nothing else of it."""
    LOCATION = "location"
    """What `loc` is."""
    INSTANCE = "instance"
    """What `obj` is: an object that advice is told of, with the tool's own fields."""
    NOTHING = "nothing"
    """What a method without `return VALUE` gives."""
    UNKNOWN = "unknown"
    """Not known yet, while the types of fields are found out."""


@dataclass(frozen=True, slots=True)
class RowOf:
    """A row of a table: what `self.by_type[type]` is."""

    table: str


ValueType = Kind | RowOf

HANDLES = frozenset({Kind.TYPE, Kind.METHOD, Kind.PLACE, Kind.THREAD, Kind.OBJECT})
"""Names of things: they can be stored, compared with == and used as keys, and nothing else."""
WHOLE = frozenset({Kind.INT, Kind.BOOL})
NUMBERS = frozenset({Kind.INT, Kind.BOOL, Kind.FLOAT})
STORABLE = NUMBERS | HANDLES
"""What a field can hold."""

LOCATION_FIELDS = {
    "ip": Kind.INT,
    "address": Kind.INT,
    "size": Kind.INT,
    "value": Kind.INT,
    "is_load": Kind.BOOL,
    "is_store": Kind.BOOL,
    "was_there": Kind.BOOL,
    "thread": Kind.THREAD,
    "method": Kind.METHOD,
    "line": Kind.INT,
    "place": Kind.PLACE,
}


def described(value_type: ValueType) -> str:
    """The type as a sentence names it."""
    if isinstance(value_type, RowOf):
        return f"a row of {value_type.table!r}"
    if value_type is Kind.INSTANCE:
        return "an object with fields"
    article = "an" if value_type.value[0] in "aeiou" else "a"
    return "no value" if value_type is Kind.NOTHING else f"{article} {value_type.value}"
