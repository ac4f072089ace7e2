"""Running a generator once, whoever asks, and not waiting for it forever."""

import os
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

from sonde.base.errors import SondeError
from sonde.base.units import format_duration
from sonde.osr.refusals import Refused

OnFailure = Callable[[str], None]


@dataclass(slots=True, eq=False)
class _Run:
    """One run of the generator, for one value."""

    deadline: float
    done: threading.Event = field(default_factory=threading.Event)
    address: int = 0
    is_late: bool = False


class Generation:
    """The targets of a point, by value: each is made once; threads that ask meanwhile wait."""

    def __init__(
        self,
        make: Callable[[int | None], int],
        *,
        has_value: bool,
        most: int,
        timeout_s: float,
        failed: OnFailure,
    ) -> None:
        """
        Args:
            make: makes the target for a value, and returns its address; may raise anything.
            most: so many values have targets at most.
            timeout_s: from the first time that a target is asked for.
            failed: told why there is no target.
        """
        self.has_value = has_value
        self._make = make
        self._most = most
        self._timeout_s = timeout_s
        self._failed = failed
        self._lock = threading.Lock()
        self._runs: dict[int, _Run] = {}
        _ALL.add(self)

    def ask(self, value: int) -> int:
        """The address of the target for a value; 0: go on where you are. Never raises."""
        key = value if self.has_value else 0
        with self._lock:
            run = self._runs.get(key)
            is_new = run is None and len(self._runs) < self._most
            if is_new:
                run = self._runs[key] = _Run(time.monotonic() + self._timeout_s)
        if run is None:
            return 0
        if is_new:
            threading.Thread(target=self._work, args=(run, key), name="sonde-osr", daemon=True).start()
        if not run.is_late and not run.done.wait(max(0.0, run.deadline - time.monotonic())):
            with self._lock:
                tells, run.is_late = not run.is_late, True
            if tells:
                took = format_duration(round(self._timeout_s * 1e9))
                self._failed(f"has made nothing in {took}, which is its time")
        return run.address if run.done.is_set() else 0

    def forget_unfinished(self) -> None:
        """In a child after a fork, where the threads that worked are not: let their work begin anew."""
        self._lock = threading.Lock()
        self._runs = {key: run for key, run in self._runs.items() if run.done.is_set()}

    def _work(self, run: _Run, key: int) -> None:
        try:
            run.address = self._make(key if self.has_value else None)
        except BaseException as error:  # noqa: BLE001 - the program goes on whatever a generator does
            self._failed(_told(error))
        finally:
            run.done.set()


_ALL: "weakref.WeakSet[Generation]" = weakref.WeakSet()


def _after_fork() -> None:
    for each in list(_ALL):
        each.forget_unfinished()


os.register_at_fork(after_in_child=_after_fork)


def _told(error: BaseException) -> str:
    """An error in a few words."""
    if isinstance(error, SondeError):
        return f"failed: {error.message}"
    if isinstance(error, Refused):
        return f"led to where nobody can go on: {error.detail} ({error.reason})"
    return f"raised {type(error).__name__}: {error}"
