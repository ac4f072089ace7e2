"""An independent reader of jitdump files, written from the specification in the Linux sources."""

import struct
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class LoadedFunction:
    """A JIT_CODE_LOAD record, and the lines of the JIT_CODE_DEBUG_INFO record before it."""

    time: int
    pid: int
    tid: int
    address: int
    number: int
    name: str
    code: bytes
    lines: list[tuple[int, int, str]] = field(default_factory=list)
    """Address, line, file."""


@dataclass
class ReadDump:
    machine: int
    pid: int
    time: int
    functions: list[LoadedFunction]
    is_closed: bool


def read_jit_dump(path: Path) -> ReadDump:
    """Read a whole file; whatever the specification does not allow is an error."""
    data = path.read_bytes()
    magic, version, header_size, machine, padding, pid, time, flags = struct.unpack_from("=IIIIIIQQ", data)
    assert (magic, version, header_size, padding, flags) == (0x4A695444, 1, 40, 0, 0)
    functions: list[LoadedFunction] = []
    lines: list[tuple[int, int, str]] = []
    lines_for = None
    at, last_time, is_closed = header_size, time, False
    while at < len(data):
        kind, size, when = struct.unpack_from("=IIQ", data, at)
        body, at = data[at + 16 : at + size], at + size
        assert at <= len(data)
        assert when >= last_time
        assert not is_closed
        last_time = when
        if kind == 0:
            its_pid, tid, vma, address, code_size, number = struct.unpack_from("=IIQQQQ", body)
            name, code = body[40:].split(b"\0", 1)
            assert vma == address
            assert len(code) == code_size
            assert lines_for in (None, address)
            assert number not in [each.number for each in functions]
            functions.append(LoadedFunction(when, its_pid, tid, address, number, name.decode(), code, lines))
            lines, lines_for = [], None
        elif kind == 2:
            assert lines_for is None
            lines_for, count = struct.unpack_from("=QQ", body)
            rest = body[16:]
            for _ in range(count):
                address, line, discriminator = struct.unpack_from("=QII", rest)
                file, rest = rest[16:].split(b"\0", 1)
                assert discriminator == 0
                lines.append((address, line, file.decode()))
            assert rest == b""
        else:
            assert kind == 3
            assert body == b""
            is_closed = True
    assert lines_for is None
    return ReadDump(machine, pid, time, functions, is_closed)
