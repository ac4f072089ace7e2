"""What runs took by function, for comparisons of groups of them. Needs the extra `sonde[bench]`, as these do."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sonde.base.errors import InputError, UsageError
from sonde.code import CodeSelection, Function
from sonde.groups import GroupFigures, Measure, RunFigures
from sonde.instruments.contexts.profile.approximation import Metric
from sonde.instruments.contexts.profile.comparison.clocks import check_clocks
from sonde.instruments.contexts.profile.comparison.counted_calls import check_calls
from sonde.instruments.contexts.profile.comparison.yardstick import Normalise
from sonde.instruments.contexts.profile.context_profile import ContextProfile
from sonde.instruments.contexts.profile.focus import focus_on
from sonde.instruments.contexts.profile.function_totals import FunctionTotals, function_totals
from sonde.instruments.contexts.profile.profile_file import read_function_totals, read_profile
from sonde.instruments.contexts.profile.selected_code import fold_imports, no_contexts_left
from sonde.instruments.contexts.profile.stand_ins import IMPORTS

_IMPORTING = replace(IMPORTS, name="importing modules")
"""So that a sentence can say that it is slower."""


def read_figures(
    paths: Sequence[Path],
    *,
    metric: Metric | None = None,
    normalise: Normalise = "none",
    min_change: float = 0.005,
    min_share: float = 0.0,
    selection: CodeSelection | None = None,
    from_: str | None = None,
    imports: bool = False,
) -> GroupFigures:
    """Own values of all functions of several runs.

    Args:
        metric: time when all have it, when not given.
        normalise: `total` makes values shares of each run; `calls` is for two runs only.
        min_share: functions with less of all runs are not looked at.
        selection: functions to look at; all when not given. Totals are of the whole run.
        from_: only what ran in functions of this name.
        imports: whether functions that ran while modules were imported are told apart; else imports are one.
    Raises:
        InputError: a profile cannot be read, times or calls are asked for and one has none, or times are of different
            clocks.
        UsageError: `not-of-groups`; the selection leaves nothing, or no function is called so.
    Cost: a third of a second per million contexts, a second with imports as one; 8 us for each with `from_`.
    """
    if normalise == "calls":
        raise UsageError(
            "cannot compare groups per call: functions are tested by what they took in each run",
            slug="not-of-groups",
            hint="--normalise total, or leave it out",
        )
    read = [_read(path, from_, imports=imports) for path in paths]
    metric = _metric_of_all(paths, [profile for profile, _ in read], metric)
    ran = {
        function
        for profile, totals in read
        for function, contexts in zip(profile.functions, totals.contexts, strict=True)
        if contexts
    }
    is_chosen = _chosen(ran, selection)
    runs = tuple(_figures(profile, totals, metric, is_chosen, normalise) for profile, totals in read)
    return GroupFigures(replace(_measure(metric, normalise, min_change), min_share=min_share), runs)


def _read(path: Path, from_: str | None, *, imports: bool) -> tuple[ContextProfile, FunctionTotals]:
    profile = read_profile(path, heaviest=1 if from_ is None else None, with_sources=False)
    if from_ is not None:
        profile = focus_on(profile, from_)
    if not imports:
        profile = fold_imports(profile)
    return profile, read_function_totals(path, profile) if from_ is None else function_totals(profile)


def _metric_of_all(paths: Sequence[Path], profiles: Sequence[ContextProfile], metric: Metric | None) -> Metric:
    timeless = [path for path, profile in zip(paths, profiles, strict=True) if not profile.has_time]
    metric = metric or ("calls" if timeless else "time")
    if metric == "time":
        if timeless:
            raise InputError(f"cannot compare times: '{timeless[0]}' has none", slug="no-times", hint="--metric calls")
        for profile in profiles[1:]:
            check_clocks(profiles[0], profile, calls_will_do=all(each.has_calls for each in profiles))
    else:
        check_calls(profiles, [f"'{path}'" for path in paths])
    return metric


def _measure(metric: Metric, normalise: Normalise, min_change: float) -> Measure:
    is_time = metric == "time"
    what = "self time" if is_time else "calls"
    if normalise == "total":
        return Measure(f"share of {what}", "share", "smaller", "larger", is_time, min_change)
    if is_time:
        return Measure(what, "duration", "faster", "slower", True, min_change)
    return Measure(what, "count", min_change=min_change)


def _chosen(functions: set[Function], selection: CodeSelection | None) -> set[Function]:
    if selection is None or selection.is_everything:
        return functions
    found = {*selection.among(functions)}
    if not found:
        raise no_contexts_left(selection, sorted(functions, key=lambda each: (each.name, each.file)))
    return found


def _figures(
    profile: ContextProfile, totals: FunctionTotals, metric: Metric, is_chosen: set[Function], normalise: Normalise
) -> RunFigures:
    is_time = metric == "time"
    own = totals.self_ns if is_time else totals.calls
    total = profile.total_ns if is_time else profile.total_calls
    # What is in no context any more may have been any function's.
    above = 0 if profile.approximation is None else max(0, total - sum(own))
    whole = float(total or 1) if normalise == "total" else 1.0
    listed = [
        (function, value / whole)
        for function, value, contexts in zip(profile.functions, own, totals.contexts, strict=True)
        if contexts and function in is_chosen
    ]
    return RunFigures(
        tuple(_IMPORTING if function == IMPORTS else function for function, _ in listed),
        tuple(value for _, value in listed),
        total / whole,
        profile.run.started_at,
        above / whole,
        profile.losses,
    )
