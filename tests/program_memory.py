"""What a program holds in memory at its end, compared between runs: its variables, and what it has allocated.

Both are at the same addresses in every run, since each is a fork of the same process and the heap goes on at one
place. What is free counts as zeros. Words that depend on what was on the stack (its addresses; what was never written,
as the padding of a structure) do not count: two runs of the program as it is, with stacks that differ, tell which.
Nor does what `setjmp` wrote.
"""

import ctypes
import mmap
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sonde.jit import Engine, LoadedCode
from sonde.jit.front_end import compile_file

_SOURCE = Path(__file__).parent / "memory_digest.c"
_ROOM = 64 << 20
"""Between the heap of the process that forks and that of the program."""
_MMAP_MAX, _TRIM_THRESHOLD = -4, -1


@cache
def _digesting() -> LoadedCode:
    return Engine().load("digest", [compile_file(_SOURCE).object(2)])


def noted_jumps() -> dict[str, int]:
    """What a program is given for `setjmp` and its like: they note the buffer, which does not count."""
    addresses = _digesting().addresses
    return {name.removeprefix("noted_"): at for name, at in addresses.items() if name.startswith("noted_")}


class _Plan(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64) for name in ("result", "heap", "dump", "variables", "ranges", "masked", "words")
    ]


@dataclass(slots=True)
class ProgramMemory:
    """The memory of one program's runs."""

    variables: list[tuple[str, int, int]]
    """Name, address, bytes."""
    heap: int
    masked: list[int] = field(default_factory=list)
    """Addresses of words that do not count."""
    words: int = 0
    """That are compared, and those."""

    @classmethod
    def of(cls, code: LoadedCode) -> "ProgramMemory":
        variables = sorted(
            (name, code.addresses[name], size)
            for name, size in code.sizes.items()
            if size and name in code.addresses and not name.startswith(("sonde.", "__dso"))
        )
        _digesting()
        here = ctypes.CDLL(None).sbrk
        here.restype, here.argtypes = ctypes.c_size_t, [ctypes.c_ssize_t]
        return cls(variables, (here(0) + _ROOM) & -(1 << 20))

    def prepare(self, page: mmap.mmap, dump: Path | None = None) -> Sequence[int]:
        """In the child: let its end leave a digest in the page at 64.

        Args:
            dump: a file for the memory itself.
        Returns:
            Constructors to be run before the program's own: they let its heap go on at its place.
        """
        process = ctypes.CDLL(None)
        ranges = [word for _, address, size in self.variables for word in (address, size)]
        listed = (ctypes.c_uint64 * len(ranges))(*ranges)
        masked = (ctypes.c_uint64 * (len(self.masked) + 1))(*self.masked)
        name = ctypes.create_string_buffer(str(dump).encode())
        plan = _Plan(
            ctypes.addressof(ctypes.c_char.from_buffer(page, 64)), self.heap, ctypes.addressof(name) if dump else 0,
            len(self.variables), ctypes.addressof(listed), len(self.masked), ctypes.addressof(masked),
        )  # fmt: skip
        _KEPT.extend((plan, listed, masked, name))
        process["__cxa_atexit"](ctypes.c_void_p(_digesting().addresses["leave_digest"]), ctypes.byref(plan), None)
        process.mallopt(_MMAP_MAX, 0)
        process.mallopt(_TRIM_THRESHOLD, 1 << 30)
        ctypes.c_uint64.from_address(_digesting().addresses["heap_begin"]).value = self.heap
        return [_digesting().addresses["begin_heap"]]

    def learn(self, first: Path, second: Path) -> None:
        """Take as masked what differs between two dumps of the program as it is."""
        one, two = first.read_bytes(), second.read_bytes()
        at, self.masked, self.words = 0, [], 0
        regions = [(address, size) for _, address, size in self.variables]
        regions.append((self.heap, min(len(one), len(two)) - sum(size for _, size in regions)))
        for address, size in regions:
            self.words += (size + 7) // 8
            if one[at : at + size] != two[at : at + size]:
                self.masked += [
                    address + word
                    for word in range(0, size, 8)
                    if one[at + word : min(at + word + 8, at + size)] != two[at + word : min(at + word + 8, at + size)]
                ]
            at += size


def left(page: mmap.mmap) -> tuple[int, int]:
    """The digest that a run left, and the bytes of its heap; zeros if it did not come to its end."""
    digest, size = struct.unpack_from("<QQ", page, 64)
    return digest, size


def go_below(go: Callable[[], None]) -> None:
    """Call a function on a stack that begins further down, on other garbage."""
    _KEPT.append(callback := ctypes.CFUNCTYPE(None)(go))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_digesting().addresses["go_below"])(ctypes.cast(callback, ctypes.c_void_p))


_KEPT: list[object] = []
