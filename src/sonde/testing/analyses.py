"""The contract of an analysis, see `sonde.instruments.contexts.analyses.Analysis`."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sonde.events import EventBatch, FunctionTable
from sonde.instruments.contexts.analyses import Analysis, ExactContexts
from sonde.instruments.contexts.profile import ContextProfile, read_profile, write_profile
from sonde.native import has_twins
from sonde.testing.docstrings import check_sections
from sonde.testing.streams import FUNCTIONS, calls_in, covered_ns, function_table, many_contexts, stream, unmatched_in
from sonde.testing.trees import check_bounds, identical, same

_CONTEXTS_PER_COUNTER = 3
"""More than that, callers of heavy contexts included, and memory is not what epsilon asks for."""
_MOST_CONTEXTS = 200_000
"""Half a million calls take a second."""

AnalysisFactory = Callable[[FunctionTable], Analysis]


def check_analysis(factory: AnalysisFactory) -> None:
    """Check every promise.

    Args:
        factory: what the registry lists; called with a function table, it makes an empty analysis.
    Raises:
        AssertionError: the first promise found broken.
    """
    for check in ANALYSIS_CHECKS.values():
        check(factory)


def _empty_stream(factory: AnalysisFactory) -> None:
    analysis = factory(function_table())
    for _ in range(2):
        profile = analysis.snapshot()
        profile.check_valid()
        assert len(profile.contexts) == 0, "without calls there are no contexts"
        assert profile.losses == (), "without calls nothing can be lost"
        analysis.update(EventBatch())


def _determinism(factory: AnalysisFactory) -> None:
    for events in _streams():
        assert identical(_profile(factory, events), _profile(factory, events)), "the same stream, another profile"


def _snapshot_does_not_mutate(factory: AnalysisFactory) -> None:
    for events in _streams():
        watched = factory(function_table())
        for part in events.split(50):
            watched.update(part)
            assert identical(watched.snapshot(), watched.snapshot()), "a snapshot changed the next one"
        assert identical(watched.snapshot(), _profile(factory, events)), "snapshots changed what came after them"


def _chunking(factory: AnalysisFactory) -> None:
    for events in _streams():
        whole = _profile(factory, events)
        for size in (1, 7, 64, len(events)):
            analysis = factory(function_table())
            for part in events.split(size):
                analysis.update(part)
            assert identical(analysis.snapshot(), whole), f"in batches of {size}, another profile"


def _weight_conserved_or_loss_reported(factory: AnalysisFactory) -> None:
    for events in _streams():
        profile = _profile(factory, events)
        profile.check_valid()
        lost = sum(loss.amount for loss in profile.losses)
        assert all(loss.amount > 0 and loss.detail for loss in profile.losses), "a loss has an amount and words"
        calls, total_ns, unmatched = calls_in(events), covered_ns(events), unmatched_in(events)
        assert profile.total_calls <= calls, f"{profile.total_calls} calls of {calls}"
        assert profile.total_ns <= total_ns, f"{profile.total_ns} ns of {total_ns}"
        if profile.total_calls < calls or (profile.has_time and profile.total_ns < total_ns) or unmatched:
            missing = max(calls - profile.total_calls, unmatched)
            assert lost >= max(1, missing), f"{missing} calls or ends are missing, the losses say {lost}"


def _save_and_load(factory: AnalysisFactory) -> None:
    for events in _streams():
        profile = _profile(factory, events)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "run.sonde"
            write_profile(path, profile)
            assert identical(read_profile(path), profile), "written and read, another profile"


def _merge_laws(factory: AnalysisFactory) -> None:
    parts = [stream(seed, first_thread=10 * seed, whole=seed < 3) for seed in range(4)]
    together = factory(function_table())
    exact = ExactContexts(function_table())
    for part in parts:
        together.update(part)
        exact.update(part)

    def of(number: int) -> Analysis:
        # Each knows the functions by other numbers, as other processes do.
        order = FUNCTIONS[number:] + FUNCTIONS[:number]
        renumbered = replace(parts[number], function=parts[number].function[:])
        for event, function in enumerate(parts[number].function):
            renumbered.function[event] = order.index(FUNCTIONS[function])
        analysis = factory(FunctionTable(order))
        analysis.update(renumbered)
        return analysis

    def agrees(analysis: Analysis, broken: str) -> None:
        profile = analysis.snapshot()
        profile.check_valid()
        if profile.approximation is None:
            assert same(profile, together.snapshot()), broken
        else:  # what is kept may depend on the order, that bounds hold may not
            check_bounds(profile, exact.snapshot())

    a, b, c, d = (of(number) for number in range(4))
    before = b.snapshot()
    a.merge(b)
    assert identical(b.snapshot(), before), "merging changed the other"
    c.merge(d)
    a.merge(c)
    agrees(a, "merged, another profile than from all calls together")
    turned = of(3)
    for number in (2, 1, 0):
        turned.merge(of(number))
    agrees(turned, "merged in another order, another profile")
    alone = a.snapshot()
    a.merge(factory(function_table()))
    assert same(a.snapshot(), alone), "merging with nothing changed something"


def _memory_within_bound(factory: AnalysisFactory) -> None:
    bounds = factory(function_table()).snapshot().approximation
    if bounds is None:
        return  # memory grows with the contexts, as the docstring's Cost has to say
    most = _CONTEXTS_PER_COUNTER * bounds.counters
    if most > _MOST_CONTEXTS:
        return  # would take too long to fill; that it holds for less is up to the analysis' own tests
    profile = _profile(factory, many_contexts(2 * most))
    assert len(profile.contexts) <= most, f"{len(profile.contexts)} contexts for {bounds.counters} counters"


def _twin_agreement(factory: AnalysisFactory) -> None:
    if not has_twins():
        return  # of a wheel; a build from source has them
    for events in _streams():
        with _core("native"):
            native = _profile(factory, events)
        with _core("python"):
            twin = _profile(factory, events)
        assert identical(native, twin), "the native core and its Python twin disagree"


def _docstring_sections(factory: AnalysisFactory) -> None:
    check_sections(factory, "Guarantee", "Cost", "Source")


def _unicode_names(factory: AnalysisFactory) -> None:
    batch = EventBatch()
    for number in range(len(FUNCTIONS)):
        batch.enter(thread=0, function=number, call_line=1, time_ns=number)
    profile = _profile(factory, batch)
    names = {profile.functions[function] for function in profile.contexts.function}
    assert names <= set(FUNCTIONS), f"functions that were not called: {names - set(FUNCTIONS)}"
    assert names == set(FUNCTIONS) or profile.losses, "functions are missing, and no loss says so"


ANALYSIS_CHECKS: dict[str, Callable[[AnalysisFactory], None]] = {
    "empty-stream": _empty_stream,
    "determinism": _determinism,
    "snapshot-does-not-mutate": _snapshot_does_not_mutate,
    "chunking": _chunking,
    "weight-conserved-or-loss-reported": _weight_conserved_or_loss_reported,
    "save-and-load": _save_and_load,
    "merge-laws": _merge_laws,
    "memory-within-bound": _memory_within_bound,
    "twin-agreement": _twin_agreement,
    "docstring-sections": _docstring_sections,
    "unicode-names": _unicode_names,
}


def _streams() -> Iterator[EventBatch]:
    for seed in range(3):
        yield stream(seed)
        yield stream(seed, whole=False)


def _profile(factory: AnalysisFactory, events: EventBatch) -> ContextProfile:
    analysis = factory(function_table())
    analysis.update(events)
    return analysis.snapshot()


@contextmanager
def _core(name: str) -> Iterator[None]:
    before = os.environ.get("SONDE_CORE")
    os.environ["SONDE_CORE"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["SONDE_CORE"]
        else:
            os.environ["SONDE_CORE"] = before
