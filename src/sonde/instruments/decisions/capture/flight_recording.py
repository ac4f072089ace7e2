"""A flight recording of the program's execution samples: the options that ask for it, and what they leave."""

import shutil
import struct
from pathlib import Path

RECORDING = "recording.jfr"
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0" label="sonde" description="Where time goes, and what was compiled when">
  <event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">10 ms</setting></event>
  <event name="jdk.Compilation"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
  <event name="jdk.JVMInformation"><setting name="enabled">true</setting></event>
</configuration>
"""
"""10 ms: half of the usual 20 ms, and the least at which JDK 17 does not fall behind with a few threads."""


class Flight:
    """The recording of one program.

    Args:
        has_own_options: the command has `-XX:FlightRecorderOptions`, which can stand there once only. Then nothing is
            left of the recording if the machine is killed.
    """

    def __init__(self, folder: Path, *, has_own_options: bool) -> None:
        self._file = folder / RECORDING
        self._settings = folder / "recording-settings.jfc"
        self._chunks = folder / "recording-chunks"
        self._has_own_options = has_own_options
        self._settings.write_text(_SETTINGS, encoding="utf-8")

    def options(self) -> list[str]:
        """For the virtual machine."""
        where = [] if self._has_own_options else [f"-XX:FlightRecorderOptions=repository={self._chunks}"]
        return [
            *where,
            f"-XX:StartFlightRecording=filename={self._file},settings={self._settings},dumponexit=true",
            "-Xlog:jfr+startup=off",  # a line on standard output, on which the program's own may be piped
        ]

    def land(self) -> Path | None:
        """Find the recording when the program has ended; None: there is none.

        A machine that was killed leaves chunks, which are put together.
        """
        if not _has_content(self._file):
            self._file.unlink(missing_ok=True)
            chunks = [*map(whole_chunk, sorted(self._chunks.rglob("*.jfr")))]
            if any(chunks):
                self._file.write_bytes(b"".join(chunks))
        shutil.rmtree(self._chunks, ignore_errors=True)
        self._settings.unlink(missing_ok=True)
        return self._file if _has_content(self._file) else None


def whole_chunk(file: Path) -> bytes:
    """A chunk as a reader of recordings takes it: of one that was being written, the part until it was last flushed.

    Chunks are flushed every second. At byte 8 of the header is how long the chunk was then, at byte 64 what is done
    with it: 0 when it is finished. Newer readers wait for that, so it is set.

    Returns:
        nothing if it was never flushed, or is no chunk.
    """
    content = bytearray(file.read_bytes())
    if len(content) < _HEADER.size:
        return b""
    magic, size, state = _HEADER.unpack_from(content)
    if magic != b"FLR\0" or not _HEADER.size < size <= len(content):
        return b""
    if state != _FINISHED:
        content[_STATE_AT] = _FINISHED
    return bytes(content[:size])


_HEADER = struct.Struct(">4s4xQ48xB3x")
"""Magic, version, size; positions, times and frequency; state; flags."""
_STATE_AT = 64
_FINISHED = 0


def _has_content(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0
