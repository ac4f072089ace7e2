"""What every source offers. There are two kinds: those that count where the calls are, and those
that hand calls on."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

from sonde.events import EventBatch, FunctionTable
from sonde.launch import Outcome


@runtime_checkable
class SpoolSource(Protocol):
    """Runs a program with an agent inside that counts; what it counted is in a spool folder."""

    def unavailable(self) -> str | None:
        """Why it cannot run with this interpreter or machine; None when it can."""
        ...

    def run_into_spool(self, argv: tuple[str, ...], spool: Path) -> Outcome:
        """Run `argv` to its end, undisturbed; leave cell files in the folder, which exists."""
        ...


@runtime_checkable
class EventSource(Protocol):
    """Runs a program and hands its calls on, in batches, to any analysis."""

    def unavailable(self) -> str | None:
        """Why it cannot run with this interpreter or machine; None when it can."""
        ...

    def run_through(
        self, argv: tuple[str, ...], functions: FunctionTable, update: Callable[[EventBatch], None]
    ) -> Outcome:
        """Run `argv` to its end, undisturbed; number its functions in `functions`, pass its calls to `update`."""
        ...


Source = SpoolSource | EventSource
