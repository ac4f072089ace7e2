"""Looking for decisions that are one way in all fast runs and another way in all slow ones."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.evidence import adjusted_p_values
from sonde.instruments.decisions.alignment import normalised_name
from sonde.instruments.decisions.groups.evidence import add_reasons
from sonde.instruments.decisions.groups.feature_table import NOTHING, Column, FeatureTable
from sonde.instruments.decisions.groups.finding import Consistency, Difference, Finding
from sonde.instruments.decisions.groups.folding import folded
from sonde.instruments.decisions.groups.hot_code import HotCode, hot_code
from sonde.instruments.decisions.groups.options import ConsistencyOptions
from sonde.instruments.decisions.groups.run_features import add_run
from sonde.instruments.decisions.groups.separation import can_separate, chance, exceptions
from sonde.instruments.decisions.groups.subject import ContextSubject, Subject, enclosing_method
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.time_profiles import few_samples

Progress = Callable[[int, int], None]
"""Called with how many runs were read, of how many."""
_REASONED = 100
"""Findings that are given reasons: more are not read by people, and each costs a look into trees."""

_ORDER = ("call", "context", "receivers", "decision", "phase", "method", "time")
"""Of findings that are otherwise equal: what a compiler can be told to do goes before what follows from it."""


def consistent(
    fast: Sequence[DecisionRun],
    slow: Sequence[DecisionRun],
    options: ConsistencyOptions | None = None,
    progress: Progress | None = None,
) -> Consistency:
    """Find what separates two groups of runs, ranked by the share of time in the code that it touches.

    Args:
        fast: runs with one performance.
        slow: runs with the other, of the same compiler.
    Raises:
        UsageError: `empty-group`, `run-twice`, `mixed-compilers`; `no-code-left`, no unit is of code that is looked at.
    Guarantee: a finding has at most `options.allow` runs on the wrong side in each of its differences. If which runs
        are fast is chance, the share of conclusive findings that is expected to be wrong is at most
        `options.false_discovery_rate`, as far as the adjustment promises it for features that depend on one another.
    Cost: the trees of hot units are read once; O(features * runs * log runs).
    Source: Pecimuth et al., sections on case studies: they clustered runs and compared pairs by hand.
    Differs: all runs at once, with a test; differences are weighed by time.
    """
    options = options or ConsistencyOptions()
    _check(fast, slow)
    runs = [*fast, *slow]
    name = lru_cache(maxsize=None)(normalised_name)
    codes = hot_code(runs, options.heat, name, options.code)
    wanted = sum(len(code.units) for code in codes)
    table = FeatureTable(len(runs))
    left_out = 0
    detailed = not options.remove_detailed_phases
    for index, code in enumerate(codes):
        read, removed = add_run(table, index, code.units, code.weights, code.hot, name, with_detailed=detailed)
        # A damaged unit would be in the way again of whoever looks for reasons.
        codes[index] = code._replace(units=read)
        left_out += removed
        if progress is not None:
            progress(index + 1, len(runs))
    found, tested = _separated(table, len(fast), options)
    findings = list(_findings(table, found, tested, len(fast), options))
    depths = {table.subject(key): depth for key, depth in table.depths.items()}
    deeper = {table.subject(key): methods for key, methods in table.deeper.items()}
    tops = folded(findings, depths, deeper)
    tops.sort(
        key=lambda finding: (
            finding.q_value > options.false_discovery_rate,
            -finding.score,
            -finding.weight,
            _ORDER.index(finding.subject.kind),
            repr(finding.subject),
        )
    )
    add_reasons(tops[:_REASONED], codes[: len(fast)], codes[len(fast) :], name)
    return Consistency(
        tuple(run.name for run in fast),
        tuple(run.name for run in slow),
        options,
        tuple(tops),
        features=len(table.columns),
        tested=tested,
        units_read=(units_read := sum(len(code.units) for code in codes)),
        remarks=tuple(_remarks(runs, codes, wanted - units_read, fast, slow, options)),
        offsets=runs[0].offsets,
        lines_from=runs[0].lines_from,
        left_out=left_out,
    )


class _Separated(NamedTuple):
    """A column that separates the groups."""

    key: Hashable
    label: str
    column: Column
    fast: tuple[float, ...]
    slow: tuple[float, ...]
    exceptions: int
    p_value: float


def _separated(table: FeatureTable, fast_count: int, options: ConsistencyOptions) -> tuple[list[_Separated], int]:
    """The columns that separate, and how many could have."""
    found, tested = [], 0
    for (key, label), column in table:
        shares = table.shares(column)
        fast = tuple(share for share in shares[:fast_count] if share is not None)
        slow = tuple(share for share in shares[fast_count:] if share is not None)
        values = fast + slow
        undefined = table.runs - len(values)
        allowed = options.allow - undefined
        if allowed < 0 or not fast or not slow or max(values) - min(values) < options.least_gap:
            continue
        if not can_separate(values, len(fast), allowed):
            continue
        tested += 1
        wrong = exceptions(fast, slow)
        if wrong <= allowed:
            p_value = chance(values, len(fast), wrong)
            found.append(_Separated(key, label, column, fast, slow, wrong, p_value))
    return found, tested


def _findings(
    table: FeatureTable, found: Sequence[_Separated], tested: int, fast_count: int, options: ConsistencyOptions
) -> Iterator[Finding]:
    adjusted = adjusted_p_values([each.p_value for each in found], options.adjustment, tested=tested)
    by_subject: dict[Hashable, list[tuple[_Separated, float]]] = {}
    for each, q_value in zip(found, adjusted, strict=True):
        by_subject.setdefault(each.key, []).append((each, q_value))
    for key, separated in by_subject.items():
        subject = table.subject(key)
        differences = sorted(
            (
                Difference(each.label, each.fast, each.slow, each.exceptions, each.p_value, q_value)
                for each, q_value in separated
            ),
            key=lambda difference: (-min(1.0, abs(difference.gap)), difference.label),
        )
        yield Finding(subject, tuple(differences), _weight(table, subject, separated[0][0].column, fast_count))


def _weight(table: FeatureTable, subject: Subject, column: Column, fast_count: int) -> float:
    """Share of the time in the code that has the subject, in the group in which it is more."""
    if isinstance(subject, ContextSubject):
        whole = ("root", subject.path[0].method)
    elif column.whole == NOTHING or column.whole[0] in ("in", "with"):
        whole = ("with", enclosing_method(subject))
    else:
        whole = column.whole
    times = table.wholes.get(whole)
    if times is None:
        return 0.0
    fast, slow = times[:fast_count], times[fast_count:]
    return min(1.0, max(sum(fast) / len(fast), sum(slow) / len(slow)))


def _check(fast: Sequence[DecisionRun], slow: Sequence[DecisionRun]) -> None:
    for group, runs in (("fast", fast), ("slow", slow)):
        if not runs:
            raise UsageError(
                f"cannot compare groups of runs: no {group} run was given",
                slug="empty-group",
                hint="sonde decisions consistent --fast RUN... --slow RUN...",
            )
    counts = Counter(run.name for run in (*fast, *slow))
    twice = [run_name for run_name, count in counts.items() if count > 1]
    if twice:
        both = twice[0] in {run.name for run in fast} and twice[0] in {run.name for run in slow}
        where = "as fast and as slow" if both else "twice in one group"
        raise UsageError(
            f"cannot compare groups of runs: '{twice[0]}' was given {where}",
            slug="run-twice",
            hint="each run belongs to one group, once",
        )
    kinds = Counter(run.kind for run in (*fast, *slow))
    if len(kinds) > 1:
        said = ", ".join(f"{count} of {kind}" for kind, count in kinds.most_common())
        raise UsageError(
            f"cannot compare groups of runs: they are of several compilers ({said})",
            slug="mixed-compilers",
            hint="compare runs of one compiler; what two compilers decide has no common names",
        )


def _remarks(
    runs: Sequence[DecisionRun],
    codes: Sequence[HotCode],
    damaged: int,
    fast: Sequence[DecisionRun],
    slow: Sequence[DecisionRun],
    options: ConsistencyOptions,
) -> Iterator[str]:
    untimed = sum(not run.compiled_period for run in runs)
    if untimed:
        yield (
            f"{untimed} of {len(runs)} runs have no times: in these every unit weighs the same, and nothing is known to"
            " be hot"
        )
    uncertain = [run.profile.samples or 0 for run in runs if run.profile is not None and few_samples(run.profile)]
    if uncertain:
        yield f"the times of {len(uncertain)} of {len(runs)} runs rest on few samples, down to {min(uncertain)}"
    empty = sum(not code.units for code in codes)
    if empty:
        yield f"{empty} of {len(runs)} runs have none of the code that is hot in others"
    if damaged:
        what = "1 unit is damaged and was" if damaged == 1 else f"{damaged} units are damaged and were"
        yield f"{what} left out: 'sonde decisions show' tells of each"
    best = Consistency(
        tuple(run.name for run in fast), tuple(run.name for run in slow), options, (), 0, 0, 0, ()
    ).smallest_p_value
    if best > options.false_discovery_rate:
        yield (
            f"nothing can be concluded from {len(fast)} fast and {len(slow)} slow runs: even complete separation"
            f" happens by chance with probability {best:.2g}"
        )
