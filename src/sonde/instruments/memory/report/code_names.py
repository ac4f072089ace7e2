"""How functions, lines and types are called on a page."""

from pathlib import PurePosixPath

from sonde.base.fitted_text import display_width, keep_end, keep_start, printable
from sonde.instruments.memory.profile.memory_profile import CodeFunction, MemoryKind, MemoryProfile, MemoryType
from sonde.instruments.memory.profile.shares import is_named

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


def function_name(function: CodeFunction) -> str:
    """The name, and a word where there is none."""
    return printable(function.name) if is_named(function.name) else NO_NAME


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


def file_of(function: CodeFunction) -> str:
    """The source file, else the library; empty when neither is known."""
    return printable(function.file or function.library)


def line_place(function: CodeFunction, line: int) -> str:
    """`file:line` with its whole path; the library alone where there is no line."""
    if not function.file:
        return printable(function.library)
    return f"{printable(function.file)}:{line}" if line else printable(function.file)


def fitting_line_place(function: CodeFunction, line: int, width: int) -> str:
    """`file:line` in so many columns: one folder if there is room, else the file's name, else its end.

    >>> fitting_line_place(CodeFunction("python", "f", "/home/ada/app/core.py", 3), 7, 20)
    'app/core.py:7'
    >>> fitting_line_place(CodeFunction("python", "f", "/home/ada/app/core.py", 3), 7, 9)
    'core.py:7'
    """
    place = line_place(function, line)
    if place.startswith("<"):
        return keep_start(place, width)
    name = PurePosixPath(place).name
    folder = PurePosixPath(place).parent.name
    longer = f"{folder}/{name}" if folder and function.file else name
    if display_width(longer) <= width:
        return longer
    return name if display_width(name) <= width else keep_end(name, width)


def source_line(profile: MemoryProfile, function: CodeFunction, line: int) -> str:
    """The text of a line without the blanks around it; empty when it is not known."""
    text = profile.sources.get(function.file)
    if text is None or line < 1:
        return ""
    lines = text.splitlines()
    return printable(lines[line - 1].strip()) if line <= len(lines) else ""
