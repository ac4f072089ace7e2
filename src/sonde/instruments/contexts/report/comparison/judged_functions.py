"""What samples say of the functions of two profiles, as a table: what changed first, then what may have."""

from sonde.instruments.contexts.analysis.judged_changes import JudgedChange, JudgedFunctions, Verdict
from sonde.instruments.contexts.profile import is_stand_in
from sonde.instruments.contexts.profile.comparison import ContextDiff, Yardstick
from sonde.instruments.contexts.report.comparison.change_tables import (
    TONES,
    change_unit,
    former_function,
    function_name,
)
from sonde.instruments.contexts.report.comparison.verdict_words import more_or_less, verdict_words
from sonde.instruments.contexts.report.node_label import place_of
from sonde.report import Column, Estimated, Row, Table, Unit

_ORDER: dict[Verdict, int] = {"more": 0, "less": 0, "unknown": 1, "same": 2}


def judged_functions(diff: ContextDiff, judged: JudgedFunctions, *, most: int) -> Table:
    """Each function that could have changed by the least change, with its verdict.

    Args:
        most: rows on paper, >= 1, if no more changed than these.
    """
    yardstick = diff.yardstick
    unit = change_unit(yardstick)
    each_side: Unit = "share" if yardstick.normalise == "total" else unit
    columns = (
        Column("judged", "verdict", meaning="with 95% intervals; percents are of what it was before"),
        Column("before", "before", each_side),
        Column("after", "after", each_side),
        Column("function", "function", "name"),
        Column("place", "", "place"),
        Column("verdict", "in a word", is_category=True, shown="data"),
        Column("change", "change", unit, is_signed=True, shown="data"),
        Column("ratio", "ratio", "ratio", shown="data", axis="log", meaning="after to before, with its interval"),
        Column("p_value", "p", "p-value", shown="data", meaning="adjusted for the number of functions tested"),
        Column("beyond", "not changed beyond", "share", shown="data"),
        Column("status", "status", shown="data"),
        Column("was", "was", "name", shown="data"),
    )
    numbers = sorted(judged.of_pairs, key=lambda number: _place(judged.of_pairs[number]))
    rows = [_row(diff, number, judged.of_pairs[number]) for number in numbers]
    by = f"by {'self time' if yardstick.metric == 'time' else 'calls'}, with 95% intervals"
    return Table(
        "functions",
        "functions, judged",
        columns,
        rows,
        (by,),
        "function",
        max(most, len(judged.changed)),
    )


def verdict_name(verdict: Verdict, yardstick: Yardstick) -> str:
    """As programs read it: `slower`, `not changed`, `cannot say`."""
    if verdict in ("more", "less"):
        return more_or_less(yardstick, is_more=verdict == "more")
    return "not changed" if verdict == "same" else "cannot say"


def _place(each: JudgedChange) -> tuple[int, float]:
    size = abs(each.after - each.before) if each.verdict in ("more", "less") else each.before + each.after
    return _ORDER[each.verdict], -size


def _row(diff: ContextDiff, number: int, each: JudgedChange) -> Row:
    pair, yardstick = diff.contexts.functions.pairs[number], diff.yardstick
    status = diff.function_changes.status[number] if each.verdict in ("more", "less") else "unchanged"
    change = each.after - each.before
    cells = (
        verdict_words(each, yardstick),
        each.before,
        each.after,
        function_name(pair),
        None if is_stand_in(pair.either) else place_of(pair.either),
        verdict_name(each.verdict, yardstick),
        Estimated(change, each.change),
        None if each.ratio is None else Estimated(each.after / each.before, each.ratio),
        each.p_value,
        each.beyond if each.verdict == "same" else None,
        status,
        former_function(pair),
    )
    tone = TONES[status] if each.verdict in ("more", "less") else "faint" if each.verdict == "same" else ""
    return Row(cells, tone=tone)
