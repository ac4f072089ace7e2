"""What each line of source costs, as a table."""

from collections.abc import Mapping, Sequence

from sonde.base.units import counted
from sonde.code import is_import_machinery
from sonde.instruments.contexts.analysis.line_costs import LineCost
from sonde.instruments.contexts.analysis.line_shares import LEAST_SAMPLES
from sonde.instruments.contexts.profile import ContextProfile
from sonde.report import Cell, Column, Margin, Row, Shown, Table, Unit

MOST_LINES = 25
"""Lines on paper."""
_BY_FUNCTION = (
    "time in calls is known by line; self time by function: it stands where the function begins"
    " (sonde contexts --lines samples it by line)"
)
_SAMPLED = (
    f"self time by line is sampled; of functions seen fewer than {LEAST_SAMPLES} times it stands where they begin"
)
_OF_WHOLE_RUN = "within a function, time is divided among its lines as in the whole run"


def line_table(
    profile: ContextProfile, costs: Sequence[LineCost], *, is_printed: bool = False, is_part: bool = False
) -> Table:
    """Lines with their calls, their own weight, and the weight of calls from there.

    Args:
        costs: of the lines of the profile.
        is_printed: on paper, too, with the text of each line; those of the import machinery come last.
        is_part: the profile is a part of the run.
    Cost: O(n log n) for n lines.
    """
    is_sampled = any(cost.around is not None for cost in costs)
    texts = _SourceLines(profile.sources if is_printed else {})

    def row(cost: LineCost) -> Row:
        own: tuple[Cell, ...] = (cost.own,) if profile.has_time else ()
        if is_sampled:
            own = (*own, None if cost.around is None or cost.own is None else Margin(cost.own, cost.around))
        text = (texts.text_of(cost.place.file, cost.place.line),) if is_printed else ()
        calls: tuple[Cell, ...] = (cost.calls,) if profile.has_calls else ()
        return Row((*calls, *own, cost.callees, cost.place, *text))

    if is_printed:
        costs = sorted(costs, key=_is_of_imports)
    notes = (f"of the {counted(len(profile.contexts), 'heaviest context')}",) if profile.pruned_contexts else ()
    order = (
        "what is theirs, and what is called from there"
        if is_sampled
        else "what begins there, and what is called from there"
    )
    legend = [_SAMPLED, *([_OF_WHOLE_RUN] if is_part else [])] if is_sampled else [_BY_FUNCTION]
    return Table(
        "lines",
        "lines",
        _columns(profile, is_printed, is_sampled),
        [row(cost) for cost in costs],
        (order, *notes),
        "line",
        MOST_LINES if is_printed else 0,
        legend="\n".join(legend) if is_printed and profile.has_time else "",
        is_secondary=not is_printed,
    )


def _is_of_imports(cost: LineCost) -> bool:
    """Each import goes through a dozen of these lines."""
    return cost.place.function is not None and is_import_machinery(cost.place.function)


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


def _columns(profile: ContextProfile, is_printed: bool, is_sampled: bool) -> tuple[Column, ...]:
    begins = "of the function that begins there"
    made, meaning = f"{begins}, else made from there", "in calls made from there"
    calls = (Column("calls", "calls", "count", profile.total_calls, priority=int(is_printed), meaning=made),)
    title = "callees" if profile.has_time else "calls below"
    unit: Unit = "duration" if profile.has_time else "count"
    shown: Shown = "both" if is_printed else "amount"
    callees = Column("callees", title, unit, profile.whole, shown, is_hot=True, meaning=meaning)
    meaning = "of the line itself; of a function that was hardly seen, where it begins" if is_sampled else begins
    own = Column(
        "self", "self", "duration", profile.whole, "both" if is_sampled else "amount", is_hot=True, meaning=meaning
    )
    margin = Column("margin", "±", "margin", priority=1)
    owns = (*((own,) if profile.has_time else ()), *((margin,) if is_sampled else ()))
    columns = *(calls if profile.has_calls else ()), *owns, callees, Column("line", "line", "place")
    return (*columns, Column("source", "source")) if is_printed else columns
