"""Code that was made while a program ran, as `inject/told_code.py` wrote it down: names and lines by its numbers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import InputError
from sonde.code.symbols import source_name
from sonde.events import CodeFrame, CodeRange, LineRow, LineTable

if TYPE_CHECKING:
    from sonde.jit.object_code import ObjectCode, ObjectFunction

_INDEX = "jit-code"


def read_jit_code(folder: Path) -> Mapping[int, CodeRange]:
    """Jitted code by the number that the tool was told; empty when there was none.

    Functions are called as their source calls them. Addresses are not known, and 0. Of an object that is missing or
    damaged, functions are known without lines.

    Args:
        folder: of the run.
    """
    try:
        lines = (folder / _INDEX).read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    from sonde.jit.object_code import ObjectFunction  # with the reader of debug information, which few runs need

    opened = cache(partial(_opened, folder))
    found = {}
    for line in lines:
        fields = line.split(" ")
        if len(fields) != 6:
            break  # cut off
        number, section, offset, size = (int(fields[each]) for each in (0, 2, 3, 4))
        function = ObjectFunction(bytes.fromhex(fields[5]).decode(errors="replace"), section, offset, size)
        found[number] = CodeRange(0, size, source_name(function.name), "", _lines(opened, fields[1], function))
    return found


def _opened(folder: Path, name: str) -> "ObjectCode | None":
    from sonde.jit.object_code import ObjectCode

    try:
        return ObjectCode((folder / name).read_bytes(), name)
    except (OSError, InputError):
        return None


def _lines(
    opened: "Callable[[str], ObjectCode | None]",
    name: str,
    function: "ObjectFunction",
) -> LineTable:
    def rows() -> list[LineRow]:
        code = opened(name)
        try:
            known = code.lines_of(function).rows if code is not None else ()
        except InputError:  # its debug information is none that can be read
            known = ()
        named = [
            LineRow(row.offset, tuple(replace(each, function=source_name(each.function)) for each in row.frames))
            for row in known
            if row.frames
        ]
        if not named or named[0].offset:
            named.insert(0, LineRow(0, (CodeFrame(source_name(function.name)),)))
        return named

    return LineTable.later(rows)
