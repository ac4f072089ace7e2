"""What to know before believing a judgement: what is lost, what could change a verdict, and what was allowed for."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.base.units import counted, format_count
from sonde.evidence import Doubt, Loss, Remark, Reservation
from sonde.instruments.bench.judging import STEADY_STATE, Judgement, Sample, Summary
from sonde.instruments.bench.report.comparison_tables import FEW, comparison_notices
from sonde.instruments.bench.report.group_tables import group_notices
from sonde.instruments.bench.report.names import series_names
from sonde.instruments.bench.report.series_words import failed_in_words, sample_size, split_in_words

_EXAMPLES = 3
"""Failures of a series that are told one by one; the table of failures has all."""

_LONGEST_NAME = 40
"""Columns for the name of a series in sentences."""

_MOST_UNMATCHED = 5
"""Benchmarks without a partner that are told one by one; the table of them has all."""

_SHARED_BY_ROUNDS = frozenset(
    {
        "busy-machine",
        "cpu-quota",
        "frequency-changed",
        "little-memory",
        "on-battery",
        "shared-core",
        "stolen-time",
        "throttled",
        "turbo",
        "varying-frequency",
        "virtual-machine",
    }
)
"""Disturbances that alternatives of a round have in common: they make intervals wider, not wrong."""


def judgement_notices(judgement: Judgement, *, is_shown: bool) -> Iterator[Reservation]:
    """All notices; a doubt is only what could change what is said first.

    Args:
        is_shown: whether paper has the table of series.
    """
    for doubt in dict.fromkeys(judgement.doubts):
        yield _allowed_for(doubt) if doubt.kind in _SHARED_BY_ROUNDS and _is_settled(judgement) else doubt
    for text in judgement.unmatched[:_MOST_UNMATCHED]:
        yield Loss("", 0, f"not compared: {text}")
    if len(judgement.unmatched) > _MOST_UNMATCHED:
        yield Loss("", 0, f"{format_count(len(judgement.unmatched) - _MOST_UNMATCHED)} more were not compared")
    if is_shown:
        yield from _series_notices(judgement.summaries)
    yield from comparison_notices(judgement)
    yield from group_notices(judgement)


def _is_settled(judgement: Judgement) -> bool:
    """Whether all is established, from values of the same rounds."""
    comparisons = judgement.comparisons
    return bool(comparisons) and all(each.paired and each.verdict != "unclear" for each in comparisons)


def _allowed_for(doubt: Doubt) -> Remark:
    return Remark(doubt.kind, doubt.detail, hint=doubt.hint)


def _series_notices(summaries: Sequence[Summary]) -> Iterator[Reservation]:
    """What to know before believing a series: the same of several in one sentence."""
    if len(summaries) <= FEW:
        yield from _losses(summaries)
    names = [keep_both_ends(name, _LONGEST_NAME) for name in series_names([summary.sample for summary in summaries])]
    for text, which in _gathered(summaries, names).items():
        yield Doubt("", f"{_of(which, summaries)}{text}")
    for text, which in _gathered(summaries, names, handled=True).items():
        yield Remark("", f"{_of(which, summaries)}{text}, which is allowed for")
    if len(summaries) > FEW:
        return
    sizes = [_size(summary.sample) for summary in summaries]
    is_alike = len(summaries) > 1 and len(set(sizes)) == 1
    if is_alike and sizes[0]:
        yield Remark("", f"each series: {sizes[0]}")
    for summary, name, size in zip(summaries, names, sizes, strict=True):
        before = f"{name}: " if len(summaries) > 1 else ""
        if size and not is_alike:
            yield Remark("", f"{before}{size}")
        for text in _remarks(summary):
            yield Remark("", f"{before}{text}")


def _losses(summaries: Sequence[Summary]) -> Iterator[Loss]:
    for name, summary in zip(series_names([one.sample for one in summaries]), summaries, strict=True):
        before = f"{keep_both_ends(name, _LONGEST_NAME)}: " if len(summaries) > 1 else ""
        for text in _failures(summary):
            yield Loss("", 0, f"{before}{text}")


def _gathered(summaries: Sequence[Summary], names: Sequence[str], *, handled: bool = False) -> dict[str, list[str]]:
    """What speaks against series -> the names of those; of one alone with what was found.

    Args:
        handled: what intervals allow for, in place of what they do not.
    """
    found: dict[str, list[str]] = {}
    for summary, name in zip(summaries, names, strict=True):
        for text in summary.allowed_for() if handled else summary.objections():
            if len(summaries) > FEW or text != "invocations failed":  # of few, each failure is told
                found.setdefault(text, []).append(name)
    whole = {
        f"{one.name} does not hold": failed_in_words(one)
        for summary in summaries
        for one in summary.assumptions
        if one.failed
    }
    return {whole.get(text, text) if len(which) == 1 else text: which for text, which in found.items()}


def _of(which: Sequence[str], summaries: Sequence[Summary]) -> str:
    """Of which series something is said."""
    if len(summaries) == 1:
        return ""
    if len(which) == 1 and len(summaries) <= FEW:
        return f"{which[0]}: "
    return f"{format_count(len(which))} of {counted(len(summaries), 'series', 'series')}: "


def _size(sample: Sample) -> str:
    """How many invocations there were, where that is more than the number that counts."""
    says_more = sample.series.mode == "steady" or not sample.series.separate or sample.warm_up_rounds
    return sample_size(sample) if says_more else ""


def _failures(summary: Summary) -> Iterator[str]:
    series = summary.sample.series
    details = Counter(
        printable(invocation.detail) or invocation.outcome
        for invocation in series.invocations
        if invocation.outcome != "ok"
    )
    total = format_count(len(series.invocations))
    for text, count in list(details.items())[:_EXAMPLES]:
        yield f"{format_count(count)} of {total} invocations failed: {text}"
    if len(details) > _EXAMPLES:
        rest = format_count(sum(list(details.values())[_EXAMPLES:]))
        yield f"{rest} more failed in {len(details) - _EXAMPLES:,} other ways"
    if summary.mean is None:
        yield "nothing can be said: not one invocation ended well"


def _remarks(summary: Summary) -> Iterator[str]:
    if summary.outliers is not None and summary.outliers.count:
        yield f"outliers: {summary.outliers.finding}; none was removed"
    for assumption in summary.assumptions:
        if assumption.name == STEADY_STATE and not assumption.failed:
            yield f"steady state: {assumption.finding}"
    if summary.split is not None:
        yield split_in_words(summary.split)
    if summary.design is not None:
        yield f"cheapest repetition: {summary.design}"
