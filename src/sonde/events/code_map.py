"""Which function, version and line an address of machine code belongs to, while code comes and goes."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from sonde.base.errors import InternalError
from sonde.events.line_table import CodeFrame, LineTable


@dataclass(frozen=True, slots=True)
class CodeRange:
    """Machine code of one function, or of a part of it, that lies in one piece."""

    start: int
    """Address of its first byte."""
    size: int
    """Bytes, at least 1."""
    function: str
    version: str = ""
    """Which of several ways to run the function this is; empty when there is only one."""
    lines: LineTable = field(default_factory=LineTable, compare=False)

    def __post_init__(self) -> None:
        if self.size < 1 or self.start < 0:
            raise InternalError(
                f"cannot map the code of '{self.label}': it has {self.size} bytes at {self.start:#x}", slug="empty-code"
            )

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.start + self.size

    @property
    def label(self) -> str:
        """How a person recognises it in a list: `f`, or `f[O2]` for a version of it."""
        return f"{self.function}[{self.version}]" if self.version else self.function

    def locate(self, address: int) -> "CodeLocation":
        """What `address`, one of this range, is."""
        offset = address - self.start
        frames = self.lines.frames_at(offset) or (CodeFrame(self.function),)
        return CodeLocation(self.function, self.version, offset, frames)


@dataclass(frozen=True, slots=True)
class CodeLocation:
    """What an address of machine code is."""

    function: str
    version: str
    offset: int
    """Bytes from the start of the range that the address is in."""
    frames: tuple[CodeFrame, ...]
    """Innermost first, at least one: without lines it is the function itself, at line 0."""


class CodeMap:
    """Machine code by address, as it is now.

    Code that is unloaded is removed, and other code may then come to lie there. With `keep_history` the map as it was
    after any earlier change can be had again. Threads that share a map need a lock around it.

    >>> code = CodeMap()
    >>> code.add(CodeRange(0x1000, 16, "fib", "O0"), CodeRange(0x1010, 8, "main"))
    >>> code.lookup(0x100f).function, code.lookup(0x1018)
    ('fib', None)
    >>> code.remove(0x1000).label
    'fib[O0]'
    """

    def __init__(self, *, keep_history: bool = False) -> None:
        self._starts: list[int] = []
        self._ranges: list[CodeRange] = []  # by start; they do not overlap
        self._journal: list[tuple[CodeRange, bool]] | None = [] if keep_history else None
        self._changes = 0

    def add(self, *ranges: CodeRange) -> None:
        """Add code that was loaded: all of it, or when that fails nothing.

        Raises:
            InternalError: `code-overlap`: there is code at some of the addresses.
        Cost: O(k log n) for k ranges, and one copy of the n that are there.
        """
        new = sorted(ranges, key=lambda each: each.start)
        for each, after in pairwise(new):
            if after.start < each.end:
                raise _overlap(after, each)
        for each in new:
            last = bisect_left(self._starts, each.end) - 1  # the last one that begins before `each` ends
            if last >= 0 and self._ranges[last].end > each.start:
                raise _overlap(each, self._ranges[last])
        self._ranges = sorted(self._ranges + new, key=lambda each: each.start)  # two sorted runs: linear
        self._starts = [each.start for each in self._ranges]
        for each in new:
            self._changed(each, added=True)

    def remove(self, start: int) -> CodeRange:
        """Forget the range that begins at `start`: its code was unloaded.

        Raises:
            InternalError: `no-such-code`.
        """
        at = bisect_left(self._starts, start)
        if at == len(self._starts) or self._starts[at] != start:
            raise InternalError(f"cannot forget code: none begins at {start:#x}", slug="no-such-code")
        del self._starts[at]
        gone = self._ranges.pop(at)
        self._changed(gone, added=False)
        return gone

    def lookup(self, address: int) -> CodeLocation | None:
        """What lies at an address; None when that is no code of ours.

        Guarantee: the answer of a dictionary that has an entry for every address.
        Cost: O(log n + log rows); the first lookup in code whose lines were not read yet reads them.
        """
        each = self.range_at(address)
        return None if each is None else each.locate(address)

    def range_at(self, address: int) -> CodeRange | None:
        """The code that an address belongs to, without its line."""
        at = bisect_right(self._starts, address) - 1
        return self._ranges[at] if at >= 0 and address < self._ranges[at].end else None

    def lookup_all(self, addresses: Iterable[int]) -> list[CodeLocation | None]:
        """`lookup` of each address, in order.

        Cost: one lookup for each address that differs from those before it, and about 60 ns for each of the others:
        samples of a program fall on few addresses.
        """
        return list(map(_Found(self).__getitem__, addresses))

    @property
    def changes(self) -> int:
        """How often code was added or removed: the name of this moment for `as_of`."""
        return self._changes

    def as_of(self, changes: int) -> "CodeMap":
        """The map as it was after that many changes; needs `keep_history`.

        Raises:
            InternalError: `no-code-history`.
        """
        if self._journal is None or not 0 <= changes <= self._changes:
            kept = "no history is kept" if self._journal is None else f"there were {self._changes}"
            raise InternalError(f"cannot go back to code after {changes} changes: {kept}", slug="no-code-history")
        there: dict[int, CodeRange] = {}
        for each, added in self._journal[:changes]:
            if added:
                there[each.start] = each
            else:
                del there[each.start]
        past = CodeMap()
        past.add(*there.values())
        return past

    def added(self) -> tuple[CodeRange, ...]:
        """All code that was ever added, in that order, removed or not; needs `keep_history`.

        Raises:
            InternalError: `no-code-history`.
        """
        if self._journal is None:
            raise InternalError("cannot tell what code there was: no history is kept", slug="no-code-history")
        return tuple(each for each, added in self._journal if added)

    def __iter__(self) -> Iterator[CodeRange]:
        """All ranges, by address."""
        return iter(list(self._ranges))

    def __len__(self) -> int:
        return len(self._ranges)

    def _changed(self, each: CodeRange, *, added: bool) -> None:
        self._changes += 1
        if self._journal is not None:
            self._journal.append((each, added))


class _Found(dict[int, CodeLocation | None]):
    """What was looked up already."""

    def __init__(self, code: CodeMap) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, address: int) -> CodeLocation | None:
        found = self[address] = self._code.lookup(address)
        return found


def _overlap(new: CodeRange, old: CodeRange) -> InternalError:
    return InternalError(
        f"cannot map the code of '{new.label}' at {new.start:#x}-{new.end:#x}: "
        f"'{old.label}' is at {old.start:#x}-{old.end:#x}",
        slug="code-overlap",
    )
