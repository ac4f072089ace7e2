"""What is read first: which alternative is best, or what changed, in one to three sentences."""

from collections.abc import Iterator, Sequence

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.base.units import counted, format_count
from sonde.base.word_lists import in_a_row
from sonde.instruments.bench.judging import Comparison, Judgement, Lead, Summary, lead_of, ranked
from sonde.instruments.bench.report.estimates import with_interval
from sonde.instruments.bench.report.pivot_table import ALTERNATIVE, grid_of, leader_of, short_titles
from sonde.instruments.bench.report.ratio_words import best_and_worst, change_with_interval, share_of_other, words_of
from sonde.render.quantity import quantity_text
from sonde.report import Quantity

_LONGEST_NAME = 30
"""Columns: a sentence with two names of this length has two lines of 80 columns."""
_MOST_NAMED = 3
"""Alternatives that a sentence names; the others are counted."""


def headline(judgement: Judgement) -> tuple[str, ...]:
    """One to three sentences with the figures that answer the question; nothing that noise could explain is a change.

    Of files that are compared: what became worse and better. Of one benchmark: which alternative is best, and which
    cannot be told from it. Of several: in how many each is better.
    """
    comparisons = judgement.comparisons
    if not comparisons:
        return tuple(_of_series(judgement.summaries))
    if len(judgement.provenances) == 2:
        if len(comparisons) == 1:
            return (_changed(comparisons[0], judgement),)
        return tuple(_of_many(comparisons, judgement))
    if len({each.benchmark for each in comparisons}) > 1:
        first, *more = _of_many(comparisons, judgement)
        return (_of_scan(judgement) or first, *more)
    broken = _broken(comparisons)
    whole = [each for each in comparisons if each.is_whole]
    if scan := _of_scan(judgement):
        return (scan, *([f"{_listed(broken)} failed."] if broken else []))
    if broken and whole:
        return (*_of_one_benchmark(whole, judgement), f"{_listed(broken)} failed.")
    if broken and len(comparisons) > 1:
        return (_of_what_failed(broken, comparisons),)
    return _of_one_benchmark(comparisons, judgement)


def _broken(comparisons: Sequence[Comparison]) -> list[str]:
    """The alternatives of which too many invocations failed."""
    sides = [(comparisons[0].first_name, comparisons[0].first)]
    sides += [(each.second_name, each.second) for each in comparisons]
    return [name for name, sample in sides if sample.is_broken]


def _of_what_failed(broken: Sequence[str], comparisons: Sequence[Comparison]) -> str:
    """Where no two are left that can be compared: who failed, and who did not."""
    names = [comparisons[0].first_name, *(each.second_name for each in comparisons)]
    left = [name for name in names if name not in broken]
    only = f"only {_listed(left)} ended well, and nothing" if left else "nothing"
    return f"{_listed(broken)} failed: {only} can be compared."


def _of_one_benchmark(comparisons: Sequence[Comparison], judgement: Judgement) -> tuple[str, ...]:
    """Which alternative is best."""
    if len(comparisons) == 1:
        benchmarks = {sample.series.benchmark for sample in judgement.samples()}
        of = f"{_cut(comparisons[0].benchmark)}: " if len(benchmarks) > 1 else ""
        first, *more = _of_two(comparisons[0], judgement)
        return (f"{of}{first}", *more)
    lead = lead_of(judgement.groups[0], comparisons) if judgement.groups else None
    if lead is None:
        return tuple(_against_baseline(comparisons))
    return (_ranking(lead, comparisons),)


def _of_series(summaries: Sequence[Summary]) -> Iterator[str]:
    told = [summary for summary in summaries if summary.mean is not None]
    if len(summaries) > 1:
        yield f"{format_count(len(summaries))} series, which are not alternatives of one another."
        return
    for summary in told:
        mean, sample = summary.mean, summary.sample
        assert mean is not None  # as sorted out above
        name = sample.series.alternative or sample.series.benchmark
        amount = quantity_text(Quantity(with_interval(mean.value, mean.interval), sample.metric.unit))
        takes = (
            f"takes {amount}" if words_of(sample.metric).least == "fastest" else f"has {amount} {sample.metric.name}"
        )
        yield f"{_cut(name) or 'It'} {takes}."


def _changed(comparison: Comparison, judgement: Judgement) -> str:
    """What happened to the only benchmark that two files have."""
    name, ratio = _cut(comparison.benchmark) or "It", comparison.ratio
    change = change_with_interval(ratio, comparison.first.metric) if ratio is not None else ""
    if comparison.verdict in ("worse", "better") and change:
        return f"{name} became {change}{_tolerated(comparison, judgement)}."
    if ratio is None or ratio.interval is None or comparison.verdict in ("worse", "better"):
        return f"{name}: {printable(comparison.why)}."
    share = share_of_other(ratio, comparison.first.metric)
    if comparison.verdict == "same":
        return f"{name}: no difference beyond {_margin(judgement)}; it takes {share} as before."
    return f"Whether {name} changed cannot be said: it takes {share} as before{_needed(comparison)}."


def _of_two(comparison: Comparison, judgement: Judgement) -> Iterator[str]:
    first, second, ratio = _cut(comparison.first_name), _cut(comparison.second_name), comparison.ratio
    metric = comparison.first.metric
    change = change_with_interval(ratio, metric) if ratio is not None else ""
    if comparison.verdict in ("worse", "better") and change:
        yield f"{second} is {change} than {first}{_tolerated(comparison, judgement)}."
    elif ratio is None or ratio.interval is None or comparison.verdict in ("worse", "better"):
        yield f"{first} and {second}: {printable(comparison.why)}."
    elif comparison.verdict == "same":
        share = share_of_other(ratio, metric)
        yield f"{first} and {second}: no difference beyond {_margin(judgement)}; {second} takes {share}."
    else:
        yield f"{first} and {second} cannot be told apart: {second} takes {share_of_other(ratio, metric)}."
        if comparison.needed is not None:
            yield f"{format_count(comparison.needed)} invocations of each would probably tell."


def _ranking(lead: Lead, comparisons: Sequence[Comparison]) -> str:
    """Who is best, who cannot be told from it, and who is worst; factors are those against the baseline."""
    by_name = {each.second_name: each for each in comparisons}
    baseline, metric = comparisons[0].first_name, comparisons[0].first.metric
    best_word, worst_word = best_and_worst(metric)
    best, tied = _cut(lead.best), ""
    if lead.tied:
        tied = f"{_listed(lead.tied)} cannot be told from {best}"
    parts = []
    beaten = [name for name in (baseline, *by_name) if name != lead.best and name not in lead.tied]
    if not beaten:
        return f"{tied}, the {best_word} by its mean."
    if lead.best == baseline:
        after = sorted((by_name[name] for name in beaten), key=_distance)
        told = [f"{_cut(each.second_name)} is {_change(each)}" for each in (after[:1] if len(after) > 2 else after)]
        if len(after) > 2 and lead.worst and lead.worst != after[0].second_name:
            told.append(f"{_cut(lead.worst)}, the {worst_word}, {_change(by_name[lead.worst])}")
        next_one = "the next, " if len(after) > 2 else ""
        parts.append(f"{best} is {best_word}: {next_one}{', '.join(told)}")
    elif baseline in beaten:
        parts.append(f"{best} is {best_word}: {_change(by_name[lead.best])} than {_cut(baseline)}")
        if lead.worst == baseline and len(comparisons) > 2:
            parts[0] += f", the {worst_word}"
    else:
        parts.append(f"{best} is {best_word} by its mean")
    if tied:
        parts.append(tied)
    if lead.worst and lead.worst != baseline and lead.best != baseline:
        parts.append(f"{_cut(lead.worst)} is {worst_word}: {_change(by_name[lead.worst])} than {_cut(baseline)}")
    return f"{'; '.join(parts)}."


def _against_baseline(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Of alternatives that were not compared with one another, only with the first."""
    metric, baseline = comparisons[0].first.metric, _cut(comparisons[0].first_name)
    told = [each for group in ranked(comparisons) if group.verdict in ("worse", "better") for each in group.comparisons]
    parts = [f"{_cut(each.second_name)} is {_change(each)} than {baseline}" for each in told[:_MOST_NAMED]]
    if len(told) > _MOST_NAMED:
        parts.append(f"{format_count(len(told) - _MOST_NAMED)} more differ from it")
    same = [each.second_name for each in comparisons if each.verdict == "same"]
    if same:
        parts.append(f"{_listed(same)}: no difference from {baseline} that matters")
    unclear = [each.second_name for each in comparisons if each.verdict == "unclear"]
    if unclear:
        parts.append(f"{_listed(unclear)} cannot be told from {baseline}")
    assert metric is not None and parts
    yield f"{'; '.join(parts)}."


def _of_many(comparisons: Sequence[Comparison], judgement: Judgement) -> Iterator[str]:
    """How many are worse, better, the same and unclear; the worst and the best; the geometric mean."""
    is_of_files = len(judgement.provenances) == 2
    names = {(each.first_name, each.second_name) for each in comparisons}
    metrics = {each.first.metric for each in comparisons}
    words = words_of(next(iter(metrics))) if len(metrics) == 1 else None
    is_time = words is not None and words.least == "fastest"
    worse, better = ("slower", "faster") if is_time else ("worse", "better")
    counts = judgement.counts()
    is_one_pair = is_of_files or len(names) == 1
    of = counted(len(comparisons), "benchmark" if is_one_pair else "comparison")
    against = f"{_cut(comparisons[0].second_name)} against {_cut(comparisons[0].first_name)}: "
    became = "became" if is_of_files else "are"
    yield (
        f"{against if is_one_pair and not is_of_files else ''}{format_count(counts['worse'])} of {of} {became} {worse},"
        f" {format_count(counts['better'])} {better}; {format_count(counts['same'])} are the same,"
        f" {format_count(counts['unclear'])} cannot be told."
    )
    by_verdict = {group.verdict: group.comparisons for group in ranked(comparisons)}
    ends = [
        f"{title} {_named(found[0], by_name=is_one_pair)} ({_change(found[0])})"
        for title, found in (("worst", by_verdict.get("worse", ())), ("best", by_verdict.get("better", ())))
        if found
    ]
    if judgement.geometric_mean is not None:
        ends.append(f"geometric mean of ratios {judgement.geometric_mean:.3f}")
    if ends:
        text = "; ".join(ends)
        yield f"{text[0].upper()}{text[1:]}."
    regressions = sum(each.is_regression for each in comparisons)
    if judgement.policy.tolerance and counts["worse"]:
        yield f"{format_count(regressions)} beyond the tolerance of {100.0 * judgement.policy.tolerance:g}%."


def _of_scan(judgement: Judgement) -> str:
    """Which alternative, or value of the last parameter, is best with which values of the others.

    Empty where there are no two dimensions, or of no alternatives anything can be told.
    """
    grid = grid_of(judgement)
    if grid is None or not judgement.summaries[0].sample.series.levels:
        return ""
    last = grid.dimensions.names[-1]
    titles = dict(zip(grid.dimensions.across, short_titles(grid.dimensions.across), strict=True))
    won: dict[str, list[str]] = {}
    for place, row in grid.rows.items():
        leader = leader_of(judgement, row)
        if leader is not None and not leader[1]:
            won.setdefault(leader[0], []).append(", ".join(place))
    if not won and last == ALTERNATIVE:
        return ""
    metric, names = judgement.summaries[0].sample.metric, ", ".join(grid.dimensions.names[:-1])
    best, _ = best_and_worst(metric)
    if not won:
        return f"With no {names} it can be said which {last} is {best}."
    of = "" if last == ALTERNATIVE else f"{last}="
    told = [f"{of}{titles[name]} is {best} with {names}={_few(places)}" for name, places in won.items()]
    open_ = len(grid.rows) - sum(map(len, won.values()))
    rest = f"; with {format_count(open_)} of {format_count(len(grid.rows))} it cannot be said" if open_ else ""
    return f"{'; '.join(told[:_MOST_NAMED])}{rest}."


def _few(values: Sequence[str]) -> str:
    """`1, 10 and 100`, of many the first and the last."""
    if len(values) > 2 * _MOST_NAMED:
        return f"{values[0]} to {values[-1]} ({format_count(len(values))} of them)"
    return in_a_row(values)


def _named(comparison: Comparison, *, by_name: bool) -> str:
    name = printable(comparison.benchmark)
    return _cut(name if by_name else f"{name} · {printable(comparison.second_name)}")


def _change(comparison: Comparison) -> str:
    change = "" if comparison.ratio is None else change_with_interval(comparison.ratio, comparison.first.metric)
    return change or printable(comparison.why)


def _distance(comparison: Comparison) -> float:
    """From the baseline, whichever way is better."""
    ratio = comparison.ratio.value if comparison.ratio is not None else float("inf")
    return ratio if ratio > 1.0 or not ratio > 0.0 else 1.0 / ratio


def _tolerated(comparison: Comparison, judgement: Judgement) -> str:
    tolerance = judgement.policy.tolerance
    if comparison.verdict != "worse" or not tolerance:
        return ""
    return f", {'beyond' if comparison.is_regression else 'within'} the tolerance of {100.0 * tolerance:g}%"


def _needed(comparison: Comparison) -> str:
    if comparison.needed is None:
        return ""
    return f"; {format_count(comparison.needed)} invocations of each would probably tell"


def _margin(judgement: Judgement) -> str:
    return f"{100.0 * judgement.policy.equivalent:.3g}%"


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b, c and 2 more`."""
    shown = [_cut(name) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(shown)} and {format_count(len(names) - _MOST_NAMED)} more"
    return in_a_row(shown)


def _cut(name: str) -> str:
    return keep_both_ends(printable(name), _LONGEST_NAME)
