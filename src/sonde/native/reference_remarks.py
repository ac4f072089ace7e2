"""The slow twin of native/core/remarks/remark_yaml.c: remarks from YAML, one document after another."""

import re
from array import array
from typing import Any

from sonde.native.reference_remark_bitstream import read_remark_bitstream
from sonde.native.reference_remark_columns import Place, RemarkColumns, WholeRemark
from sonde.native.reference_remark_scalars import (
    Cursor,
    WrongRemark,
    block_key,
    block_value,
    flow_plain,
    quoted,
    skip_flow,
    wrong,
)

_KINDS = (b"!Unknown", b"!Passed", b"!Missed", b"!Analysis", b"!AnalysisFPCommute", b"!AnalysisAliasing", b"!Failure")
_NAMES = {b"Pass": "Pass", b"Name": "Name", b"Function": "Function"}
_TWICE = "a key that is there twice"
_NO_PLACE = "a place that is not of keys and values"
_NO_LIST = "arguments that are not in lines of their own"
_MARK = re.compile(rb"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_TAG = re.compile(rb"[ \t]*([^ \t\r\n]*)")
_STRAY = re.compile(rb"[ \t\r\n]*[^ \t\r\n#%]")


class ReferenceRemarkParser:
    """As `sonde._native.RemarkParser`."""

    def __init__(self) -> None:
        self._columns = RemarkColumns()

    def read_yaml(self, text: Any, table: Any) -> bool:
        return _read_yaml(self._columns, bytes(text), _strings_of(table))

    def read_bitstream(
        self, data: Any, table: Any
    ) -> tuple[str | None, int, bool, int | None, int, int, bytes | None, bytes | None]:
        return read_remark_bitstream(self._columns, bytes(data), None if table is None else bytes(table))

    def columns(self) -> tuple[bytes, ...]:
        return self._columns.columns()

    def problems(self) -> list[tuple[int, str]]:
        return list(self._columns.told)

    def unknown_keys(self) -> list[tuple[bytes, int]]:
        return list(self._columns.unknown.items())

    @property
    def count(self) -> int:
        return len(self._columns.kinds)

    @property
    def skipped(self) -> int:
        return self._columns.skipped


def reference_remark_groups(group_of: Any, groups: int) -> tuple[bytes, bytes]:
    """As `sonde.native.remark_groups`."""
    members: list[list[int]] = [[] for _ in range(groups)]
    for item, group in enumerate(group_of):
        if group >= groups:
            raise ValueError("an item is in a group beyond the last")
        members[group].append(item)
    starts, order = array("I", [0]), array("I")
    for each in members:
        order.extend(each)
        starts.append(len(order))
    return starts.tobytes(), order.tobytes()


def _strings_of(table: Any) -> list[bytes] | None:
    if table is None:
        return None
    strings = bytes(table).split(b"\0")
    return strings if strings[-1] else strings[:-1]


def _read_yaml(to: RemarkColumns, text: bytes, strings: list[bytes] | None) -> bool:
    starts, at = [], 3 if text.startswith(b"\xef\xbb\xbf") else 0
    while at < len(text):
        starts.append(at)
        at = text.find(b"\n", at) + 1 or len(text)
    starts.append(len(text))
    unended = strays = False
    index = 0
    while index + 1 < len(starts):
        start = starts[index]
        mark = _MARK.match(text, start)
        if not mark or mark[0] != b"---":
            stray = not mark and _STRAY.match(text[start : starts[index + 1]]) is not None
            if stray and not strays:
                to.skip(text.count(b"\n", 0, start) + 1, "text outside of a remark")
            strays |= stray
            index += 1
            continue
        strays = False
        index += 1
        while index + 1 < len(starts) and not _MARK.match(text, starts[index]):
            index += 1
        stop = starts[index]
        cursor = Cursor(text[start:stop], 3)
        unended = False
        try:
            if stop == len(text) and not text.endswith(b"\n"):
                wrong("the text ends within it")
            to.add(_Document(to, cursor, strings).remark())
            unended = stop == len(text)
        except WrongRemark as problem:
            to.skip(text.count(b"\n", 0, start + cursor.at) + 1, str(problem))
    return unended


class _Document:
    def __init__(self, to: RemarkColumns, cursor: Cursor, strings: list[bytes] | None) -> None:
        self.to, self.c, self.table = to, cursor, strings
        self.read = WholeRemark()

    def remark(self) -> WholeRemark:
        c, read = self.c, self.read
        read.kind = self.kind()
        while (indent := c.next_line()) is not None:
            if indent:
                wrong("a line that is indented unlike those before it")
            key = block_key(c)
            if key in _NAMES:
                if _NAMES[key] in read.names:
                    wrong(_TWICE)
                read.names[_NAMES[key]] = self.string(block_value(c, 0))
            elif key == b"DebugLoc":
                read.place = self.place(0, read.place)
            elif key == b"Hotness":
                if read.hotness is not None:
                    wrong(_TWICE)
                read.hotness = _number(c, block_value(c, 0), 64)
            elif key == b"Args":
                if read.arguments is not None:
                    wrong(_TWICE)
                read.arguments = []
                self.arguments()
            else:
                self.to.count_unknown(key)
                self.skip_value(0)
        if len(read.names) < len(_NAMES):
            wrong("no pass, name or function")
        return read

    def kind(self) -> int:
        tag = _TAG.match(self.c.text, self.c.at)
        assert tag  # it matches nothing, too
        self.c.at = tag.end()
        if tag[1] not in _KINDS:
            wrong("not a kind of remark")
        self.c.end_line()
        return _KINDS.index(tag[1])

    def string(self, scalar: bytes) -> bytes:
        if self.table is not None:
            index = _number(self.c, scalar, 64)
            if index >= len(self.table):
                self.c.at = self.c.began
                wrong("a number beyond the table of strings")
            scalar = self.table[index]
        self.read.strings.append(scalar)
        return scalar

    def skip_value(self, indent: int) -> None:
        c = self.c
        c.skip_blanks()
        if c.byte() in (b"{", b"["):
            skip_flow(c)
            c.end_line()
        elif not c.has_only_space():
            block_value(c, indent)
        else:
            while (deeper := c.next_line()) is not None:
                is_item = deeper == indent and c.byte(c.at + deeper) == b"-" and c.is_space_at(c.at + deeper + 1)
                if deeper <= indent and not is_item:
                    break
                c.at = min(c.line_feed(c.at) + 1, c.stop)

    def place(self, indent: int, before: Place | None) -> Place:
        """From behind the colon of its key on."""
        c = self.c
        if before is not None:
            wrong(_TWICE)
        parts: dict[bytes, bytes | int] = {}
        start = c.at
        c.skip_blanks()
        inner = 0
        if c.byte() != b"{":
            if not c.has_only_space():
                wrong(_NO_PLACE)
            inner = c.next_line() or 0
            if inner <= indent:
                wrong(_NO_PLACE)
        if c.byte(c.at + inner) == b"{":
            c.at += inner + 1
            self.flow_place(parts)
        else:
            self.block_place(indent, inner, parts)
        file, line, column = parts.get(b"File"), parts.get(b"Line"), parts.get(b"Column")
        if not (isinstance(file, bytes) and isinstance(line, int) and isinstance(column, int)):
            c.at = start
            wrong("a place without its file, line or column")
        self.read.places.append(Place(file, line, column))
        return self.read.places[-1]

    def part(self, key: bytes, value: bytes, parts: dict[bytes, bytes | int]) -> None:
        if key in parts:
            wrong(_TWICE)
        parts[key] = self.string(value) if key == b"File" else _number(self.c, value, 32)

    def flow_scalar(self) -> bytes:
        self.c.began = self.c.at
        return quoted(self.c) if self.c.byte() in (b"'", b'"') else flow_plain(self.c)

    def flow_place(self, parts: dict[bytes, bytes | int]) -> None:
        c = self.c
        while True:
            c.skip_space()
            if c.byte() == b"}":
                break
            key = self.flow_scalar()
            known = key in (b"File", b"Line", b"Column")
            if not known:
                self.to.count_unknown(key)
            c.skip_space()
            if c.byte() != b":":
                wrong(_NO_PLACE)
            c.at += 1
            c.skip_space()
            if not known and c.byte() in (b"{", b"["):
                skip_flow(c)
            else:
                value = self.flow_scalar()
                if known:
                    self.part(key, value, parts)
            c.skip_space()
            if c.byte() not in (b",", b"}"):
                wrong(_NO_PLACE)
            c.at += c.byte() == b","
        c.at += 1
        c.end_line()

    def block_place(self, indent: int, inner: int, parts: dict[bytes, bytes | int]) -> None:
        c = self.c
        while (deeper := c.next_line()) is not None and deeper > indent:
            if deeper != inner:
                wrong("a line that is indented unlike those before it")
            c.at += inner
            key = block_key(c)
            if key in (b"File", b"Line", b"Column"):
                self.part(key, block_value(c, inner), parts)
            else:
                self.to.count_unknown(key)
                self.skip_value(inner)

    def arguments(self) -> None:
        """From behind the colon of their key on."""
        c = self.c
        c.skip_blanks()
        if c.byte() == b"[":
            c.at += 1
            c.skip_space()
            if c.byte() != b"]":
                wrong(_NO_LIST)
            c.at += 1
            c.end_line()
            return
        if not c.has_only_space():
            wrong(_NO_LIST)
        indent = c.next_line()
        deeper = indent
        while deeper is not None:
            line, first = c.at, c.at + deeper
            is_item = c.byte(first) == b"-" and c.is_space_at(first + 1)
            if not is_item and not deeper:
                return
            if not is_item or deeper != indent:
                wrong("an argument that is not in a list")
            c.at = c.behind_spaces(first + 1)
            inner = c.at - line
            if c.is_space_at(c.at) and c.has_only_space():
                inner = c.next_line() or 0
                if inner <= deeper:
                    wrong("an argument without a key")
                c.at += inner
            self.argument(inner)
            deeper = c.next_line()

    def argument(self, inner: int) -> None:
        """The lines of one, from its first key on."""
        c = self.c
        key: bytes | None = None
        first, value, place = c.at, b"", None
        while True:
            word = block_key(c)
            if word == b"DebugLoc":
                place = self.place(inner, place)
            elif key is not None:
                wrong("an argument with two keys")
            else:
                key = word
                self.read.strings.append(key)
                value = self.string(block_value(c, inner))
            if c.next_line() != inner:
                break
            c.at += inner
        if key is None:
            c.at = first
            wrong("an argument without a key")
        assert self.read.arguments is not None
        self.read.arguments.append((key, value, place))


def _number(c: Cursor, scalar: bytes, bits: int) -> int:
    """What was read last; if it is not a number, the cursor goes back to where it began."""
    value, at = 0, c.at
    c.at = c.began
    for byte in scalar:
        if not ord("0") <= byte <= ord("9"):
            wrong("not a number")
        value = 10 * value + byte - ord("0")
        if value >> bits:
            wrong("a number that is too large")
    if not scalar:
        wrong("not a number")
    c.at = at
    return value
