"""Streams of calls to check analyses with: the same on every machine, and as odd as programs are."""

import random

from sonde.events import ENTER, EventBatch, Function, FunctionTable

FUNCTIONS = (
    Function("main", "app", "app.py", 1),
    Function("Parser.parse", "app.parser", "/src/app/parser.py", 12),
    Function("naïve.名前.🎈", "módulo", "/srç/名前.py", 7),
    Function("<lambda>", "app", "app.py", 30, "lambda"),
    Function("len", "builtins", "", 0, "builtin"),
    Function("two\nlines", "semi;colon", 'quo"ted\\.py', 1),
    Function("app", "app", "app.py", 1, "module"),
    *(Function(f"many_{number}", "app.many", "many.py", number) for number in range(1, 40)),
)
"""Functions of every kind, with names that need escaping, enough for parents with many children."""


def function_table() -> FunctionTable:
    """A table of its own with all of `FUNCTIONS`."""
    return FunctionTable(FUNCTIONS)


def stream(seed: int, *, events: int = 600, first_thread: int = 0, whole: bool = True) -> EventBatch:
    """A stream of random calls on three threads: recursion, many siblings, exceptions.

    Args:
        whole: every call ends, and every end has a call; otherwise some are cut off on either side.
    """
    choose = random.Random(seed)
    batch = EventBatch()
    depth = [0, 0, 0]
    now = choose.randrange(10**9)
    for _ in range(events):
        thread = choose.randrange(3)
        now += choose.choice((0, 1, 7, 1000))
        if depth[thread] < 40 and choose.random() < (0.6 if depth[thread] < 4 else 0.45):
            function = choose.randrange(3) if depth[thread] % 5 else choose.randrange(len(FUNCTIONS))
            batch.enter(thread=first_thread + thread, function=function, call_line=choose.randrange(4), time_ns=now)
            depth[thread] += 1
        elif depth[thread] or not whole:
            batch.leave(thread=first_thread + thread, time_ns=now, unwound=choose.random() < 0.2)
            depth[thread] = max(0, depth[thread] - 1)
    for thread in range(3 if whole else 0):
        for _ in range(depth[thread]):
            now += 3
            batch.leave(thread=first_thread + thread, time_ns=now)
    return batch


def many_contexts(count: int) -> EventBatch:
    """A stream with so many contexts, none of them heavier than the others."""
    batch = EventBatch()
    functions, now = len(FUNCTIONS), 0
    for number in range(count // functions + 1):
        batch.enter(thread=0, function=number % functions, call_line=number // functions, time_ns=now)
        for function in range(functions):
            batch.enter(thread=0, function=function, call_line=1, time_ns=now)
            now += 7
            batch.leave(thread=0, time_ns=now)
        batch.leave(thread=0, time_ns=now)
    return batch


def calls_in(batch: EventBatch) -> int:
    """How many calls a stream has."""
    return sum(kind == ENTER for kind in batch.kind)


def covered_ns(batch: EventBatch) -> int:
    """Thread time during which something ran; clocks must not step back."""
    covered = 0
    depth: dict[int, int] = {}
    last: dict[int, int] = {}
    for kind, thread, now in zip(batch.kind, batch.thread, batch.time_ns, strict=True):
        if depth.get(thread):
            covered += now - last[thread]
        last[thread] = now
        depth[thread] = depth.get(thread, 0) + 1 if kind == ENTER else max(0, depth.get(thread, 0) - 1)
    return covered


def unmatched_in(batch: EventBatch) -> int:
    """How many ends a stream has whose call is not in it."""
    depth: dict[int, int] = {}
    unmatched = 0
    for kind, thread in zip(batch.kind, batch.thread, strict=True):
        open_calls = depth.get(thread, 0)
        unmatched += kind != ENTER and not open_calls
        depth[thread] = open_calls + 1 if kind == ENTER else max(0, open_calls - 1)
    return unmatched
