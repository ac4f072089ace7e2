"""`sonde sample --live`: what is seen, while it is being seen; keys choose what of it."""

import os
import sys
import time
from collections import deque
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sonde.instruments.contexts.sources.sampling import StackSampling, StackSnapshot, Target
from sonde.instruments.contexts.verb.terminal_keys import TerminalKeys

if TYPE_CHECKING:  # loaded while there is looking already
    from sonde.instruments.contexts.live import StacksPage, StackSums, Subject
    from sonde.render.terminal.live_block import LiveBlock

_RECENT_S = 3.0
"""Long enough for a thousand stacks at any usual rate, short enough to see what a program does now."""
_SHOW_EVERY_S = 1.0
_FIRST_S = (0.2, 0.5)
"""When pages come after the first one, which comes at once: one need not wait for a second to see something."""
_RETRY_S = 0.01
"""Where nothing was seen yet."""
_PART_OF_TIME = 10
"""Drawing takes one part in so many of a processor at most."""


class SampledLive:
    """The page on the terminal. Use it as a context manager, which leaves the terminal as it was.

    Args:
        sampling: with its threads kept apart.
        what: is looked at: `cpu`, `wall`, `gil` or `tasks`.
        subject: what is shown first.
        is_alone: whether nothing else is printed meanwhile, and no program reads from the terminal.
    """

    CHORE_S = 0.05
    """How often keys are asked for when something else is done meanwhile."""

    def __init__(self, sampling: StackSampling, what: str, subject: "Subject", *, is_alone: bool) -> None:
        self._sampling = sampling
        self._what, self._subject = what, subject
        self._is_alone = is_alone
        self._by_whole = self._is_paused = self.has_ended = False
        self._block: LiveBlock | None = None
        self._keys: TerminalKeys | None = None
        self._open = ExitStack()
        self._moments: deque[StackSums] = deque()
        self._page: StacksPage | None = None
        self._next = 0.0

    def __enter__(self) -> Self:
        file = self._terminal()
        if file is not None and sys.stderr.isatty() and TerminalKeys.are_ours(file):
            self._keys = self._open.enter_context(TerminalKeys(file, self.hide))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hide()
        self._open.close()

    def hide(self) -> None:
        """Take the page away; the next step draws it anew."""
        if self._block is not None:
            self._block.close()

    def watch(self) -> None:
        """Show pages until nothing is looked at any more, or somebody has seen enough."""
        import sonde.instruments.contexts.live  # noqa: F401  while the first stacks are being seen

        while not self.has_ended and not self._sampling.wait(0):
            self.step(0.02)

    def step(self, seconds: float = 0.0) -> None:
        """Do what a key asks for, and draw if it is time.

        Args:
            seconds: to wait for a key.
        """
        if self.has_ended:
            return
        if self._keys is None:
            time.sleep(seconds)
        elif key := self._keys.read(seconds):
            self._do(key)
        now = time.monotonic()
        if self._is_paused or now < self._next:
            return
        is_first, began = self._block is None, time.thread_time()
        if not self._look():
            self._next = now + _RETRY_S
            return
        self._draw()
        took = 0.0 if is_first else time.thread_time() - began  # modules are loaded once only
        first = next((s for s in _FIRST_S if self._began + s > now), None)
        self._next = max(self._began + first if first else now + _SHOW_EVERY_S, now + _PART_OF_TIME * took)

    @property
    def _began(self) -> float:
        return self._sampling.began_ns / 1e9

    def _terminal(self) -> int | None:
        """Where keys come from. What a program may read is not taken away from it."""
        if self._is_alone:
            return sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
        if sys.stdin is not None and sys.stdin.isatty():
            return None
        try:
            file = os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        self._open.callback(os.close, file)
        return file

    def _do(self, key: str) -> None:
        from sonde.instruments.contexts.live import SUBJECTS

        for subject in SUBJECTS:
            if key == subject[0]:
                self._subject = subject
        if key == "q":
            self.has_ended = True
            self.hide()
            return
        if key == "s":
            self._by_whole = not self._by_whole
        if key in ("p", " "):
            self._is_paused = not self._is_paused
        self._draw()

    def _look(self) -> bool:
        """Take in what was seen; whether there is anything."""
        snapshot = self._sampling.snapshot()
        if snapshot is None or not snapshot.told_sums["stacks"]:
            return False
        self._moments.append(self._sums(snapshot))
        while len(self._moments) > 2 and self._moments[-1].seen_ns - self._moments[1].seen_ns >= _RECENT_S * 1e9:
            self._moments.popleft()
        return True

    def _sums(self, snapshot: StackSnapshot) -> "StackSums":
        from sonde.instruments.contexts.live import seen_threads, stack_sums
        from sonde.instruments.contexts.profile import Run
        from sonde.instruments.contexts.verb.sampled_run import processes_of, seen_contexts, time_kind_of

        processes = processes_of(self._sampling)
        run = Run(time_kind=time_kind_of(self._sampling))
        profile = seen_contexts(self._sampling, snapshot, run)
        pids = [process.pid for process in processes]
        threads = seen_threads(snapshot.columns(), snapshot.threads(), snapshot.tasks(), pids)
        sums = snapshot.sums()
        return stack_sums(profile, threads, sums["last_ns"], sums["stacks"])

    def _draw(self) -> None:
        from sonde.instruments.contexts.live import StacksPage
        from sonde.render.terminal.live_block import LiveBlock

        if not self._moments:
            return
        if self._block is None:
            self._block = LiveBlock(sys.stderr, is_high=self._is_alone)
        whole, first = self._moments[-1], self._moments[0]
        began = self._sampling.began_ns
        recent = whole.since(first) if whole is not first else whole._replace(seen_ns=whole.seen_ns - began)
        targets = self._sampling.targets
        title = _title(targets)
        page = StacksPage(
            whole,
            recent,
            whole.seen_ns - began,
            title,
            self._what,
            self._subject,
            by_whole=self._by_whole,
            is_paused=self._is_paused,
            has_keys=self._keys is not None,
        )
        self._block.draw(page.lines, page.summary)


def _title(targets: list[Target]) -> str:
    """`pid 4711 python server.py`: what is looked at."""
    if not targets:
        return ""
    command, _, others = targets[0].command.partition(" ")
    said = f"pid {targets[0].pid} {command.rpartition('/')[2]} {others}".rstrip()
    return said if len(targets) == 1 else f"{len(targets)} processes, {said}"
