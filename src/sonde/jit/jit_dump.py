"""Jitdump: how `perf inject --jit` learns of code that comes and goes, with its bytes and lines."""

import ctypes
import mmap
import os
import struct
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from sonde.base.errors import SondeError
from sonde.events import CodeRange
from sonde.jit.elf_object import AARCH64, X86_64
from sonde.jit.perf_map import safe_name
from sonde.jit.private_file import PrivateFile

_MAGIC, _VERSION = 0x4A695444, 1
_HEADER = struct.Struct("<IIIIIIQQ")
_RECORD = struct.Struct("<IIQ")
_LOAD, _DEBUG_INFO, _CLOSE = 0, 2, 3
_LOADED = struct.Struct("<IIQQQQ")
_LINES = struct.Struct("<QQ")
_LINE = struct.Struct("<QII")
_MACHINES = {"x86_64": X86_64, "aarch64": AARCH64}


class JitDump:
    """Writes `jit-PID.dump`, for perf:

        perf record -k mono ... ; perf inject --jit -i perf.data -o jitted.data ; perf report -i jitted.data

    `perf record` has to be watching when the file is created: it learns of the file by a mapping of its first page as
    code, which is made for that purpose. The file stays when the process ends. `perf inject` puts a small object file
    for each function next to it.

    Code is unloaded by loading something else in its place: the time of each record tells which was there. Lines are
    those of the innermost functions; perf's format has no inline stacks.

    Source: the jitdump specification in the Linux sources, `tools/perf/Documentation/jitdump-specification.txt`,
    version 1.
    """

    def __init__(
        self,
        folder: Path,
        *,
        read_code: Callable[[int, int], bytes] = ctypes.string_at,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Create the file.

        Args:
            folder: where programs may be run from (not mounted `noexec`).
            read_code: address, size -> bytes of code.
            clock: nanoseconds, the clock that perf was told to use: `-k mono`.
        Raises:
            SondeError: `cannot-write`.
        """
        self.path = folder / f"jit-{os.getpid()}.dump"
        self._read_code = read_code
        self._clock = clock
        self._loaded = 0
        self._file = PrivateFile(self.path, hint="choose another folder, or do without a jitdump")
        machine = _MACHINES[os.uname().machine]
        self._file.write(_HEADER.pack(_MAGIC, _VERSION, _HEADER.size, machine, 0, os.getpid(), clock(), 0))
        try:
            self._marker = mmap.mmap(
                self._file.descriptor, _HEADER.size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC
            )
        except OSError as error:
            self._file.close()
            self.path.unlink()
            raise SondeError(
                f"cannot write '{self.path}': the folder may hold no code: {error.strerror}",
                slug="cannot-write",
                hint="choose a folder that is not mounted noexec",
            ) from error

    def add(self, ranges: Iterable[CodeRange]) -> None:
        """Write what was loaded, with its lines, before it runs.

        Raises:
            SondeError: `cannot-write`.
        """
        for each in ranges:
            self._file.write(self._lines_of(each) + self._code_of(each))

    def close(self) -> None:
        """End the file."""
        if self._file.is_open:
            self._file.write(self._record(_CLOSE, b""))
            self._marker.close()
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _lines_of(self, code: CodeRange) -> bytes:
        entries = []
        for row in code.lines.rows:
            # perf has no word for code without a line: it goes with the line before.
            if row.frames and row.frames[0].line and row.frames[0].file and row.offset < code.size:
                place = row.frames[0]
                entries.append(_LINE.pack(code.start + row.offset, place.line, 0) + _zero_ended(place.file))
        if not entries:
            return b""
        return self._record(_DEBUG_INFO, _LINES.pack(code.start, len(entries)) + b"".join(entries))

    def _code_of(self, code: CodeRange) -> bytes:
        number = self._loaded
        self._loaded += 1
        fields = _LOADED.pack(os.getpid(), threading.get_native_id(), code.start, code.start, code.size, number)
        return self._record(_LOAD, fields + _zero_ended(code.label) + self._read_code(code.start, code.size))

    def _record(self, kind: int, body: bytes) -> bytes:
        return _RECORD.pack(kind, _RECORD.size + len(body), self._clock()) + body


def _zero_ended(name: str) -> bytes:
    return safe_name(name).encode("utf-8", "surrogateescape") + b"\0"
