"""One compile unit of an object's debug information: which lines and inlined calls its code came from.

The only file that imports pyelftools.
"""

from __future__ import annotations  # pyelftools, an optional dependency, is named in signatures

import posixpath
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from sonde.base.errors import MissingCapability
from sonde.jit.elf_object import ElfObject
from sonde.jit.line_program import LineProgram

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DWARFInfo

_READ = ("info", "abbrev", "str", "ranges", "line", "addr", "str_offsets", "line_str", "rnglists", "loclists")
"""Debug sections that tell about lines and inlined calls; the last one pyelftools looks at whenever it is mentioned."""
_UNREAD = ("aranges", "frame", "loc", "pubtypes", "pubnames", "sup", "types")
"""What pyelftools also asks for."""
_MANGLED = ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name")
_ORIGINS = ("DW_AT_abstract_origin", "DW_AT_specification")


class Span(NamedTuple):
    """A stretch of code, in the layout of `ElfObject`."""

    low: int
    high: int
    """The first address behind it."""


class SourceLine(NamedTuple):
    """A row of a line table."""

    span: Span
    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class Inlining:
    """A function, or a call in whose place the function's code was put."""

    function: str
    into: Inlining | None = None
    """What the call is in; None for a function that is not inlined."""
    file: str = ""
    line: int = 0
    column: int = 0
    """Where in `into` the call is."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionPart:
    """A function's code, or one of the parts it was split into."""

    span: Span
    inlinings: list[tuple[Span, Inlining]]
    """Of the whole function: itself first, outer ones before what was inlined into them."""


@dataclass(slots=True, eq=False)
class DebugUnit:
    """What a compile unit tells about its code."""

    lines: list[SourceLine]
    functions: list[FunctionPart]
    _line_starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.lines.sort()
        self.functions.sort(key=lambda each: each.span)
        self._line_starts = [row.span.low for row in self.lines]

    def lines_within(self, low: int, high: int) -> list[SourceLine]:
        """The rows that have something in common with that span."""
        first = max(bisect_right(self._line_starts, low) - 1, 0)
        return [row for row in self.lines[first : bisect_left(self._line_starts, high)] if row.span.high > low]

    def functions_within(self, low: int, high: int) -> list[FunctionPart]:
        """The functions, or parts of them, that have something in common with that span."""
        found = []
        at = bisect_left(self.functions, high, key=lambda each: each.span.low)
        while at > 0 and self.functions[at - 1].span.high > low:
            at -= 1
            found.append(self.functions[at])
        return found


def read_unit_spans(image: ElfObject) -> list[tuple[int, list[Span]]]:
    """Where the description of each compile unit begins, and what code it is about.

    Raises:
        MissingCapability: `no-debug-reader`.
    """
    information = _open(image)
    if information is None:
        return []
    found = []
    for unit in information.iter_CUs():
        top = unit.get_top_DIE()
        found.append((unit.cu_offset, _spans(unit, top, _number(top, "DW_AT_low_pc"))))
    return found


def read_unit(image: ElfObject, offset: int) -> DebugUnit:
    """Read the compile unit whose description begins at `offset`.

    Cost: about 15 us for each entry of the description, and 2 us for each row of the line table.
    """
    information = _open(image)  # anew for each unit: pyelftools keeps every entry that it has read
    if information is None:
        return DebugUnit([], [])
    unit = information.get_CU_at(offset)
    files = _Files(information, unit)
    return DebugUnit(list(files.lines()), _functions(unit, files))


def _open(image: ElfObject) -> DWARFInfo | None:
    try:
        from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo
    except ImportError as error:
        raise _no_reader(error) from error
    sections: dict[str, Any] = {f"debug_{name}_sec": None for name in (*_READ, *_UNREAD)}
    for name in _READ:
        data = image.debug_section(f".debug_{name}")
        if data is not None:
            sections[f"debug_{name}_sec"] = DebugSectionDescriptor(BytesIO(data), f".debug_{name}", 0, len(data), 0)
    if sections["debug_info_sec"] is None:
        return None
    config = DwarfConfig(little_endian=True, machine_arch="", default_address_size=8)
    try:
        return DWARFInfo(config=config, eh_frame_sec=None, gnu_debugaltlink_sec=None, **sections)
    except TypeError as error:
        raise _no_reader(f"pyelftools is too old or too new: {error}") from error


def _no_reader(fact: object) -> MissingCapability:
    return MissingCapability(
        f"cannot read debug information: {fact}",
        slug="no-debug-reader",
        hint="python -m pip install --upgrade 'sonde[llvm]'",
    )


class _Files:
    """The files that a unit's line table names, by number."""

    def __init__(self, information: DWARFInfo, unit: CompileUnit) -> None:
        self._program = information.line_program_for_CU(unit)
        top = unit.get_top_DIE()
        self._folder = _text(top, "DW_AT_comp_dir")
        self._paths: list[str] = []
        if self._program is None:
            return
        header = self._program.header
        folders = [each.decode("utf-8", "surrogateescape") for each in header["include_directory"]]
        if header["version"] < 5:  # numbers begin with 1; number 0 is the unit itself, or the folder it was made in
            folders.insert(0, "")
            self._paths.append(posixpath.join(self._folder, _text(top, "DW_AT_name")))
        for entry in header["file_entry"]:
            folder = folders[entry.dir_index] if entry.dir_index < len(folders) else ""
            name = entry.name.decode("utf-8", "surrogateescape")
            self._paths.append(posixpath.join(self._folder, folder, name))

    def path(self, number: int) -> str:
        return self._paths[number] if number < len(self._paths) else ""

    def lines(self) -> Iterator[SourceLine]:
        """The rows of the line table, in the order of the table."""
        if self._program is None:
            return
        header, begin, end = self._program.header, self._program.program_start_offset, self._program.program_end_offset
        self._program.stream.seek(begin)
        program = LineProgram(
            self._program.stream.read(end - begin),
            header["opcode_base"],
            header["standard_opcode_lengths"],
            header["line_base"],
            header["line_range"],
            header["minimum_instruction_length"],
        )
        for low, high, file, line, column in program.rows():
            yield SourceLine(Span(low, high), self.path(file), line, column)


def _functions(unit: CompileUnit, files: _Files) -> list[FunctionPart]:
    """All functions of a unit that have code, with what was inlined into them."""
    found = []
    names = _Names()
    top = unit.get_top_DIE()
    base = _number(top, "DW_AT_low_pc")
    # Entries that are still to be looked at: the children of one, what they are part of, and that function's list.
    waiting: list[tuple[Iterator[DIE], Inlining | None, list[tuple[Span, Inlining]]]] = [
        (top.iter_children(), None, [])
    ]
    last = top.offset
    while waiting:
        children, inside, inlinings = waiting[-1]
        entry = next(children, None)
        if entry is None:
            waiting.pop()
            continue
        if entry.offset <= last:  # in damaged information "the next entry" may lie behind us, and so on forever
            raise ValueError(f"entry {entry.offset:#x} follows entry {last:#x}")
        last = entry.offset
        if entry.tag == "DW_TAG_subprogram":
            inside, inlinings = Inlining(names.of(entry)), []
            spans = _spans(unit, entry, base)
            inlinings += [(span, inside) for span in spans]
            found += [FunctionPart(span, inlinings) for span in spans]
        elif entry.tag == "DW_TAG_inlined_subroutine":
            file, line, column = (_number(entry, f"DW_AT_call_{part}") for part in ("file", "line", "column"))
            inside = Inlining(names.of(entry), inside, files.path(file), line, column)
            inlinings += [(span, inside) for span in _spans(unit, entry, base)]
        if entry.has_children:
            waiting.append((entry.iter_children(), inside, inlinings))
    return found


class _Names:
    """What the functions are called that entries describe; mangled, where the language mangles."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def of(self, entry: DIE) -> str:
        if entry.offset not in self._known:
            self._known[entry.offset] = self._find(entry)
        return self._known[entry.offset]

    def _find(self, entry: DIE) -> str:
        for mangled in _MANGLED:
            if mangled in entry.attributes:
                return _text(entry, mangled)
        for origin in _ORIGINS:
            if origin in entry.attributes:
                found = self.of(entry.get_DIE_from_attribute(origin))
                if found:
                    return found
        return _text(entry, "DW_AT_name")


def _spans(unit: CompileUnit, entry: DIE, base: int) -> list[Span]:
    """Where the code of a unit, function or inlined call is.

    Args:
        base: what ranges are relative to, when the list of ranges does not say.
    """
    ranges = entry.attributes.get("DW_AT_ranges")
    if ranges is not None:
        return [span for span in _listed_spans(unit, ranges.value, base) if span.low < span.high]
    high = entry.attributes.get("DW_AT_high_pc")
    if high is None:
        return []
    low = _number(entry, "DW_AT_low_pc")
    end = high.value if high.form.startswith("DW_FORM_addr") else low + high.value
    return [Span(low, end)] if low < end else []


def _listed_spans(unit: CompileUnit, offset: int, base: int) -> Iterator[Span]:
    from elftools.dwarf.ranges import BaseAddressEntry  # an optional dependency

    lists = unit.dwarfinfo.range_lists()
    for each in lists.get_range_list_at_offset(offset, unit) if lists is not None else ():
        if isinstance(each, BaseAddressEntry):
            base = each.base_address
        elif each.is_absolute:
            yield Span(each.begin_offset, each.end_offset)
        else:
            yield Span(base + each.begin_offset, base + each.end_offset)


def _number(entry: DIE, name: str) -> int:
    found = entry.attributes.get(name)
    return 0 if found is None else int(found.value)


def _text(entry: DIE, name: str) -> str:
    found = entry.attributes.get(name)
    return "" if found is None else found.value.decode("utf-8", "surrogateescape")
