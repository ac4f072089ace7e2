"""Many remarks in columns, and views of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from sonde.instruments.decisions.remarks.remark import REMARK_KINDS, Argument, Remark, SourcePlace
from sonde.native import remark_groups

NONE = 0xFFFFFFFF
"""In the place of a number of a place: there is none."""


class Columns(NamedTuple):
    """Buffers, by the names of their items' types: B uint8, I uint32, Q uint64. Strings are numbers of `string_ends`
    less one, places of the columns of places."""

    kinds: memoryview
    """B: of `REMARK_KINDS`."""
    passes: memoryview
    """I: strings."""
    names: memoryview
    function_ids: memoryview
    places: memoryview
    """I: where each remark is, or `NONE`."""
    hotness: memoryview
    """Q: runs, by the compiler's profile; 0 where `has_hotness` (B) is."""
    has_hotness: memoryview
    first_arguments: memoryview
    """I, one more than remarks: those of remark i are from here up to those of the next."""
    argument_keys: memoryview
    argument_values: memoryview
    argument_places: memoryview
    place_files: memoryview
    """I: strings."""
    place_lines: memoryview
    place_columns: memoryview
    string_bounds: memoryview
    """Q, one more than strings: where in `string_bytes` (B) each begins."""
    string_bytes: memoryview


COLUMN_TYPES: tuple[Literal["B", "I", "Q"], ...] = (
    *("B", "I", "I", "I", "I", "Q", "B", "I"),
    *("I", "I", "I"),
    *("I", "I", "I"),
    *("Q", "B"),
)
"""Of each column's items."""


@dataclass(frozen=True, slots=True)
class RemarkFile:
    """What was read of one file."""

    path: Path
    format: str
    """`yaml` or `bitstream`."""
    version: int
    """Of the container, for a bitstream; else of the header, 0 without one."""
    first: int
    """Number of its first remark."""
    stop: int
    """Number after that of its last."""
    skipped: int
    """Remarks that could not be read."""
    unended: bool
    """The last remark of a YAML file has no end mark: it may have lost arguments."""
    damage: str = ""
    """What is wrong with a file of which only what is before that was read; empty: nothing is."""


@dataclass(frozen=True, slots=True)
class SkippedRemark:
    """A remark that could not be read."""

    path: Path
    line: int
    """Of a YAML file; in a bitstream, which has no lines, the number of the remark, from 1 on."""
    reason: str


class Remarks:
    """All remarks of some files, in their order; immutable.

    Guarantee: `remark(i)` is what LLVM wrote as number i, whichever the format.
    Cost: 24 bytes for a remark, 12 for an argument or place, and each string once.
    """

    def __init__(
        self,
        columns: Columns,
        files: tuple[RemarkFile, ...] = (),
        skipped: tuple[SkippedRemark, ...] = (),
        unknown_keys: Mapping[str, int] | None = None,
    ) -> None:
        self.columns = columns
        self.kinds, self.passes, self.names = columns.kinds, columns.passes, columns.names
        self.function_ids, self.places = columns.function_ids, columns.places
        self.hotness, self.has_hotness = columns.hotness, columns.has_hotness
        self.first_arguments, self.argument_keys = columns.first_arguments, columns.argument_keys
        self.argument_values, self.argument_places = columns.argument_values, columns.argument_places
        self.place_files, self.place_lines = columns.place_files, columns.place_lines
        self.place_columns = columns.place_columns
        self.files = files
        self.skipped = skipped
        """The first few; all are counted in `skipped_count`."""
        self.unknown_keys: Mapping[str, int] = dict(unknown_keys or {})
        """Keys that remarks do not have, and how often they were there."""
        self._texts: dict[int, str] = {}

    @property
    def skipped_count(self) -> int:
        return sum(file.skipped for file in self.files)

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[Remark]:
        return map(self.remark, range(len(self)))

    def text(self, string: int) -> str:
        """A string by its number; bytes that are not UTF-8 are escaped."""
        known = self._texts.get(string)
        if known is None:
            bounds = self.columns.string_bounds
            taken = self.columns.string_bytes[bounds[string] : bounds[string + 1]]
            known = self._texts[string] = str(taken, "utf-8", "backslashreplace")
        return known

    def place(self, number: int) -> SourcePlace | None:
        """A place by its number."""
        if number == NONE:
            return None
        file = self.text(self.place_files[number])
        return SourcePlace(file, self.place_lines[number], self.place_columns[number])

    def remark(self, index: int) -> Remark:
        """Raises: IndexError: there is none of that number."""
        if not 0 <= index < len(self):
            raise IndexError(f"there is no remark {index} among {len(self)}")
        c, text = self.columns, self.text
        return Remark(
            REMARK_KINDS[c.kinds[index]],
            text(c.passes[index]),
            text(c.names[index]),
            text(c.function_ids[index]),
            self.place(c.places[index]),
            c.hotness[index] if c.has_hotness[index] else None,
            tuple(
                Argument(
                    text(c.argument_keys[number]),
                    text(c.argument_values[number]),
                    self.place(c.argument_places[number]),
                )
                for number in range(c.first_arguments[index], c.first_arguments[index + 1])
            ),
        )

    @cached_property
    def functions(self) -> Mapping[str, Sequence[int]]:
        """Numbers of the remarks of each function, ascending; functions in the order of their strings."""
        strings = len(self.columns.string_bounds) - 1
        starts, order = (memoryview(column).cast("I") for column in remark_groups(self.function_ids, strings))
        found: dict[str, Sequence[int]] = {}
        for string in range(strings):
            if starts[string] < starts[string + 1]:
                name, members = self.text(string), order[starts[string] : starts[string + 1]]
                # Strings that differ may look the same once they are text.
                found[name] = sorted([*found[name], *members]) if name in found else members
        return found
