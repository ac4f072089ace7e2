"""What the numbers in the spools of a program that was built elsewhere mean (`native/probes/linked_code.h`).

Its functions say themselves what they are called, so that a stripped program has names; lines and inlined functions
come from the debug information of the program and its libraries, as they are when the run has ended.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import InputError, MissingCapability
from sonde.code import Function, Place
from sonde.instruments.contexts.sources.probes.probed_code import ProbedCode

if TYPE_CHECKING:
    from sonde.events import CodeMap, CodeRange

_FILE = "linked.code"
_RECORD = struct.Struct("<IIIIQQ")
_MODULE, _OBJECT, _FUNCTION = 1, 2, 3
_INSTRUMENTED = "finstrument-functions"
_OUTERS, _OUTER_PLACES = 2, 1 << 27
"""`SN_PROBES_OUTERS`, `SN_PROBES_OUTER_PLACES` of `native/probes/probes.h`: the first numbers of what a Python program
loads; those below are of its own contexts, and of its lines."""


@dataclass(slots=True)
class _Module:
    """A program or library."""

    path: str
    first: int
    """Number of the place of calls at the beginning of its code."""
    address: int
    """Of that beginning, in the layout of the file."""


def read_linked_code(folder: Path) -> ProbedCode | None:
    """What a program left in its spool folder; None: nothing, as none that was built elsewhere does.

    Raises:
        InputError: `corrupt-spool`.
    """
    try:
        data = (folder / _FILE).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot read '{folder / _FILE}': {error.strerror}", slug="corrupt-spool") from error
    try:
        return _understood(data)
    except (ValueError, IndexError) as error:
        raise InputError(
            f"cannot read '{folder / _FILE}': its records contradict one another", slug="corrupt-spool"
        ) from error


def place_in_program(code: ProbedCode, number: int) -> Place:
    """What a number means in a Python program that loads probed code: a line of its own, or a place there."""
    return code.place(number) if number >= _OUTER_PLACES else Place("", number)


def _understood(data: bytes) -> ProbedCode:
    from sonde.events import CodeMap  # few runs need it

    modules: list[_Module] = []
    by_address: list[tuple[int, int]] = []
    functions: list[Function] = []
    named: dict[tuple[str, str], Function] = {}
    below = 0
    for kind, first, count, address, number, text in _records(data):
        if kind == _MODULE:
            below = _OUTERS if first >= _OUTER_PLACES else below
            modules.append(_Module(text, first, address))
            continue
        library = modules[number].path
        if first != below + len(functions):
            raise ValueError(f"{first} follows {len(functions)}")
        if kind == _FUNCTION:
            by_address.append((len(functions), modules[number].first + address - modules[number].address))
            name = f"{Path(library).name}+{address:#x}"
            functions.append(Function(name, "", "", 0, "function", "native", library))
            continue
        described = [_function(line, library) for line in text.split("\n")[:-1]]
        functions += [each for _, each in described[:count]]
        named.update({(symbol, each.file): each for symbol, each in described})
    code = CodeMap()
    for each in modules:
        code.add(*_ranges(each))
    for index, place in by_address:
        functions[index] = _found(code, place, functions[index])
    seen = _INSTRUMENTED if by_address else ""
    return ProbedCode(tuple(functions), named, 0, code, "native", seen, with_inlined=not by_address)


def _found(code: "CodeMap", place: int, unknown: Function) -> Function:
    """The function that begins at a place, by the symbols and the debug information of its file."""
    from sonde.code.symbols import source_name  # few runs need it

    found = code.lookup(place)
    if found is None:
        return unknown
    first = found.frames[-1]
    return replace(unknown, name=source_name(found.function), file=first.file, first_line=first.line)


def _function(line: str, library: str) -> tuple[str, Function]:
    """The symbol of a function, and what is known of it."""
    from sonde.code.symbols import source_name  # few runs need it

    symbol, file, number = line.split("\t")
    return symbol, Function(source_name(symbol), "", file, int(number), "function", "native", library)


def _records(data: bytes) -> Iterator[tuple[int, int, int, int, int, str]]:
    """Kind, first number, count, address, module and text of each; a last one that was cut off is left out."""
    at = 0
    while at + _RECORD.size <= len(data):
        kind, size, first, count, address, module = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        if at + size > len(data):
            return
        yield kind, first, count, address, module, data[at : at + size].decode("utf-8", "surrogateescape")
        at += (size + 7) // 8 * 8


def _ranges(module: _Module) -> tuple["CodeRange", ...]:
    """The code of a program or library, at the numbers of its places."""
    from sonde.jit.object_code import ObjectCode

    try:
        image = Path(module.path).read_bytes()
        return ObjectCode(image, module.path, linked=True).placed(module.first - module.address)
    except (OSError, InputError, MissingCapability):  # counts are right without lines
        return ()
