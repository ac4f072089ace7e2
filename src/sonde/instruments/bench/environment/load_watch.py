"""What changes on the machine while it is measured."""

import time
from collections.abc import Callable, Iterator

from sonde.base.word_lists import in_a_row
from sonde.evidence import Doubt
from sonde.instruments.bench.environment.machine import Machine
from sonde.instruments.bench.environment.processor_time import ProcessorTime, others_share, processor_time
from sonde.instruments.bench.environment.standing_doubts import CLOSE_OTHERS, tolerated_load

_SHORTEST_S = 1.0
"""The kernel counts in hundredths of a second; over less than this the tolerated load drowns in rounding."""
_STOLEN = 0.01
"""Share of the processors' time; what is stolen from one invocation is a large part of its own time then."""
_FREQUENCY_CHANGE = 0.1
"""Of what it was in the beginning; less than that, governors do all the time."""


class LoadWatch:
    """Looks at the machine between rounds.

    `look(round)` after each round gives the doubts about it, often none; `summary()` at the end gives one of each kind
    with all its rounds. Rounds shorter than a second are looked at together with those that follow.
    """

    def __init__(self, machine: Machine | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._machine = machine or Machine()
        self._clock = clock
        self._tolerated = tolerated_load(len(self._machine.online))
        self._rounds: dict[str, list[tuple[int, int]]] = {}
        self._worst: dict[str, float] = {}
        self._frequency = self._machine.frequency_khz
        self._first: int | None = None  # of the rounds that were not looked at
        self._start()

    def look(self, round_number: int) -> tuple[Doubt, ...]:
        """What was wrong since the last look, which was after the round before this one."""
        first = round_number if self._first is None else self._first
        elapsed = self._clock() - self._since
        if elapsed < _SHORTEST_S:
            self._first = first
            return ()
        span = (first, round_number)
        found = []
        for slug, amount in self._findings(elapsed):
            self._rounds.setdefault(slug, []).append(span)
            self._worst[slug] = max(self._worst.get(slug, 0.0), amount)
            found.append(_doubt(slug, amount, [span]))
        self._first = None
        self._start()
        return tuple(found)

    def summary(self) -> tuple[Doubt, ...]:
        """Each kind of doubt once, with the worst that was seen and the rounds in which it was."""
        return tuple(_doubt(slug, self._worst[slug], spans) for slug, spans in self._rounds.items())

    def _start(self) -> None:
        self._since = self._clock()
        self._time: ProcessorTime | None = processor_time(self._machine)
        self._throttled = self._machine.throttled

    def _findings(self, elapsed: float) -> Iterator[tuple[str, float]]:
        """Slugs, and how bad it is."""
        before, after = self._time, processor_time(self._machine)
        if before is not None and after is not None:
            busy = others_share(before, after, elapsed)
            if busy > self._tolerated:
                yield "busy-machine", busy
            total = after.total_s - before.total_s
            stolen = (after.stolen_s - before.stolen_s) / total if total > 0.0 else 0.0
            if stolen > _STOLEN:
                yield "stolen-time", stolen
        throttled = self._machine.throttled
        if throttled is not None and self._throttled is not None and throttled > self._throttled:
            yield "throttled", float(throttled - self._throttled)
        frequency = self._machine.frequency_khz
        if frequency is not None and self._frequency is not None:
            change = frequency / self._frequency - 1.0
            if abs(change) > _FREQUENCY_CHANGE:
                yield "frequency-changed", abs(change)


def _doubt(slug: str, amount: float, spans: list[tuple[int, int]]) -> Doubt:
    rounds = _in_words(spans)
    if slug == "busy-machine":
        text = f"other processes kept {amount:.1f} processors busy in {rounds}"
        return Doubt("busy-machine", text, hint=CLOSE_OTHERS)
    if slug == "stolen-time":
        text = f"the host of this virtual machine took {amount:.0%} of the processors' time in {rounds}"
        return Doubt("stolen-time", text, hint="measure when the host is quiet, or elsewhere")
    if slug == "throttled":
        text = f"processors were slowed down {amount:.0f} times because of heat in {rounds}"
        return Doubt("throttled", text, hint="let it cool down between rounds, or switch turbo off")
    text = f"the processor's frequency was {amount:.0%} off what it was in the beginning in {rounds}"
    return Doubt("frequency-changed", text, hint="sudo cpupower frequency-set --governor performance")


def _in_words(spans: list[tuple[int, int]]) -> str:
    """`round 3`, `rounds 3 and 7 to 9`."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    words = [str(first) if first == last else f"{first} to {last}" for first, last in merged]
    one = len(merged) == 1 and merged[0][0] == merged[0][1]
    return f"round{'' if one else 's'} " + in_a_row(words)
