"""Hypothesis strategies for sonde's values: small, valid, and as odd as the type allows."""

import math
from array import array
from dataclasses import replace
from functools import cache
from operator import add

from hypothesis import strategies as st

from sonde.events import EventBatch
from sonde.instruments.contexts.profile import (
    FUNCTION_KINDS,
    NO_PARENT,
    Approximation,
    ContextProfile,
    Function,
    Loss,
    MeasuredProcess,
    Run,
    Sampling,
    contexts_from_self,
)

_ODD_TEXTS = (
    "",
    "main",
    "Parser.parse.<locals>.<lambda>",
    'a "quoted" name',
    "semi;colon",
    "two\nlines\r\n",
    "back\\slash",
    "naïve 名前 🎈",
    "trailing 12",
    "tab\there",
    "line\u2028separator",
)
_SURROGATES = ("caf\udce9.py", "\ud800")
_MAX_NS = 10**12
_MAX_LINE = 10**6
STREAM_FUNCTIONS = 64
"""Functions in streams of events are numbered below this."""


@cache
def texts(*, surrogates: bool = False) -> st.SearchStrategy[str]:
    """Names and paths: plain ones, and everything that some format has to escape.

    Args:
        surrogates: also lone surrogates, as Python has for undecodable file names.
    """
    odd = st.sampled_from(_ODD_TEXTS + (_SURROGATES if surrogates else ()))
    if surrogates:
        letters = st.characters(exclude_characters="\0", exclude_categories=())
    else:
        letters = st.characters(exclude_characters="\0", codec="utf-8")
    return odd | st.text(letters, max_size=8)


@cache
def functions(*, surrogates: bool = False) -> st.SearchStrategy[Function]:
    """Functions of every kind; builtins have neither file nor line."""

    def valid(function: Function) -> Function:
        if function.kind != "builtin":
            return function
        return Function(function.name, function.module, "", 0, "builtin")

    text = texts(surrogates=surrogates)
    lines = st.integers(1, _MAX_LINE)
    return st.builds(Function, text, text, text, lines, st.sampled_from(FUNCTION_KINDS)).map(valid)


def runs(clocks: st.SearchStrategy[str], text: st.SearchStrategy[str]) -> st.SearchStrategy[Run]:
    """Runs, complete or cut off."""
    return st.builds(
        Run,
        command=st.lists(text, max_size=3).map(tuple),
        started_at=st.just("") | st.datetimes().map(lambda moment: f"{moment.isoformat()}+00:00"),
        duration_ns=st.integers(0, _MAX_NS),
        ended=text,
        clock=clocks,
        machine=text,
        complete=st.booleans(),
    )


_SAMPLED_LINES = st.dictionaries(st.integers(0, _MAX_LINE), st.integers(1, 2**40), min_size=1, max_size=3)


@st.composite
def profiles(
    draw: st.DrawFn,
    *,
    max_contexts: int = 12,
    timed: bool | None = None,
    pruned: bool = True,
    surrogates: bool = False,
    approximate: bool = False,
) -> ContextProfile:
    """Valid profiles: empty ones, forests, recursion, zero weights, with and without time.

    Args:
        timed: only with (True) or without (False) times; None for both.
        pruned: also profiles that lack their lightest contexts, as `read_profile(heaviest=...)`
            gives.
        surrogates: also names that are not valid UTF-8; the profile file cannot hold those.
        approximate: also profiles with bounds, and sampled ones; their totals are more than what is listed.
    """
    text = texts(surrogates=surrogates)
    clocks = {None: ("none", "tsc", "monotonic"), True: ("tsc", "monotonic"), False: ("none",)}[timed]
    run = draw(runs(st.sampled_from(clocks), text))
    table = draw(st.lists(functions(surrogates=surrogates), min_size=1, max_size=5, unique=True))
    size = draw(st.integers(0, max_contexts))
    parent = [draw(st.integers(NO_PARENT, row - 1)) for row in range(size)]

    def column(values: st.SearchStrategy[int]) -> list[int]:
        return draw(st.lists(values, min_size=size, max_size=size))

    contexts = contexts_from_self(
        parent=parent,
        function=column(st.integers(0, len(table) - 1)),
        call_line=[0 if above == NO_PARENT else draw(st.integers(0, _MAX_LINE)) for above in parent],
        calls=column(st.integers(0, 3) | st.integers(0, 10**9)),
        self_ns=[0] * size if run.clock == "none" else column(st.integers(0, 3) | st.integers(0, _MAX_NS)),
    )
    profile = ContextProfile(
        functions=tuple(table),
        contexts=contexts,
        run=run,
        processes=tuple(draw(st.lists(_processes(text), max_size=2))),
        losses=tuple(draw(st.lists(_losses(text), max_size=2))),
        sources=draw(st.dictionaries(text, text, max_size=2)),
        line_samples=draw(st.dictionaries(st.sampled_from(table), _SAMPLED_LINES, max_size=2)),
    )
    if approximate and draw(st.booleans()):
        profile = draw(_approximate(profile))
    if approximate and draw(st.booleans()):
        profile = draw(_sampled(profile))
    if pruned and draw(st.booleans()):
        profile = without_lightest(profile, keep=draw(st.integers(0, size)))
    return profile


@st.composite
def streams(draw: st.DrawFn, *, threads: int = 3, first_thread: int = 0, max_phrases: int = 16) -> EventBatch:
    """Calls and returns of several threads: recursion, wide parents, ends that match nothing, open ends.

    Times are short or long, and now and then a clock steps back.
    """
    batch = EventBatch()
    small, dice = st.integers(0, 3), st.integers(0, 2**16)
    now = draw(st.integers(0, 2**40))
    phrase = st.tuples(st.integers(0, 9), st.integers(0, threads - 1), small | dice, small, small | dice, dice)
    for kind, number, function, line, pause, size in draw(st.lists(phrase, max_size=max_phrases)):
        thread = first_thread + number
        now += pause

        if kind < 4:
            _enter(batch, thread, function, line, now)
        elif kind < 7:
            batch.leave(thread=thread, time_ns=now, unwound=size % 2 == 1)
        elif kind == 7:  # recursion, some of it not left again
            for _ in range(size % 12):
                _enter(batch, thread, function, line, now)
                now += pause % 4
            for _ in range(size % 14):
                batch.leave(thread=thread, time_ns=now)
        elif kind == 8:  # many siblings, in a changing order
            for step in range(size % 40):
                _enter(batch, thread, function + step * (1 + size % 5), line, now)
                now += pause % 4
                batch.leave(thread=thread, time_ns=now)
        else:
            now = max(0, now - size)
    return batch


def without_lightest(profile: ContextProfile, *, keep: int) -> ContextProfile:
    """The same profile with only its `keep` heaviest contexts; totals still include the others."""
    weights, tree = profile.weights(), profile.contexts
    kept = sorted(sorted(range(len(tree)), key=lambda row: (-weights[row], row))[:keep])
    return replace(profile, contexts=tree.of_rows(kept), pruned_contexts=len(tree) - len(kept))


@st.composite
def _approximate(draw: st.DrawFn, profile: ContextProfile) -> ContextProfile:
    """The same values with bounds, and more in the totals than the contexts listed have."""
    tree, small = profile.contexts, st.integers(0, 3) | st.integers(0, 10**6)

    def column() -> list[int]:
        return draw(st.lists(small, min_size=len(tree), max_size=len(tree)))

    unlisted = contexts_from_self(
        parent=tree.parent,
        function=tree.function,
        call_line=tree.call_line,
        calls=column(),
        self_ns=column() if profile.has_time else [0] * len(tree),
    )
    contexts = replace(
        tree,
        total_calls=array("q", map(add, tree.total_calls, unlisted.total_calls)),
        total_ns=array("q", map(add, tree.total_ns, unlisted.total_ns)),
        error=array("q", column()) if len(tree) else (),
    )
    epsilon = draw(st.floats(1e-6, 0.5))
    bounds = st.builds(
        Approximation,
        metric=st.sampled_from(("time", "calls") if profile.has_time else ("calls",)),
        phi=st.floats(epsilon, 1.0),
        epsilon=st.just(epsilon),
        floor=small,
        counters=st.just(math.ceil(1 / epsilon)),
    )
    return replace(
        profile,
        contexts=contexts,
        approximation=draw(bounds),
        pruned_root_calls=draw(small),
        pruned_root_ns=draw(small) if profile.has_time else 0,
    )


@st.composite
def _sampled(draw: st.DrawFn, profile: ContextProfile) -> ContextProfile:
    """The same values, as if they were scaled up from bursts."""
    share, size = st.floats(0.0, 1.0), len(profile.contexts)
    burst_ns = draw(st.integers(1, 10**9))
    sampling = st.builds(
        Sampling,
        interval_ns=st.integers(burst_ns, 10**10),
        burst_ns=st.just(burst_ns),
        bursts=st.integers(0, 10**6),
        fraction=share,
        adaptive=st.none() | share,
    )
    deviations = st.lists(st.integers(0, 10**6), min_size=size, max_size=size).map(lambda values: array("q", values))
    contexts = profile.contexts
    if size:
        contexts = replace(contexts, calls_deviation=draw(deviations), ns_deviation=draw(deviations))
    return replace(profile, contexts=contexts, sampling=draw(sampling))


def _enter(batch: EventBatch, thread: int, function: int, line: int, now: int) -> None:
    batch.enter(thread=thread, function=function % STREAM_FUNCTIONS, call_line=line, time_ns=now)


def _processes(text: st.SearchStrategy[str]) -> st.SearchStrategy[MeasuredProcess]:
    count = st.integers(0, 10**6)
    mechanism = st.sampled_from(("cpython-monitoring", "cpython-eval-hook"))
    costs = st.just(()) | st.tuples(*[st.floats(0, 1e6)] * 4)
    return st.builds(
        MeasuredProcess, count, count, text, st.just("3.12.1"), mechanism, count, count, text, count, costs
    )


def _losses(text: st.SearchStrategy[str]) -> st.SearchStrategy[Loss]:
    return st.builds(Loss, st.just("contexts-not-stored"), st.integers(0, 10**6), text)
