"""How functions, lines and types of a memory profile are called."""

from collections.abc import Callable
from functools import cache

from sonde.base.fitted_text import printable
from sonde.code import Function, Place
from sonde.instruments.memory.profile.memory_profile import MemoryKind, MemoryProfile, MemoryType
from sonde.instruments.memory.profile.shares import is_named
from sonde.report import Named

KIND_WORDS: dict[MemoryKind, str] = {
    "object": "object",
    "block": "block",
    "stack": "stack",
    "frames": "frames",
    "global": "global",
    "heap": "heap",
    "mapping": "mapping",
    "code": "code",
    "unknown": "unknown",
}

NO_NAME = "(no name)"


def named_function(function: Function) -> Function | Named:
    """The function as a cell; a word where it has no name."""
    return function if is_named(function.name) else Named(NO_NAME, function)


def place_at(function: Function, line: int) -> Place | None:
    """A line of a function; the library alone where no file is known."""
    if function.file:
        return Place(function.file, line, function)
    return Place(function.library, 0, function) if function.library else None


def place_of_frame(profile: MemoryProfile, frame: tuple[int, int]) -> Place:
    """A line of a function, by the function's number, whatever is known of its file."""
    function, line = profile.functions[frame[0]], frame[1]
    return place_at(function, line) or Place("", line, function)


def type_name(kind: MemoryType) -> str:
    """Name of a class or an allocator; regions say what they are, unless their name does.

    >>> type_name(MemoryType("global", "libc.so.6")), type_name(MemoryType("stack", "main thread stack"))
    ('global: libc.so.6', 'main thread stack')
    """
    name = printable(kind.name)
    word = KIND_WORDS[kind.kind]
    if kind.kind in ("object", "block"):
        return name or NO_NAME
    return name if word.lower() in name.lower() else f"{word}: {name}" if name else word


def source_lines(profile: MemoryProfile) -> Callable[[str, int], str]:
    """A function of a file and a line: its text without the blanks around it; empty when it is not known."""
    lines_of = cache(lambda file: profile.sources.get(file, "").splitlines())

    def text(file: str, line: int) -> str:
        lines = lines_of(file)
        return lines[line - 1].strip() if 1 <= line <= len(lines) else ""

    return text
