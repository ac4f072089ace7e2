"""What the numbers in the spools of a program with probes mean: its functions, and the places of its calls.

It lies beside the spools, so that a run that was cut off can be understood, too.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sonde.base.errors import InputError, MissingCapability
from sonde.code import Function, Language, Place

if TYPE_CHECKING:
    from sonde.events import CodeMap

_IMAGE, _NAMES, _LOADED = "code.o", "functions.json", "loaded.json"


@dataclass(slots=True)
class ProbedCode:
    """Functions by their numbers, and places of calls by theirs (`call_line` of `native/probes/probes.h`)."""

    functions: tuple[Function, ...]
    named: Mapping[tuple[str, str], Function]
    """Functions that debug information knows, by symbol and file, those among them that were inlined everywhere."""
    start: int
    """Address from which places of calls are counted."""
    code: "CodeMap | None"
    """None: it was never loaded, or the places are not known."""
    language: Language = "jit"
    mechanism: str = ""
    """How calls were seen, if the spools do not say it right."""
    with_inlined: bool = True
    """Whether functions that were inlined are not seen to be called."""
    _places: dict[int, Place] = field(default_factory=dict)

    def place(self, number: int) -> Place:
        """Where a call is whose return address has that number; without file and line where that is not known.

        Cost: the first of each compile unit reads its debug information.
        """
        if number not in self._places:
            self._places[number] = self._find(number)
        return self._places[number]

    def _find(self, number: int) -> Place:
        # A return address is that of the instruction behind the call.
        found = self.code.lookup(self.start + number - 2) if number and self.code is not None else None
        if found is None:
            return Place("")
        if not self.with_inlined:
            return Place(found.frames[0].file, found.frames[0].line)
        frames = [Place(each.file, each.line, self._function(each.function, each.file)) for each in found.frames]
        return replace(frames[0], inlined_into=tuple(frames[1:]))

    def _function(self, symbol: str, file: str) -> Function:
        from sonde.code.symbols import source_name  # few runs need it

        known = self.named.get((symbol, file))
        return known if known is not None else Function(source_name(symbol), "", file, 0, "function", self.language)


def write_code(
    folder: Path, image: bytes, functions: Sequence[Function], named: Iterable[tuple[str, Function]]
) -> None:
    """Keep what is known before the program is loaded. Raises: OSError."""
    write_image(folder, image)
    names = {
        "functions": [_fields(each) for each in functions],
        "named": [(symbol, _fields(each)) for symbol, each in named],
    }
    (folder / _NAMES).write_text(json.dumps(names), encoding="utf-8", errors="surrogateescape")


def write_image(folder: Path, image: bytes) -> None:
    """Keep an object file. Raises: OSError."""
    (folder / _IMAGE).write_bytes(image)


def write_loaded(folder: Path, start: int, addresses: Mapping[str, int]) -> None:
    """Keep where the code was loaded. Raises: OSError."""
    text = json.dumps({"start": start, "addresses": addresses})
    (folder / _LOADED).write_text(text, encoding="utf-8", errors="surrogateescape")


def read_probed_code(folder: Path) -> ProbedCode | None:
    """What `write_code` and `write_loaded` left in a folder; None: nothing, as for Python programs.

    Raises:
        InputError: `corrupt-spool`.
    """
    try:
        names = json.loads((folder / _NAMES).read_text(encoding="utf-8", errors="surrogateescape"))
        functions = tuple(_function(fields) for fields in names["functions"])
        named = [(symbol, _function(fields)) for symbol, fields in names["named"]]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"cannot read '{folder / _NAMES}': {error}", slug="corrupt-spool") from error
    start, code = read_loaded_code(folder)
    return ProbedCode(functions, {(symbol, each.file): each for symbol, each in named}, start, code)


def read_loaded_code(folder: Path) -> "tuple[int, CodeMap | None]":
    """What `write_image` and `write_loaded` left in a folder; no map if the program was cut off before it ran."""
    try:
        loaded = json.loads((folder / _LOADED).read_text(encoding="utf-8", errors="surrogateescape"))
        return int(loaded["start"]), _code_map(folder, loaded["addresses"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0, None


def _code_map(folder: Path, addresses: Mapping[str, int]) -> "CodeMap | None":
    from sonde.events import CodeMap
    from sonde.jit.object_code import ObjectCode

    code = CodeMap()
    try:
        code.add(*ObjectCode((folder / _IMAGE).read_bytes(), _IMAGE).place(addresses).ranges)
    except (InputError, MissingCapability):  # counts are right without lines
        return None
    return code


def _fields(function: Function) -> tuple[str, str, int]:
    return (function.name, function.file, function.first_line)


def _function(fields: Any) -> Function:
    name, file, line = fields
    return Function(name, "", file, line, "function", "jit")
