"""Two memory profiles compared, as a report: what misses more, and what misses less."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sonde.base.units import format_count, format_percent
from sonde.code import CodeSelection, Place, no_code_left
from sonde.instruments.memory.options import (
    ACCESSES_FIRST,
    COST_FIRST,
    MemoryDiffOptions,
    check_latencies,
    level_of_order,
)
from sonde.instruments.memory.profile import Latencies, MemoryChange, MemoryCounts, MemoryDifference
from sonde.instruments.memory.report.code_names import NO_NAME
from sonde.instruments.memory.report.order import COST_NOUN, miss_key, reaching
from sonde.report import (
    DISPENSABLE,
    Block,
    Cell,
    Change,
    Column,
    Fact,
    Facts,
    Note,
    Part,
    Report,
    Row,
    Shown,
    Table,
    Tone,
    amount_text,
    short_name,
    times_text,
    total_change,
)

_LEGEND = (
    "changes: more or fewer accesses and misses after; rate: misses of the accesses that reached that cache, before and"
    " after; + only after, − only before"
)


def difference_report(
    difference: MemoryDifference,
    options: MemoryDiffOptions | None = None,
    *,
    names: tuple[str, str] = ("before", "after"),
    min_change: float = 0.0,
) -> Report:
    """What changed, the largest change first.

    Raises:
        UsageError: `unknown-order`, `bad-latencies`; `no-code-left`, no function has the least share.
    """
    options = options or MemoryDiffOptions()
    level = level_of_order(options.sort, difference.levels)
    if options.latencies and difference.levels:
        check_latencies(options.latencies, len(difference.levels))
        difference = replace(difference, latencies=Latencies(options.latencies, "given"))
    if options.min_share:
        difference = _with_share(difference, level, options.min_share)
    tables = [
        _change_table(difference, key, title, noun, changes, level, options.rows)
        for key, title, noun, changes in (
            ("python_functions", "Python functions", "Python function", difference.python_functions),
            ("python_lines", "Python lines", "Python line", difference.python_lines),
            (
                "inclusive_functions",
                "Python functions with what they called",
                "Python function",
                difference.inclusive_functions,
            ),
            ("native_functions", "native functions", "native function", difference.native_functions),
            ("native_lines", "native lines", "native line", difference.native_lines),
            ("types", "types and regions", "type", difference.types),
        )
        if changes
    ]
    legend = _LEGEND
    if difference.levels:
        cycles = ", ".join(map(str, difference.latencies.cycles))
        legend += f"; cycles lost: an estimate, with latencies of {cycles} cycles on both sides"
    body: list[Block] = [*tables, Note(legend, "legend")] if tables else [Note("nothing else changed")]
    words = ", ".join(
        filter(None, (f"what ran in '{options.from_}'" if options.from_ else "", options.selection.words()))
    )
    if words:
        body.insert(0, Facts((Fact("selection", f"{words}; totals are of the whole runs"),), "selection"))
    changed = difference.has_changes(min_change)
    headline = (_headline(difference, level, words),)
    return Report(
        "memory-diff", " → ".join(names), (_total_table(difference), *body), changed=changed, headline=headline
    )


def _with_share(difference: MemoryDifference, level: int, share: float) -> MemoryDifference:
    """What has a share of what is sorted by: of the heavier run, on either side."""
    least = share * _heavier(difference, level, difference.total)

    def kept(changes: Sequence[MemoryChange]) -> tuple[MemoryChange, ...]:
        return tuple(each for each in changes if _heavier(difference, level, each) >= least)

    if difference.functions and not kept(difference.functions):
        asked = f"what has at least {format_percent(share)} of the {_noun(difference, level)} of the heavier run"
        raise no_code_left(
            CodeSelection(), (), what="function that accessed memory", and_words=asked, hint="a smaller --min-share"
        )
    return replace(
        difference,
        python_functions=kept(difference.python_functions),
        python_lines=kept(difference.python_lines),
        native_functions=kept(difference.native_functions),
        native_lines=kept(difference.native_lines),
        types=kept(difference.types),
        inclusive_functions=kept(difference.inclusive_functions),
        functions=kept(difference.functions),
        is_whole=False,
    )


def _heavier(difference: MemoryDifference, level: int, change: MemoryChange) -> int:
    return max(_amount(difference, level, side) for side in (change.before, change.after))


def _headline(difference: MemoryDifference, level: int, of_what: str) -> str:
    """The function that changed most, and the total.

    Args:
        of_what: which functions are looked at, in words; empty for all.
    """
    what = _noun(difference, level)

    def amount(side: MemoryCounts) -> int:
        return _amount(difference, level, side)

    total = total_change(amount(difference.total.before), amount(difference.total.after))
    functions = difference.python_functions or difference.native_functions
    most = max(functions, key=lambda each: abs(_weight(difference, level, each)), default=None)
    if most is None or not _weight(difference, level, most):
        return f"no function's {what} changed{f' ({of_what})' if of_what else ''}{total}."
    before, after = amount(most.before), amount(most.after)
    times = times_text(before, after)
    changed = amount_text(after - before, "count", is_signed=True)
    more = "more" if after > before else "fewer"
    return f"{short_name(most.name or NO_NAME)} has {more} {what}: {changed}{f' ({times})' if times else ''}{total}."


def _noun(difference: MemoryDifference, level: int) -> str:
    return {ACCESSES_FIRST: "accesses", COST_FIRST: COST_NOUN}.get(level) or f"{difference.levels[level]} misses"


def _total_table(difference: MemoryDifference) -> Table:
    before, after = difference.total.before, difference.total.after
    rows = [Row(("accesses", before.accesses, after.accesses, _ratio(before.accesses, after.accesses), None))]
    for level, name in enumerate(difference.levels):
        rates = _rates(before, after, level)
        old, new = before.misses[level], after.misses[level]
        rows.append(Row((f"{name} misses", old, new, _ratio(old, new), rates)))
    if difference.levels:
        old, new = (difference.latencies.lost(side.misses) for side in (before, after))
        rows.append(Row((COST_NOUN, old, new, _ratio(old, new), None)))
    columns = (
        Column("what", "", "name"),
        Column("before", "before", "count"),
        Column("after", "after", "count"),
        Column("change", "change", "share", is_signed=True),
        Column("rate", "rate", "count", priority=1),
    )
    return Table("total", "", columns, rows)


def _ratio(before: int, after: int) -> float | None:
    """How much more there is after, as a share of before."""
    return (after - before) / before if before else None


def _change_table(
    difference: MemoryDifference,
    key: str,
    title: str,
    noun: str,
    changes: Sequence[MemoryChange],
    level: int,
    most: int,
) -> Table:
    by = _noun(difference, level)
    rated = level if level >= 0 else len(difference.levels) - 1
    weight = partial(_weight, difference, level)
    listed = sorted(changes, key=lambda each: (-abs(weight(each)), -abs(each.accesses)))
    rows = [Row(_cells(each, difference, rated), tone=_tone(weight(each)), mark=_mark(each)) for each in listed]
    last = len(difference.levels) - 1
    kept = {last, level if 0 <= level < last else 0} if level != COST_FIRST else {last}
    shown: Shown = "amount" if level == COST_FIRST else "data"
    cost = Column("cost", "cycles lost", "count", shown=shown, is_signed=True, is_hot=level == COST_FIRST)
    columns = (
        *((cost,) if difference.levels else ()),
        Column("accesses", "accesses", "count", is_signed=True, is_hot=level == ACCESSES_FIRST),
        *(
            Column(
                *(miss_key(name), f"{name} misses", "count"),
                is_signed=True,
                is_hot=number == level,
                priority=0 if number in kept else DISPENSABLE if level == COST_FIRST else 2,
            )
            for number, name in enumerate(difference.levels)
        ),
        *(
            (
                Column(
                    "rate",
                    f"{difference.levels[rated]} rate",
                    "count",
                    priority=DISPENSABLE if level == COST_FIRST else 1,
                ),
            )
            if difference.levels
            else ()
        ),
        Column("name", noun.split(" ")[-1], "name"),
        Column("place", "", "place"),
    )
    notes = (f"by change of {by}", f"{format_count(len(changes))} changed")
    secondary = key == "native_lines" and bool(difference.python_lines)
    is_detail = key == "inclusive_functions"
    return Table(key, title, columns, rows, notes, noun, most, is_secondary=secondary, is_detail=is_detail)


def _cells(change: MemoryChange, difference: MemoryDifference, level: int) -> tuple[Cell, ...]:
    rates = (_rates(change.before, change.after, level),) if difference.levels else ()
    sides = zip((change.before, change.after), change.lines, strict=True)
    places = [Place(change.file, line) if side.accesses or line else None for side, line in sides]
    lost = [Change(*(difference.latencies.lost(side.misses) for side in (change.before, change.after)))]
    return (
        *(lost if difference.levels else ()),
        Change(change.before.accesses, change.after.accesses),
        *map(Change, change.before.misses, change.after.misses),
        *(*rates, change.name or NO_NAME, Change(*places) if change.file else None),
    )


def _rates(before: MemoryCounts, after: MemoryCounts, level: int) -> Change:
    old, new = (Part(side.misses[level], reaching(side.accesses, side.misses, level)) for side in (before, after))
    return Change(old, new)


def _weight(difference: MemoryDifference, level: int, change: MemoryChange) -> int:
    return _amount(difference, level, change.after) - _amount(difference, level, change.before)


def _amount(difference: MemoryDifference, level: int, side: MemoryCounts) -> int:
    if level == COST_FIRST:
        return difference.latencies.lost(side.misses)
    return side.accesses if level == ACCESSES_FIRST else side.misses[level]


def _tone(weight: int) -> Tone:
    return "bad" if weight > 0 else "good" if weight < 0 else ""


def _mark(change: MemoryChange) -> str:
    if not change.before.accesses:
        return "+"
    return "−" if not change.after.accesses else ""
