"""What each line of source costs, as a table."""

from collections.abc import Mapping

from sonde.base.units import counted
from sonde.code import CodeSelection
from sonde.instruments.contexts.analysis.line_costs import LineCost, line_costs
from sonde.instruments.contexts.profile import ContextProfile, FunctionTotals
from sonde.report import Column, Row, Shown, Table, Unit

MOST_LINES = 25
"""Lines on paper."""

_IMPORT_MACHINERY = "<frozen importlib"
"""Its lines are last: each import goes through a dozen of them."""
_OWN = "time in calls is known by line; own time by function: it stands where the function begins"


def line_table(
    profile: ContextProfile, totals: FunctionTotals, selection: CodeSelection | None = None, *, is_printed: bool = False
) -> Table:
    """Lines with the calls, the own weight of the functions that begin there, and the weight of calls from there.

    Args:
        totals: of the functions of the profile.
        selection: the functions whose lines are listed; all calls that are made from there count.
        is_printed: on paper, too, with the text of each line; those of the import machinery come last.
    Cost: O(n log n) for n contexts.
    """

    texts = _SourceLines(profile.sources if is_printed else {})

    def row(cost: LineCost) -> Row:
        own = (cost.own,) if profile.has_time else ()
        text = (texts.text_of(cost.place.file, cost.place.line),) if is_printed else ()
        return Row((cost.calls, *own, cost.callees, cost.place, *text))

    costs = line_costs(profile, totals)
    if selection is not None:
        costs = [cost for cost in costs if cost.place.function is None or selection.has(cost.place.function)]
    if is_printed:
        costs.sort(key=lambda cost: cost.place.file.startswith(_IMPORT_MACHINERY))
    notes = (f"of the {counted(len(profile.contexts), 'heaviest context')}",) if profile.pruned_contexts else ()
    return Table(
        "lines",
        "lines",
        _columns(profile, is_printed),
        [row(cost) for cost in costs],
        ("what begins there, and what is called from there", *notes),
        "line",
        MOST_LINES if is_printed else 0,
        legend=_OWN if is_printed and profile.has_time else "",
        is_secondary=not is_printed,
    )


class _SourceLines:
    """Texts of lines, of the files whose source was kept."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._split: dict[str, list[str]] = {}

    def text_of(self, file: str, line: int) -> str:
        """A line without its indentation; empty where it is not known."""
        if file not in self._split:
            self._split[file] = self._sources.get(file, "").splitlines()
        lines = self._split[file]
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _columns(profile: ContextProfile, is_printed: bool) -> tuple[Column, ...]:
    begins = "of the function that begins there"
    made, meaning = f"{begins}, else made from there", "in calls made from there"
    calls = Column("calls", "calls", "count", profile.total_calls, priority=int(is_printed), meaning=made)
    title = "callees" if profile.has_time else "calls below"
    unit: Unit = "duration" if profile.has_time else "count"
    shown: Shown = "both" if is_printed else "amount"
    callees = Column("callees", title, unit, profile.whole, shown, is_hot=True, meaning=meaning)
    own = Column("self", "self", "duration", profile.whole, is_hot=True, meaning=begins)
    columns = calls, *((own,) if profile.has_time else ()), callees, Column("line", "line", "place")
    return (*columns, Column("source", "source")) if is_printed else columns
