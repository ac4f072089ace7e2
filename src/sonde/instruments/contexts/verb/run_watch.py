"""What is done while the program runs: its events are counted, the report is shown.

`--concurrent` counts here, in a process of our own, what the agents write into traces; what was counted is given
back to the file system. `--live` shows what is known so far, once a second.
"""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import InputError
from sonde.instruments.contexts.hotness import HotLimits
from sonde.launch import NowAndThen
from sonde.options.error_message import tell_error

if TYPE_CHECKING:
    # Loaded while the program runs.
    from sonde.instruments.contexts.analyses import RecordedContexts
    from sonde.instruments.contexts.profile import ContextProfile
    from sonde.instruments.contexts.report.terminal import LiveView

_DRAIN_EVERY_S = 0.05
"""Some megabytes of events at most between two drainings: they are still in memory then."""
_SHOW_EVERY_S = 1.0
TRACE = "events.trace"
"""Name of a trace that is not kept, in the folder of the run."""


class Draining:
    """Counts traces while they are being written.

    Args:
        trace: of the first process; others add their number to the name.
        hot: what to look for; None: everything.
        kept: whether the traces are wanted afterwards.
    """

    def __init__(self, trace: Path, hot: HotLimits | None, *, kept: bool) -> None:
        self._trace = trace
        self._hot = hot
        self._kept = kept
        self._contexts: dict[Path, RecordedContexts] = {}
        self._not_ours = set(trace.parent.iterdir())
        """What was there before: traces of earlier runs, perhaps. A trace that is damaged comes to it."""

    def drain(self, *, at_the_end: bool = False) -> None:
        """Count what is there, and give it back to the file system."""
        import re

        from sonde.instruments.contexts.analyses import RecordedContexts
        from sonde.trace import TraceReader

        ours = re.compile(re.escape(self._trace.name) + r"(\.\d+(-\d+)?)?")
        for path in sorted(self._trace.parent.iterdir()):
            if path in self._not_ours or not ours.fullmatch(path.name):
                continue
            try:
                if path not in self._contexts:
                    self._contexts[path] = RecordedContexts(TraceReader(path), self._hot)
                self._contexts[path].replay()
                if not self._kept:
                    self._contexts[path].forget()
            except InputError as error:
                # A trace that has only just been made has no header yet.
                if at_the_end or path in self._contexts:
                    self._not_ours.add(path)
                    tell_error(error)

    def put_into(self, profile: "ContextProfile") -> "ContextProfile":
        """The profile of the run with what was counted here, in place of what the agents counted."""
        from dataclasses import replace

        from sonde.instruments.contexts.profile import Run, merge_profiles

        parts = [contexts.snapshot(Run(clock=contexts.clock)) for contexts in self._contexts.values()]
        parts = [part for part in parts if len(part.contexts)]
        if not parts:
            return profile
        counted = parts[0] if len(parts) == 1 else merge_profiles(parts)
        return replace(counted, run=profile.run, processes=profile.processes, losses=profile.losses + counted.losses)


class RunWatch:
    """The chores of a run: draining, showing, or both.

    Args:
        snapshot: makes the profile of what is known so far; only for `live`.
    """

    def __init__(self, draining: Draining | None, snapshot: "SnapshotMaker | None") -> None:
        self._draining = draining
        self._snapshot = snapshot
        self._began = self._shown = time.monotonic()
        self._view: LiveView | None = None

    def chore(self) -> NowAndThen | None:
        """For `launch`; None when there is nothing to do."""
        if self._draining is None and self._snapshot is None:
            return None
        return NowAndThen(_SHOW_EVERY_S if self._draining is None else _DRAIN_EVERY_S, self._do)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._view is not None:
            self._view.close()

    def _do(self) -> None:
        if self._draining is not None:
            self._draining.drain()
        now = time.monotonic()
        if self._snapshot is not None and now - self._shown >= _SHOW_EVERY_S:
            self._shown = now
            self._show(now)

    def _show(self, now: float) -> None:
        assert self._snapshot is not None
        try:
            profile = self._snapshot()
        except (InputError, OSError):
            return  # the process has only just begun, or ends; the next time will do
        if not len(profile.contexts):
            return
        if self._view is None:
            from sonde.instruments.contexts.report.terminal import LiveView

            self._view = LiveView(sys.stderr)
        self._view.show(profile, round((now - self._began) * 1e9))


if TYPE_CHECKING:
    from collections.abc import Callable

    SnapshotMaker = Callable[[], ContextProfile]
