"""The slow twin of native/core/remarks/remark_columns.c: columns as lists, and strings in a dictionary."""

from array import array
from dataclasses import dataclass, field

NONE = 0xFFFFFFFF
KINDS = 7
MOST_PROBLEMS = 20


@dataclass(slots=True)
class Place:
    file: bytes
    line: int
    column: int


@dataclass(slots=True)
class WholeRemark:
    """What was read of one remark, put into the columns only when all of it was read."""

    kind: int = 0
    names: dict[str, bytes] = field(default_factory=dict)
    """By `Pass`, `Name` and `Function`."""
    place: Place | None = None
    hotness: int | None = None
    arguments: list[tuple[bytes, bytes, Place | None]] | None = None
    strings: list[bytes] = field(default_factory=list)
    """In the order in which they were met."""
    places: list[Place] = field(default_factory=list)


class RemarkColumns:
    """As `sn_remarks`."""

    def __init__(self) -> None:
        self.strings: dict[bytes, int] = {}
        self.kinds, self.has_hotness, self.hotness = array("B"), array("B"), array("Q")
        self.passes, self.names, self.functions, self.places = array("I"), array("I"), array("I"), array("I")
        self.first_arguments = array("I", [0])
        self.keys, self.values, self.argument_places = array("I"), array("I"), array("I")
        self.files, self.lines, self.columns_of_places = array("I"), array("I"), array("I")
        self.unknown: dict[bytes, int] = {}
        self.told: list[tuple[int, str]] = []
        self.skipped = 0

    def add(self, remark: WholeRemark) -> None:
        for string in remark.strings:
            self.strings.setdefault(string, len(self.strings))
        first = len(self.files)
        numbers = {id(place): first + index for index, place in enumerate(remark.places)}
        for place in remark.places:
            self.files.append(self.strings[place.file])
            self.lines.append(place.line)
            self.columns_of_places.append(place.column)
        self.kinds.append(remark.kind)
        self.passes.append(self.strings[remark.names["Pass"]])
        self.names.append(self.strings[remark.names["Name"]])
        self.functions.append(self.strings[remark.names["Function"]])
        self.places.append(numbers[id(remark.place)] if remark.place else NONE)
        self.has_hotness.append(remark.hotness is not None)
        self.hotness.append(remark.hotness or 0)
        for key, value, where in remark.arguments or ():
            self.keys.append(self.strings[key])
            self.values.append(self.strings[value])
            self.argument_places.append(numbers[id(where)] if where else NONE)
        self.first_arguments.append(len(self.keys))

    def count_unknown(self, key: bytes) -> None:
        self.unknown[key] = self.unknown.get(key, 0) + 1

    def skip(self, where: int, what: str) -> None:
        self.skipped += 1
        if len(self.told) < MOST_PROBLEMS:
            self.told.append((where, what))

    def columns(self) -> tuple[bytes, ...]:
        offsets = array("Q", [0])
        for string in self.strings:
            offsets.append(offsets[-1] + len(string))
        columns = (
            self.kinds, self.passes, self.names, self.functions, self.places, self.hotness, self.has_hotness,
            self.first_arguments, self.keys, self.values, self.argument_places, self.files, self.lines,
            self.columns_of_places, offsets,
        )  # fmt: skip
        return (*(column.tobytes() for column in columns), b"".join(self.strings))
