"""What the agents left in a spool folder: one file of cells for each measured process."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sonde.base.errors import InputError
from sonde.base.process_state import is_alive
from sonde.launch import Refusal, refusals_in
from sonde.native import Spool, ticks_now

_MAGIC_BYTES = 8
_INNER = ("numba", "extension")
"""So begins how spools say that they saw calls below those of other spools."""
_CLOCKS = ("none", "tsc", "monotonic", "sampled")


@dataclass(frozen=True, slots=True)
class SpooledProcess:
    """The cells of one process, with what is needed to read times from them."""

    spool: Spool
    alive: bool
    """Whether the program was still running when this was read."""
    is_last: bool
    """Whether no later one has its process number, as a program has that another replaced itself by."""
    end_ticks: int
    """Tick up to which activations that had not ended are counted."""
    inner: tuple[Spool, ...] = ()
    """Of its threads that ran what was compiled in it, or compiled code that it loaded."""

    @property
    def is_replaced(self) -> bool:
        """Whether the program replaced itself by another (`os.exec*`)."""
        return bool(self.spool.replaced_ticks)

    @property
    def clock(self) -> str:
        """`none`, `tsc`, `monotonic` or `sampled`: another process has credited nanoseconds."""
        return _CLOCKS[self.spool.clock] if self.spool.clock < len(_CLOCKS) else "none"

    def ns_per_tick(self, known: float | None = None) -> float:
        """Nanoseconds per tick, from two readings of both clocks: at its start, and now.

        Args:
            known: the rate, when it was measured before (a reboot makes now useless).
        """
        if self.clock != "tsc":
            return 1.0
        if known:
            return known
        ticks, now_ns = ticks_now()
        elapsed = ticks - self.spool.start_ticks
        return (now_ns - self.spool.start_ns) / elapsed if elapsed > 0 else 0.0

    def ticks_at(self, moment_ns: int) -> int:
        """A moment by the clock of the spool; `moment_ns`: by that of `time.monotonic_ns`."""
        rate = self.ns_per_tick()
        passed = moment_ns - self.spool.start_ns
        return self.spool.start_ticks + round(passed / rate) if rate and passed > 0 else self.spool.start_ticks


@dataclass(frozen=True, slots=True)
class Recording:
    """A spool folder."""

    folder: Path

    def processes(self, *, ended_pid: int | None = None, ended_ns: int = 0) -> Iterator[SpooledProcess]:
        """The processes that counted calls, in order of their start.

        Args:
            ended_pid: process known to have ended.
            ended_ns: when it did, by the clock of `time.monotonic_ns`; 0: just now.
        Raises:
            InputError: a cell file cannot be read.
        """
        all_spools = self._spools()
        spools = [each for each in all_spools if not each.mechanism.startswith(_INNER)]
        inner = _by_process([each for each in all_spools if each.mechanism.startswith(_INNER)], spools)
        last = {spool.pid: spool for spool in spools}
        for place, spool in enumerate(spools):
            is_last = last[spool.pid] is spool
            ended_now = is_last and spool.pid == ended_pid
            is_over = ended_now or not is_last or bool(spool.replaced_ticks)
            alive = not is_over and is_alive(spool.pid)
            end = max(spool.end_ticks, spool.replaced_ticks, spool.last_ticks)
            process = SpooledProcess(spool, alive, is_last, end, tuple(inner.get(place, ())))
            if not (spool.end_ticks or spool.replaced_ticks) and (alive or ended_now):
                moment = process.ticks_at(ended_ns) if ended_now and ended_ns else _now(spool.clock)
                process = replace(process, end_ticks=max(end, moment - spool.taken_ticks))
            yield process

    def _spools(self) -> list[Spool]:
        spools = [spool for path in sorted(self.folder.glob("*.cells")) if (spool := _open(path)) and spool.pid]
        return sorted(spools, key=lambda spool: (spool.start_ns, spool.pid))

    def refusals(self) -> list[Refusal]:
        """Python processes that could not be measured, and why."""
        return [each._replace(reason=each.reason.partition("\n")[0]) for each in refusals_in(self.folder)]


def _by_process(inner: Sequence[Spool], outer: Sequence[Spool]) -> dict[int, list[Spool]]:
    """Spools of threads that ran compiled code in a process, by the place of that."""
    found = dict[int, list[Spool]]()
    for spool in inner:
        of = [place for place, each in enumerate(outer) if each.pid == spool.pid]
        # A program that replaced itself by another has a spool for each.
        begun = [place for place in of if outer[place].start_ns <= spool.start_ns]
        if of:
            found.setdefault((begun or of[:1])[-1], []).append(spool)
    return found


def _open(path: Path) -> Spool | None:
    """The spool of a process; None when it was killed before it had written the header."""
    try:
        with path.open("rb") as file:
            if not file.read(_MAGIC_BYTES).strip(b"\0"):
                return None
        return Spool(os.fsencode(path))
    except (ValueError, OSError) as error:
        raise InputError(
            f"cannot read spool '{path}': {error}",
            slug="corrupt-spool",
            hint="move it out of its folder to recover the other processes",
        ) from error


def _now(clock: int) -> int:
    ticks, now_ns = ticks_now()
    return ticks if _CLOCKS[clock : clock + 1] == ("tsc",) else now_ns
