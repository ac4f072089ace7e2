"""How accurate an approximate profile is, as a report: the hot tree's nodes, the measures, the curves."""

from collections.abc import Sequence

from sonde.base.units import format_duration
from sonde.evidence import Doubt, Loss, Reservation
from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.profile.comparison import Accuracy, Likenesses
from sonde.instruments.contexts.report.comparison.likeness_report import likeness_blocks, likeness_headline
from sonde.instruments.contexts.report.exactness import metric_amount, small_share
from sonde.instruments.contexts.report.run_blocks import details
from sonde.report import Block, Column, Fact, Facts, Notices, Part, Report, Row, Table, Unit


def accuracy_report(
    judged: Accuracy,
    curve: Sequence[Accuracy],
    *,
    approximate: ContextProfile,
    names: tuple[str, str] = ("exact", "approximate"),
    alike: Likenesses | None = None,
) -> Report:
    """How well an approximate profile does.

    Args:
        judged: at the phi of interest.
        curve: at others; empty: no table over phi.
        approximate: what was judged, for its parameters and losses.
        names: what to call the exact and the approximate profile.
        alike: what both have in common; None: that is not told.
    """
    blocks: list[Block] = [
        Facts(
            (Fact("exact", names[0], words="exact {}"), Fact("approximate", names[1], words="approximate {}")), "files"
        ),
        Facts(_made_with(approximate), "made_with"),
        Facts(_judged_at(judged), "judged_at"),
        Facts(_broken_bounds(judged), "bounds"),
        *(likeness_blocks(alike, names[1:]) if alike is not None else ()),
        _contexts(judged),
        _measures(judged),
        _coverage(judged),
    ]
    if curve:
        blocks.append(_curve(curve, approximate))
    blocks.append(Notices(tuple(_doubts(judged, approximate))))
    blocks += [_coverage_over_phi(curve or [judged]), *details(approximate)]
    headline = likeness_headline(alike, names[1:]) if alike is not None else ()
    return Report("accuracy", f"accuracy of {names[1]}", tuple(blocks), headline=headline)


def _made_with(approximate: ContextProfile) -> tuple[Fact, ...]:
    bounds, sampling = approximate.approximation, approximate.sampling
    facts = [Fact("bounds", None, words="made with no bound on memory")]
    if bounds is not None:
        unit: Unit = "duration" if bounds.metric == "time" else "count"
        facts = [
            Fact("phi", bounds.phi, "number", "made with phi {}"),
            Fact("epsilon", bounds.epsilon, "number", "epsilon {}"),
            Fact("counters", bounds.counters, "count", "{} counters", "{} counter"),
            Fact("floor", bounds.floor, unit, "floor {}" if unit == "duration" else "floor {} calls", "floor {} call"),
        ]
    if sampling is not None and sampling.is_of_times_only:
        apart = format_duration(sampling.interval_ns)
        facts.append(Fact("bursts", sampling.bursts, "count", f"{{}} samples, {apart} apart"))
    elif sampling is not None:
        lengths = f"{format_duration(sampling.interval_ns)}/{format_duration(sampling.burst_ns)}"
        looked = f"{{}} bursts {lengths}, {small_share(sampling.fraction)} of the run"
        facts.append(Fact("bursts", sampling.bursts, "count", looked))
    return tuple(facts)


def _judged_at(judged: Accuracy) -> tuple[Fact, ...]:
    unit: Unit = "duration" if judged.metric == "time" else "count"
    total, threshold, heaviest = (
        metric_amount(judged.metric, value) for value in (judged.total, judged.threshold, judged.heaviest)
    )
    return (
        Fact("judged_phi", judged.phi, "number", f"phi {{}} of {total}: hot from {threshold}"),
        Fact("heaviest", judged.heaviest, unit, f"the hottest context has {heaviest}"),
    )


def _broken_bounds(judged: Accuracy) -> tuple[Fact, ...]:
    """Nothing where no bounds are stated."""
    if judged.violations is None:
        return ()
    words = "of all contexts, listed or not, {} break the bounds stated"
    return (Fact("violations", judged.violations, "count", words, words.replace("break", "breaks")),)


def _contexts(judged: Accuracy) -> Table:
    exact, tree = judged.exact_contexts, judged.tree_contexts
    rows = [
        Row(("exact tree", Part(exact, exact))),
        Row(("hot", Part(judged.hot_contexts, exact))),
        Row(("hot tree", Part(tree, exact))),
        Row(("hot, found", Part(judged.found_contexts, tree))),
        Row(("false positives", Part(judged.false_positives, tree))),
        Row(("cold, on the way", Part(judged.cold_contexts, tree))),
        Row(("hot, missed", Part(judged.missed_contexts, judged.hot_contexts))),
    ]
    return Table(
        "contexts",
        "contexts",
        (Column("what", "", "name"), Column("contexts", "contexts", "count")),
        rows,
        ("the hot tree: what is said to be hot, and what leads there",),
    )


def _measures(judged: Accuracy) -> Table:
    what = "time" if judged.metric == "time" else "calls"
    rows = [
        Row(("degree of overlap", judged.overlap, f"of all {what}, in the hot tree")),
        Row(("uncovered, hottest", judged.max_uncovered, "of the hottest context")),
        Row(("uncovered, average", judged.average_uncovered, "of the hottest context")),
        Row(("counter error, largest", judged.max_error, "of the true value, over hot contexts found")),
        Row(("counter error, average", judged.average_error, "of the true value, over hot contexts found")),
    ]
    columns = (Column("measure", "measure", "name"), Column("value", "value", "share"), Column("of", ""))
    return Table("accuracy", "accuracy", columns, rows)


def _coverage(judged: Accuracy) -> Table:
    said = "the hottest context itself is not covered"
    if judged.full_coverage_tau is not None:
        twice = "all is" if judged.is_covered_at_twice else "not all is"
        said = (
            f"100% from tau {judged.full_coverage_tau:.3g} · phi stands for tau {judged.guaranteed_tau:.3g}"
            f" · {twice} covered from twice that"
        )
    return Table(
        "coverage",
        "hot edge coverage",
        (Column("tau", "tau", "number"), Column("covered", "covered", "share")),
        [Row(point) for point in judged.coverage],
        ("of contexts with at least tau of the hottest one's weight",),
        legend=said,
    )


_CURVE = (
    Column("phi", "phi", "number"),
    Column("hot_contexts", "hot", "count"),
    Column("missed_contexts", "missed", "count"),
    Column("tree_contexts", "tree", "count", priority=4),
    Column("false_positive_share", "false+", "share", priority=1),
    Column("overlap", "overlap", "share"),
    Column("full_coverage_tau", "100% from", "number", priority=2),
    Column("max_uncovered", "uncov.", "share", priority=3),
    Column("average_error", "avg err", "share", priority=5),
    Column("max_error", "max err", "share", priority=1),
    Column("average_uncovered", "avg uncov.", "share", shown="data"),
    Column("found_contexts", "found", "count", shown="data"),
    Column("false_positives", "false positives", "count", shown="data"),
    Column("cold_contexts", "cold", "count", shown="data"),
    Column("threshold", "threshold", "number", shown="data"),
    Column("guaranteed_tau", "guaranteed from", "number", shown="data"),
    Column("is_covered_at_twice", "covered at twice that", shown="data"),
    Column("violations", "bounds broken", "count", shown="data"),
)
"""Keys are the fields of `Accuracy`."""


def _curve(curve: Sequence[Accuracy], approximate: ContextProfile) -> Table:
    notes = ("down to 5 epsilon",) if approximate.approximation is not None else ()
    rows = [Row(tuple(getattr(point, column.key) for column in _CURVE)) for point in curve]
    return Table("curve", "over phi", _CURVE, rows, notes)


def _coverage_over_phi(points: Sequence[Accuracy]) -> Table:
    columns = (
        Column("phi", "phi", "number"),
        Column("tau", "tau", "number"),
        Column("covered", "covered", "share"),
    )
    rows = [Row((point.phi, tau, share)) for point in points for tau, share in point.coverage]
    return Table("coverage_over_phi", "hot edge coverage over phi", columns, rows, is_secondary=True)


def _doubts(judged: Accuracy, approximate: ContextProfile) -> list[Reservation]:
    doubts: list[Reservation] = [
        Loss(loss.kind, loss.amount, f"the approximate profile: {loss.detail}") for loss in approximate.losses
    ]
    bounds = approximate.approximation
    if judged.violations:
        doubts.append(
            Loss("", 0, "bounds are broken: the profiles are not of the same calls, or this is a bug in sonde")
        )
    if bounds is not None and judged.phi <= bounds.epsilon:
        doubts.append(Doubt("", "phi is not more than epsilon: hot contexts may be missed"))
    if judged.violations is None:
        said = "sampled: values are estimates of the whole run, no bounds are stated that could be checked"
        doubts.append(Doubt("", said))
    return doubts
