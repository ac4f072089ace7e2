"""The worker as the shell sees it: started, asked, waited for, stopped; and how it ended, if it did."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Literal, cast

from sonde.instruments.vm.verb.shell.channel import Channel, Reply, Request, error_of
from sonde.instruments.vm.verb.shell.terminal_modes import TerminalModes

_LOOK_S = 0.1
"""How often to look whether the worker lives. Its end closes the socket, unless a process it forked has it too."""
_PATIENCE_S = 0.3
"""So long a program may take to die of Ctrl-C before it is thought to go on."""
_GRACE_S = 2.0
"""So long a worker may take to leave; nothing keeps it but its own exit."""


@dataclass(frozen=True, slots=True)
class StandardStreams:
    """What the worker's programs read and print to; None: as the shell itself."""

    stdin: int | None = None
    stdout: int | IO[str] | None = None


class WorkerEnded(Exception):
    """The worker is gone, and with it the programs it held."""

    def __init__(self, why: Literal["signal", "exit", "timeout", "interrupt"], number: int) -> None:
        """`number`: of the signal, or the exit code."""
        super().__init__(why, number)
        self.why = why
        self.number = number


class WorkerProcess:
    """A worker that runs, or has ended."""

    def __init__(self, bench: str, streams: StandardStreams, *, debug: bool = False) -> None:
        """Start it; it loads LLVM while the shell goes on.

        Args:
            bench: MODULE:CLASS of the workbench.
        """
        ours, theirs = socket.socketpair()
        self._modes = TerminalModes()
        command = [
            sys.executable,
            "-P",
            "-m",
            "sonde.instruments.vm.verb.shell.worker",
            str(theirs.fileno()),
            bench,
            str(os.getpid()),
            *(["--debug"] if debug else []),
        ]
        with theirs, _interrupts_ignored():
            self._process = subprocess.Popen(
                command, stdin=streams.stdin, stdout=streams.stdout, pass_fds=[theirs.fileno()]
            )
        self._channel = Channel(ours)
        self._is_ready = False
        self.crashed_in: str | None = None
        """Where a program crashed, the last time one did; None: not in code that was generated."""

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it is gone."""
        return self._process.poll() is not None

    def ending(self) -> WorkerEnded:
        """How it ended."""
        with suppress(EOFError, OSError):
            while self._channel.is_ready(0):
                self._read()
        code = self._process.wait()
        return WorkerEnded("signal", -code) if code < 0 else WorkerEnded("exit", code)

    def ask(
        self,
        request: Request,
        *,
        timeout_ns: int | None = None,
        on_interrupt: Callable[[], None] | None = None,
    ) -> Reply:
        """Let it do one command.

        Args:
            timeout_ns: stop it after so long.
            on_interrupt: called at the first Ctrl-C, which the terminal gives to the worker too; the second one stops
                it. None: the first one does.
        Raises:
            WorkerEnded: it ended, or was stopped.
            SondeError: what the worker says against the command.
        """
        with _counted_interrupts() as interrupts:
            if not self._is_ready:
                self._receive(interrupts, None, None)
                self._is_ready = True
            try:
                self._channel.send(request)
            except OSError:
                raise self._gone(interrupts) from None
            return self._receive(interrupts, timeout_ns, on_interrupt)

    def stop(self) -> None:
        """End it, whatever it does."""
        if not self.has_ended:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._channel.close()
        self._modes.restore()

    def close(self, *, is_busy: bool) -> None:
        """Let it end; `is_busy`: a program runs in it, which nobody waits for any more."""
        self._channel.close()
        if not is_busy:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE_S)
        self.stop()

    def _receive(self, interrupts: list[int], timeout_ns: int | None, on_interrupt: Callable[[], None] | None) -> Reply:
        deadline = None if timeout_ns is None else time.monotonic() + timeout_ns / 1e9
        seen = 0
        while True:
            left = _LOOK_S if deadline is None else max(0.0, min(_LOOK_S, deadline - time.monotonic()))
            is_ready = self._channel.is_ready(left)
            try:
                reply = self._read() if is_ready else None
            except EOFError:
                raise self._gone(interrupts) from None
            if reply is not None:
                return _checked(reply)
            if not is_ready and self.has_ended:
                raise self._gone(interrupts)
            if deadline is not None and time.monotonic() >= deadline:
                self.stop()
                raise WorkerEnded("timeout", signal.SIGKILL)
            if len(interrupts) > seen:
                if on_interrupt is None or seen:
                    self.stop()
                    raise WorkerEnded("interrupt", signal.SIGINT)
                seen = len(interrupts)
                # Ready is what has an answer, or has closed the socket as it died.
                if not self._channel.is_ready(_PATIENCE_S) and not self.has_ended:
                    on_interrupt()

    def _read(self) -> Reply | None:
        """Read what is there: the answer, if it is; what is told of a crash is kept."""
        answer: Reply | None = None
        for message in self._channel.receive_part():
            reply = cast("Reply", json.loads(message))
            if "crashed_in" in reply:
                self.crashed_in = reply["crashed_in"]
            else:
                answer = reply
        return answer

    def _ends_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _gone(self, interrupts: list[int]) -> WorkerEnded:
        """How it ended. One that only closed the socket is of no use any more, and is ended."""
        if not self._ends_within(_GRACE_S):
            self._process.send_signal(signal.SIGKILL)
        ended = self.ending()
        self.stop()
        if interrupts and ended.why == "signal" and ended.number == signal.SIGINT:
            return WorkerEnded("interrupt", signal.SIGINT)
        return ended


def _checked(reply: Reply) -> Reply:
    problem = reply.get("problem")
    if problem is not None:
        raise error_of(problem)
    return reply


@contextmanager
def _counted_interrupts() -> Iterator[list[int]]:
    """Ctrl-C only adds to the list: it must not come between the parts of what is done here."""
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A new process inherits this, so that Ctrl-C during its start does not make it print a traceback."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
