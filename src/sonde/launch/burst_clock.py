"""Bursts of programs with probes: a thread of ours switches these on and off, by a file that they have mapped."""

import mmap
import struct
import threading
import time
from pathlib import Path
from typing import NamedTuple, Self

from sonde.options.bursts import Bursts

BURSTS = "bursts"
"""Name of the file in the folder of the run: an `sn_bursts` of native/core/base/burst_page.h."""

_PAGE = 4096
_SWITCH, _LAYOUT = struct.Struct("=I"), struct.Struct("=IIQQQQ")
_SOON_S = 0.001
"""How often we look whether the program has begun."""


class LookedAt(NamedTuple):
    """How much of a run was looked at."""

    bursts: int
    looked_ns: int
    elapsed_ns: int
    """Since the first burst began."""


class BurstClock:
    """Switches the probes of the programs that run with a spool folder, as a context or from `begin` to `end`.

    Nothing runs in these: the word that their code looks at lies in memory that they share with us. A thread of ours
    keeps the time. A fork that becomes a program is made before `begin`, as a process that has had a thread stays
    different: the C library and C++ lock in it from then on.

    Args:
        folder: the spool folder. The file is there from now on, with the switch off.
        bursts: when it is on; None: there is nothing to switch.
    """

    def __init__(self, folder: Path, bursts: Bursts | None) -> None:
        self._thread: threading.Thread | None = None
        if bursts is None:
            return
        self._interval_ns, self._burst_ns = bursts.interval_ns, bursts.burst_ns
        path = folder / BURSTS
        path.write_bytes(bytes(_PAGE))
        with path.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), _PAGE)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sonde bursts", daemon=True)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self) -> None:
        """Begin to keep the time: the program itself begins the first burst."""
        if self._thread is not None:
            self._thread.start()

    def end(self) -> None:
        """Stop, if it has begun: what runs is not looked at any more."""
        if self._thread is not None and self._thread.ident is not None:
            self._is_over.set()
            self._thread.join()

    def _run(self) -> None:
        while not _LAYOUT.unpack_from(self._page)[2]:
            if self._is_over.wait(_SOON_S):
                return
        _, begun, first_ns, start_ns, looked_ns, _ = _LAYOUT.unpack_from(self._page)
        due_ns = first_ns
        is_over = False
        while not is_over:
            is_over = self._wait_until(start_ns + self._burst_ns)
            _SWITCH.pack_into(self._page, 0, 0)
            now_ns = time.monotonic_ns()
            looked_ns += now_ns - start_ns
            self._note(begun, first_ns, start_ns, looked_ns, now_ns)
            due_ns += (now_ns - due_ns) // self._interval_ns * self._interval_ns + self._interval_ns
            if is_over or self._wait_until(due_ns):
                break
            begun, start_ns = begun + 1, time.monotonic_ns()
            self._note(begun, first_ns, start_ns, looked_ns, start_ns)
            _SWITCH.pack_into(self._page, 0, begun)
        now_ns = time.monotonic_ns()
        self._note(begun, first_ns, start_ns, looked_ns, now_ns)

    def _note(self, begun: int, first_ns: int, start_ns: int, looked_ns: int, end_ns: int) -> None:
        struct.pack_into("=IQQQQ", self._page, 4, begun, first_ns, start_ns, looked_ns, end_ns)

    def _wait_until(self, due_ns: int) -> bool:
        """Whether it is over before."""
        return self._is_over.wait(max(0, due_ns - time.monotonic_ns()) / 1e9)


def read_looked_at(folder: Path) -> LookedAt | None:
    """What a run in bursts left in its spool folder, up to now; None: it had none."""
    try:
        data = (folder / BURSTS).read_bytes()
    except OSError:
        return None
    if len(data) < _LAYOUT.size:
        return None
    number, begun, first_ns, start_ns, looked_ns, end_ns = _LAYOUT.unpack_from(data)
    if number:  # it goes on
        end_ns = max(start_ns, end_ns)
    return LookedAt(begun, looked_ns, max(0, end_ns - first_ns))
