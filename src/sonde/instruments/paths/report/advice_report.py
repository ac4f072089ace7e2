"""What a path profile suggests: which loops to unroll and how, which branches to take out of the way."""

from collections.abc import Sequence
from typing import NamedTuple

from sonde.base.units import counted, format_share
from sonde.instruments.paths.analysis import (
    BranchSide,
    FixedOrder,
    IterationRuns,
    branch_sides,
    fixed_orders,
    iteration_runs,
)
from sonde.instruments.paths.options import PathAdviceOptions
from sonde.instruments.paths.profile import PathProfile, PathRoutine
from sonde.instruments.paths.report.line_table import line_words
from sonde.instruments.paths.report.path_names import path_words
from sonde.instruments.paths.report.selection import selected_routines
from sonde.report import Block, Column, Fact, Facts, Note, Notices, Part, Report, Row, Table, short_name

_LONG_RUNS = 8
"""Sequences of fewer paths do not show how long runs are."""


class _Found(NamedTuple):
    runs: list[tuple[PathRoutine, IterationRuns]]
    orders: list[tuple[PathRoutine, FixedOrder]]
    sides: list[tuple[PathRoutine, BranchSide]]
    branches: int
    left_out: int
    """Findings that are about too little."""


def advice_report(profile: PathProfile, options: PathAdviceOptions) -> Report:
    """The suggestions, with what each is grounded on.

    Raises:
        UsageError: `no-such-function`.
    """
    routines = selected_routines(profile, options.function)
    taken = sum(routine.taken for routine in routines)
    found = _found(routines, profile.k, options.min_share * taken)
    facts = Facts(
        (
            Fact("paths", taken, "count", "{} paths", "{} path"),
            Fact("functions", len(routines), "count", "{} functions", "{} function"),
            Fact("branches", found.branches, "count", "{} branches executed often", "{} branch executed often"),
            Fact("k", profile.k, "count", "k = {}"),
        )
    )
    tables = [
        *([_run_table(found.runs, options.rows)] if found.runs else []),
        *([_order_table(found.orders, taken, options.rows)] if found.orders else []),
        *([_side_table(found.sides, options.rows)] if found.sides else []),
    ]
    blocks: list[Block] = [facts, Notices(profile.losses), *tables]
    if profile.k < _LONG_RUNS:
        note = f"sequences of {counted(profile.k, 'path')} do not show how long runs are: measure with -k {_LONG_RUNS}"
        blocks.append(Note(note, key="short-sequences"))
    if found.runs or found.orders or found.sides:
        blocks.append(Note("measure the changed program: sonde bench BEFORE AFTER", key="measure"))
    if found.left_out:
        smaller = f"{counted(found.left_out, 'smaller finding')} left out: --min-share 0 tells them, too"
        blocks.append(Note(smaller, key="left-out"))
    title = " ".join(profile.command)
    return Report("paths-advice", title, tuple(blocks), profile.sources, headline=_headline(found, routines, profile.k))


def _found(routines: Sequence[PathRoutine], k: int, least: float) -> _Found:
    """What stands out.

    Args:
        least: paths that something is about, or times that a branch was come by.
    """
    runs = [(routine, each) for routine in routines for each in iteration_runs(routine, k)]
    orders = [(routine, each) for routine in routines for each in fixed_orders(routine)]
    looked_at = [(routine, branch_sides(routine)) for routine in routines]
    sides = [(routine, side) for routine, each in looked_at for side in each.sides]
    runs.sort(key=lambda item: -item[1].iterations)
    orders.sort(key=lambda item: -item[1].covered)
    sides.sort(key=lambda item: -item[1].times)
    kept = (
        [item for item in runs if item[1].iterations >= least],
        [item for item in orders if item[1].covered >= least],
        [item for item in sides if item[1].times >= least],
    )
    left_out = len(runs) + len(orders) + len(sides) - sum(len(each) for each in kept)
    return _Found(*kept, sum(each.looked_at for _, each in looked_at), left_out)


def _headline(found: _Found, routines: Sequence[PathRoutine], k: int) -> tuple[str, ...]:
    ranked = [(each.iterations, _run_sentences(routine, each)) for routine, each in found.runs]
    ranked += [(each.covered, _order_sentences(routine, each)) for routine, each in found.orders]
    sentences = max(ranked, key=lambda item: item[0], default=(0, ()))[1]
    if found.sides:
        sentences = (*sentences, _side_sentence(*found.sides[0], more=len(found.sides) - 1))
    if sentences:
        return sentences
    looked_at = f"{counted(len(routines), 'function')} and {counted(found.branches, 'branch', 'branches')}"
    if k == 1:
        return (f"Nothing to suggest of {looked_at}; with k = 1 nothing is known of what follows what.",)
    return (f"Nothing to suggest: of {looked_at}, none goes the same way nearly always, or in an order that repeats.",)


def _run_sentences(routine: PathRoutine, runs: IterationRuns) -> tuple[str, ...]:
    lines = _span(routine, [each.path for each in runs.paths])
    where = f"The loop at {lines} of" if lines else "The loop of"
    together = runs.together
    how = (
        "Handle such runs at once: slices, itertools.groupby, NumPy."
        if routine.function.language == "python"
        else f"Unroll it by {together}, with a copy for each way that all {together} can go."
    )
    found = (
        f"{where} {short_name(routine.function)} goes on as it began: {format_share(runs.alike, 1)} of"
        f" {counted(runs.iterations, 'iteration')} begin {together} that go one way"
        f" ({format_share(runs.if_independent, 1)} if each chose anew)."
    )
    return found, how


def _order_sentences(routine: PathRoutine, order: FixedOrder) -> tuple[str, ...]:
    name, share = short_name(routine.function), format_share(order.covered, routine.taken)
    if order.repeats:
        found = (
            f"Iterations of {name} alternate: {path_words(order.ids)} repeats itself {format_share(order.sure, 1)} of"
            f" the times, in {share} of its paths."
        )
        return found, f"Unroll by {len(order.ids)}, so that each copy knows its branches."
    before, after = path_words(order.ids[: order.known_after]), path_words(order.ids[order.known_after :])
    sure = format_share(order.sure, 1)
    found = f"In {name}, {before} is followed by {after} {sure} of the times, in {share} of its paths."
    return found, "Write these iterations one after the other, without their branches."


def _side_sentence(routine: PathRoutine, side: BranchSide, *, more: int) -> str:
    others = f"; {counted(more, 'side')} more like that" if more else ""
    times = counted(side.times, "time")
    led = f"led to line {side.to_line} in {side.count:,} of" if side.count else f"never led to line {side.to_line}, in"
    return f"Line {side.line} of {short_name(routine.function)} {led} {times}{others}."


def _run_table(found: Sequence[tuple[PathRoutine, IterationRuns]], most: int) -> Table:
    columns = (
        Column("iterations", "iterations", "count", is_hot=True, whole=sum(each.iterations for _, each in found)),
        Column("together", "at once", "count", meaning="iterations that are worth being looked at together"),
        Column("alike", "alike", "count", shown="share", meaning="iterations that begin so many that go one way"),
        Column(
            "if_independent",
            "if chosen anew",
            "count",
            shown="share",
            priority=1,
            meaning="the same if each iteration chose its path independently: all that single paths can tell",
        ),
        Column("lines", "lines", "text", priority=2),
        Column("function", "function", "name"),
        Column("ways", "", shown="below"),
    )
    rows = [
        Row(
            (
                each.iterations,
                each.together,
                Part(round(each.alike * each.iterations), each.iterations),
                Part(round(each.if_independent * each.iterations), each.iterations),
                _line_words(routine, [way.path for way in each.paths]),
                routine.function,
                _ways(routine, each),
            )
        )
        for routine, each in found
    ]
    return Table("runs", "loops that go on as they began", columns, rows, ("by iterations",), "loop", most)


def _ways(routine: PathRoutine, runs: IterationRuns) -> str:
    told = []
    for way in runs.paths:
        lines = line_words(routine.code.lines(way.path))
        where = f" (lines {lines})" if lines else ""
        share = format_share(way.count, runs.iterations)
        told.append(f"path {way.path}{where}: {share}, {way.mean:,.1f} in a row on average")
    return "; ".join(told)


def _order_table(found: Sequence[tuple[PathRoutine, FixedOrder]], taken: int, most: int) -> Table:
    columns = (
        Column("covered", "covers", "count", taken, "both", is_hot=True, meaning="paths that lie in it, at least"),
        Column("sure", "sure", "count", shown="share", meaning="the share of the times in which it goes on so"),
        Column("known_after", "after", "count", priority=2, meaning="paths that tell what follows"),
        Column("kind", "kind", "text", priority=1, is_category=True),
        Column("sequence", "sequence", "text"),
        Column("function", "function", "name"),
        Column("lines", "", shown="below"),
    )
    rows = [
        Row(
            (
                each.covered,
                Part(round(each.sure * each.covered), each.covered),
                each.known_after,
                "alternation" if each.repeats else "trace",
                path_words(each.ids),
                routine.function,
                _lines(routine, each.ids),
            )
        )
        for routine, each in found
    ]
    return Table("orders", "paths in a known order", columns, rows, ("by paths covered, at least",), "sequence", most)


def _side_table(found: Sequence[tuple[PathRoutine, BranchSide]], most: int) -> Table:
    columns = (
        Column("times", "executed", "count", is_hot=True, whole=max(side.times for _, side in found)),
        Column("line", "branch at line", "count"),
        Column("count", "taken", "count", meaning="how often the line that the side begins with was executed"),
        Column("to_line", "leads to line", "count"),
        Column("function", "function", "name"),
    )
    rows = [Row((side.times, side.line, side.count, side.to_line, routine.function)) for routine, side in found]
    return Table(
        "sides", "sides hardly ever taken", columns, rows, ("by how often the branch was executed",), "side", most
    )


def _lines(routine: PathRoutine, paths: Sequence[int]) -> str:
    words = _line_words(routine, paths)
    return f"lines {words}" if words else ""


def _span(routine: PathRoutine, paths: Sequence[int]) -> str:
    lines = {line for path in paths for line in routine.code.lines(path)}
    if not lines:
        return ""
    return f"lines {min(lines)} to {max(lines)}" if len(lines) > 1 else f"line {min(lines)}"


def _line_words(routine: PathRoutine, paths: Sequence[int]) -> str:
    """All lines that some paths come by, ascending."""
    return line_words(sorted({line for path in paths for line in routine.code.lines(path)}))
