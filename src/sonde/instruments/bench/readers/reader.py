"""What reads measurements of a tool, and the file that it reads."""

import bz2
import errno
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sonde.base.errors import InputError
from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.readers.json_node import Node
from sonde.instruments.bench.readers.stream import is_endless, read_pipe


def _unpack_xz(packed: bytes) -> bytes:
    try:
        import lzma  # which not every Python has
    except ImportError as error:
        raise ValueError("this Python was built without lzma") from error
    try:
        return lzma.decompress(packed)
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from error


_COMPRESSED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ": _unpack_xz}
"""First bytes -> how to undo it."""
_SUFFIXES = (".gz", ".bz2", ".xz", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".data", ".sonde")
"""Of file names, to be left out where a file gives its name to what is in it."""
_HEAD = 100
"""Bytes by which binary files are told."""
_CONTEXT = 32
"""Characters shown before and after the place where JSON breaks off."""


class InputFile:
    """A file or folder of measurements; it is read, unpacked and parsed once, whoever looks at it.

    >>> InputFile(Path("runs/old.json.bz2")).title
    'old'
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def title(self) -> str:
        """Its name without the folder and what says how it is written."""
        name = self.path.name or self.path.resolve().name
        while name.endswith(_SUFFIXES):
            name = name.rpartition(".")[0]
        return name or self.path.name

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder; some tools keep their results in one."""
        return self.path.is_dir()

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file as it is; nothing for a folder.

        Raises:
            InputError: as `content` does.
        """
        if not self.path.is_file():  # what comes out of a pipe comes once
            return self.content[:_HEAD]
        with self._reading(), self.path.open("rb") as stream:
            return stream.read(_HEAD)

    @cached_property
    def content(self) -> bytes:
        """All bytes of the file, unpacked if it is packed; nothing for a folder.

        Raises:
            InputError: `no-such-results`, or `corrupt-results` where it cannot be unpacked.
        """
        if self.is_folder:
            return b""
        with self._reading():
            packed = self.path.read_bytes() if self.path.is_file() else self._stream()
        for magic, unpack in _COMPRESSED.items():
            if packed.startswith(magic):
                try:
                    return unpack(packed)
                except (OSError, EOFError, ValueError, zlib.error) as error:
                    raise self.corrupt(f"it cannot be unpacked: {error}") from error
        return packed

    @cached_property
    def text(self) -> str:
        """The file as text; empty for what is binary."""
        head = self.content[:2]
        encoding = "utf-16" if head in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"  # PowerShell's > writes UTF-16
        try:
            text = self.content.decode(encoding)
        except UnicodeDecodeError:
            return ""
        return "" if "\0" in text[:1000] else text

    @property
    def top(self) -> Any:
        """The JSON document in it; None where it is not JSON."""
        return self._parsed[0]

    @property
    def document(self) -> Node:
        """The JSON document in it.

        Raises:
            InputError: `corrupt-results`, it is not JSON.
        """
        document, broken = self._parsed
        if broken is not None:
            raise broken
        return Node(document, "", self.path)

    @property
    def broken_json(self) -> InputError | None:
        """Where and how it breaks off, if it begins as JSON does."""
        return self._parsed[1] if self.text.lstrip()[:1] in ("{", "[") else None

    def corrupt(self, fact: str, hint: str | None = None) -> InputError:
        """The error that says that the file is not what it should be."""
        return InputError(f"cannot read results '{self.path}': {fact}", slug="corrupt-results", hint=hint)

    def _stream(self) -> bytes:
        if is_endless(self.path):
            raise OSError(errno.EINVAL, "it is a device or a socket, not a file")
        return read_pipe(self.path)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"cannot read results '{self.path}': {error.strerror or error}", slug="no-such-results"
            ) from error

    @cached_property
    def _parsed(self) -> tuple[Any, InputError | None]:
        text = self.text
        if text.lstrip()[:1] not in ("{", "["):
            return None, self.corrupt("it is not JSON")
        try:
            return json.loads(text), None
        except json.JSONDecodeError as error:
            at_end = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
            place = f"line {error.lineno}, column {error.colno}"
            return None, self.corrupt(
                f"its JSON is broken at {place}: {error.msg}\n{_pointed(text, error.pos)}",
                "the end is missing: measure again, or copy the file again" if at_end else None,
            )
        except (RecursionError, ValueError) as error:  # nested too deeply; numbers of thousands of digits
            return None, self.corrupt(f"its JSON cannot be read: {error}")


def _pointed(text: str, position: int) -> str:
    """The surroundings of a position on one line, and a caret below it."""
    start = max(0, position - _CONTEXT)
    before, after = text[start:position], text[position : position + _CONTEXT]
    shown = "".join(letter if letter.isprintable() else " " for letter in before + after)
    return f"  {shown}\n  {' ' * len(before)}^"


@dataclass(frozen=True, slots=True)
class MeasurementReader:
    """A way to read the measurements of one tool."""

    name: str
    """As `--reader` takes it."""
    about: str
    """The tool and its files, in one line."""
    recognises: Callable[[InputFile], bool]
    """Whether a file is of this tool, by its content, whatever its name; any version, also if it is damaged further
    inside. It raises nothing but what reading the file raises."""
    read: Callable[[InputFile], Measurements]
    """What is in the file. Raises `InputError` where it is not what it should be, with the place; what lacks a part,
    so that it cannot be used, is said in `Measurements.skipped`."""
