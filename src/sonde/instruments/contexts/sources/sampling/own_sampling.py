"""Python stacks that processes sample themselves, by an agent in them, read from here while they run."""

import os
import threading
import time
from collections import deque
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Self

from sonde._native import MessageTrigger, RingSampler
from sonde.instruments.contexts.sources.sampling.stack_sampling import Target, version_text
from sonde.launch import StartHook, agent_folder, with_start_hook
from sonde.launch.refusals import Refusal, refusals_in

TRIGGERS = ("task-clock", "cycles", "timer", "sleep")
"""What makes a process take a sample, in the order of `sn_trigger` (native/sample_agent/agent.h)."""
MECHANISMS = ("immediate", "polling")
"""How it is taken."""
_HOOK = Path(__file__).with_name("start_hook.py")
_DRAIN_S = 0.01
"""How often samples are fetched."""
_SEND_NS = 5_000_000
"""So long signals are sent without a thought of processes that have come."""
_LEAST_RING, _LARGEST_RING = 1 << 18, 1 << 22
_STACK_BYTES = 700
"""Of a stack of 40 frames. A ring has room for half a second of them."""
_CYCLES_A_SECOND = 3_000_000_000
"""What a rate is translated to in cycles: processors differ, and change their speed."""
_OFF_BEAT_NS = 3
"""A period is this much longer than asked for, so that it does not keep step with what a program does every 1 ms."""

_ADDED, _NOT_READY = 0, 1
"""`sn_ring_result`: it is read, it is being made."""


class RingState(IntEnum):
    """Why a process is not sampled any more: `sn_ring_state`."""

    RUNS = 0
    ENDED = 1
    REPLACED = 2
    TAKEN = 3
    BLOCKED = 4
    STOPPED = 5
    CLOSED = 6


class OwnSamplingPlan(NamedTuple):
    """How processes sample themselves."""

    mechanism: str
    """Of MECHANISMS."""
    trigger: str
    """Of TRIGGERS."""
    period_ns: int
    """Processor time of a thread from one sample to the next."""
    apart: bool = False
    """Whether each thread has a tree of its own."""
    follow: bool = False
    """Whether children and Python processes that are started sample themselves, too."""
    for_ns: int | None = None
    """How long; None: until they end."""


class OwnSampling:
    """Lets a program that is started sample its own stacks, and reads the samples in a thread of ours.

    Args:
        folder: for the rings; of ours alone, and empty.
    """

    @property
    def sampler(self) -> Self:
        """What was seen: this object has the methods of StackSampler that tell it."""
        return self

    @property
    def period_ns(self) -> int:
        """Asked for, from one sample of a thread to the next."""
        return self.plan.period_ns

    @property
    def mechanism(self) -> str:
        """`immediate, task-clock`."""
        return f"{self.plan.mechanism}, {self.plan.trigger}"

    def __init__(self, plan: OwnSamplingPlan, folder: Path) -> None:
        self.plan = plan
        self.is_processor, self.of_lock = True, False
        self.rings = RingSampler(plan.apart)
        self.began_at = 0.0
        """Seconds since the epoch."""
        self._folder = folder
        self.began_ns = self.ended_ns = 0
        """Of the monotonic clock."""
        self._known: set[Path] = set()
        self._alive: dict[int, Path] = {}
        """By the number of its ring: processes that may still write."""
        self._is_over = threading.Event()
        self._messages = MessageTrigger(plan.period_ns) if plan.trigger == "sleep" else None
        self._to_be_told: deque[Path] = deque()
        """Rings of processes that signals are to be sent to."""
        self._sender = threading.Thread(target=self._send, name="sonde trigger", daemon=True)
        self._thread = threading.Thread(target=self._read, name="sonde samples", daemon=True)

    def environment(self) -> dict[str, str]:
        """The environment in which a Python samples itself from its start.

        Raises:
            MissingCapability: `no-agent`.
        """
        plan = self.plan
        period = plan.period_ns + _OFF_BEAT_NS
        if plan.trigger == "cycles":
            period = period * _CYCLES_A_SECOND // 1_000_000_000
        fields = (
            str(TRIGGERS.index(plan.trigger)),
            str(period),
            str(_ring_bytes(plan.period_ns)),
            "1" if plan.mechanism == "polling" else "",
        )
        package = agent_folder("sonde._sample_agent")
        return with_start_hook(os.environ, StartHook(_HOOK, self._folder, fields, plan.follow, package))

    def begin(self) -> None:
        """Begin to read. The program starts now."""
        self.began_at, self.began_ns = time.time(), time.monotonic_ns()
        self._thread.start()
        if self._messages is not None:
            self._sender.start()

    def end(self) -> None:
        """Read what is left, and stop. The program has ended."""
        self._is_over.set()
        if self._messages is not None and self._sender.ident is not None:
            self._messages.stop()
            self._sender.join()
        if self._thread.ident is not None:
            self._thread.join()
        self._look_for_rings()
        self._drain()
        self.ended_ns = time.monotonic_ns()

    def wait(self, seconds: float) -> None:
        """Let it be read for so long."""
        self._is_over.wait(seconds)

    @property
    def targets(self) -> list[Target]:
        """Processes in the order in which they were found."""
        return [
            Target(pid, version_text(version), threads, state != RingState.RUNS, stacks, command)
            for pid, version, threads, state, stacks, command in self.rings.processes()
        ]

    @property
    def states(self) -> list[RingState]:
        """Of the same processes."""
        return [RingState(state) for _, _, _, state, _, _ in self.rings.processes()]

    def refusals(self) -> list[Refusal]:
        """Processes that could not sample themselves, and why."""
        return refusals_in(self._folder)

    def functions(self) -> list[tuple[str, str, int, int, float]]:
        """As of StackSampler; so are the next ones."""
        return self.rings.functions()

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """See above."""
        return self.rings.columns()

    def lines(self) -> list[tuple[int, int, int]]:
        """See above."""
        return self.rings.lines()

    def threads(self) -> list[tuple[int, int, int, int]]:
        """See above; moments are of the threads' processor time."""
        return self.rings.threads()

    def tasks(self) -> list[tuple[int, bool, str]]:
        """See above; they are not told apart."""
        return []

    def sums(self) -> dict[str, int]:
        """See above. What is between the first look and the last is processor time."""
        of = self.rings.sums()
        return {
            "rounds": of["samples"],
            "looks": of["signals"],
            "late": 0,
            "stacks": of["stacks"],
            "still": 0,
            "torn": 0,  # those are told apart (`own_losses`)
            "cut": 0,
            "too_deep": of["too_deep"],
            "without_room": of["unknown"],
            "first_ns": 0,
            "last_ns": of["covered_ns"],
        }

    def _read(self) -> None:
        while not self._is_over.wait(_DRAIN_S):
            self._look_for_rings()
            self._drain()
            if self.plan.for_ns is not None and time.monotonic_ns() - self.began_ns >= self.plan.for_ns:
                self.rings.stop()  # those that came meanwhile, too

    def _send(self) -> None:
        assert self._messages is not None
        while not self._is_over.is_set():
            while self._to_be_told:
                self._messages.add(os.fsencode(self._to_be_told.popleft()))
            self._messages.run(_SEND_NS)

    def _look_for_rings(self) -> None:
        for path in self._folder.glob("*.samples"):
            if path not in self._known:
                result = self.rings.add(os.fsencode(path))
                if result == _ADDED:
                    self._to_be_told.append(path)
                    self._alive[len(self.rings.processes()) - 1] = path
                if result != _NOT_READY:
                    self._known.add(path)

    def _drain(self) -> None:
        """Read what there is, and let go of the rings of processes that have ended."""
        pids = [pid for pid, *_ in self.rings.processes()]
        ended = [number for number in self._alive if not Path(f"/proc/{pids[number]}").exists()]
        self.rings.drain()
        for number in ended:  # what was drained is all that they have left
            self.rings.release(number)
            self._known.discard(self._alive[number])
            self._alive.pop(number).unlink(missing_ok=True)


def _ring_bytes(period_ns: int) -> int:
    wanted = _STACK_BYTES * 500_000_000 // period_ns
    return min(max(1 << wanted.bit_length(), _LEAST_RING), _LARGEST_RING)
