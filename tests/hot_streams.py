"""Streams of calls that are hard for a summary of few counters: generated ones, and adversaries."""

import random

from hypothesis import strategies as st

from sonde.events import ENTER, FOUND, LEAVE, LOST, UNWIND, EventBatch

FUNCTIONS = 512
"""Functions are numbered below this."""
_FEW = 8

_Phrase = tuple[int, int, int, int, int]
"""What, thread, function, line, pause."""


def hot_streams(*, max_events: int = 60) -> st.SearchStrategy[EventBatch]:
    """Every kind of event in any order, on few functions, so that contexts come back."""
    dice = st.integers(0, 9)
    return st.lists(st.tuples(dice, dice, dice, dice, dice), max_size=max_events).map(_stream)


def random_stream(seed: int, events: int) -> EventBatch:
    """One of the same streams, by a number: many of them in short time."""
    choose = random.Random(seed)
    return _stream([tuple(choose.randrange(10) for _ in range(5)) for _ in range(events)])  # type: ignore[misc]


def _stream(phrases: list[_Phrase]) -> EventBatch:
    batch = EventBatch()
    now = 1000
    for what, thread, function, line, pause in phrases:
        now += (0, 0, 1, 1, 1, 2, 3, 5, 20, -4)[pause]
        kind = (ENTER, ENTER, ENTER, ENTER, LEAVE, LEAVE, LEAVE, UNWIND, FOUND, LOST)[what]
        number = (0, 0, 0, 0, 0, 0, 1, 1, 1, 2)[thread]
        if kind == ENTER:
            batch.enter(thread=number, function=function % _FEW, call_line=line // 7, time_ns=now)
        elif kind == FOUND:
            batch.found(thread=number, function=function % _FEW, call_line=line // 7, time_ns=now)
        elif kind == LOST:
            batch.lost(thread=number, time_ns=now)
        else:
            batch.leave(thread=number, time_ns=now, unwound=kind == UNWIND)
    return batch


def round_robin(contexts: int, rounds: int, *, weight_ns: int = 1) -> EventBatch:
    """All contexts in turn: with one counter too few, each of them makes way before it comes back."""
    batch, now = EventBatch(), 0
    batch.enter(thread=0, function=0, call_line=0, time_ns=now)
    for turn in range(rounds * contexts):
        now = _call(batch, 1 + turn % contexts, now, weight_ns)
    return batch


def one_shots(hot: int, every: int, events: int) -> EventBatch:
    """A few hot contexts among contexts that are called once and never again, `every` of them each time."""
    batch, now = EventBatch(), 0
    batch.enter(thread=0, function=0, call_line=0, time_ns=now)
    for turn in range(events):
        now = _call(batch, 1 + turn % hot, now, 10)
        for once in range(every):
            now = _call(batch, 100 + turn * every + once, now, 1)
    return batch


def shifting_phases(phases: int, contexts: int, rounds: int) -> EventBatch:
    """What is hot changes from phase to phase, and comes back in the last."""
    batch, now = EventBatch(), 0
    batch.enter(thread=0, function=0, call_line=0, time_ns=now)
    for phase in (*range(phases), 0):
        batch.enter(thread=0, function=1 + phase, call_line=phase, time_ns=now)
        for turn in range(rounds * contexts):
            now = _call(batch, 100 + turn % contexts, now, 1 + turn % 7)
        batch.leave(thread=0, time_ns=now)
    return batch


def deep_recursion(depth: int, times: int) -> EventBatch:
    """Deeper than a small tree has nodes, again and again, with a hot leaf beside it."""
    batch, now = EventBatch(), 0
    for _ in range(times):
        for _ in range(10):
            now = _call(batch, 5, now, 3)
        for _ in range(depth):
            batch.enter(thread=0, function=1, call_line=1, time_ns=now)
            now += 1
        for _ in range(depth):
            batch.leave(thread=0, time_ns=now)
            now += 1
    return batch


def _call(batch: EventBatch, function: int, now: int, weight_ns: int) -> int:
    batch.enter(thread=0, function=function, call_line=0, time_ns=now)
    batch.leave(thread=0, time_ns=now + weight_ns)
    return now + weight_ns


ADVERSARIES: dict[str, EventBatch] = {
    "round robin over one too many": round_robin(5, 30),
    "round robin over twice as many": round_robin(8, 20, weight_ns=3),
    "one-shot contexts": one_shots(3, 4, 40),
    "shifting phases": shifting_phases(4, 6, 5),
    "deep recursion": deep_recursion(12, 5),
}
