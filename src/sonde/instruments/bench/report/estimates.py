"""What statistics found, as cells and rows of tables: with an interval where one was stated."""

from collections.abc import Iterable, Mapping, Sequence

from sonde.evidence import Interval
from sonde.report import Cell, Column, Estimated, Quantity, Row, Table, Tone, Unit, Values
from sonde.stats import Assumption, Estimate, Test

Cells = dict[str, Cell]
"""Cells of a row by the key of their column."""


_ASSUMPTIONS = (
    Column("name", "assumption"),
    Column("holds", "holds", meaning="nothing: not known", is_category=True),
    Column("finding", "finding"),
    Column("of", "estimate", priority=1),
    Column("subject", "of", "name", priority=2),
    Column("table", "table", shown="data"),
    Column("row", "row", "count", shown="data"),
)


def with_interval(value: float, interval: Interval | None) -> float | Estimated:
    """A value, with its interval where there is one."""
    value = float(value)
    return value if interval is None else Estimated(value, interval)


def measured(estimate: Estimate | None, unit: str, least: float | None = None) -> Quantity | None:
    """An estimate in the unit of a metric."""
    return None if estimate is None else Quantity(with_interval(estimate.value, estimate.interval), unit, least)


def how_found(key: str, found: Estimate | Test | None) -> Cells:
    """The method of an estimate or a test, the sizes of its samples, and why it states no interval."""
    if found is None:
        return {}
    return {f"{key}_method": found.method, f"{key}_sizes": Values(found.sizes), f"{key}_withheld": found.withheld}


def data_columns(unit: Unit, keys: str) -> tuple[Column, ...]:
    """Columns for programs.

    >>> [column.key for column in data_columns("count", "failed rounds")]
    ['failed', 'rounds']
    """
    return tuple(Column(key, key.replace("_", " "), unit, shown="data") for key in keys.split())


def row_of(
    columns: Sequence[Column], cells: Mapping[str, Cell], *, tone: Tone = "", mark: str = "", plot: str = ""
) -> Row:
    """A row with the cells that it has."""
    return Row(tuple(cells.get(column.key) for column in columns), tone=tone, mark=mark, plot=plot)


def data_table(key: str, columns: Sequence[Column], rows: Iterable[Mapping[str, Cell]]) -> Table:
    """A table for pages and programs, of which paper says what matters elsewhere."""
    made = [row_of(columns, cells) for cells in rows]
    return Table(key, key, tuple(columns), made, is_secondary=True)


def assumption_table(looked_at: Iterable[tuple[str, int, str, str, tuple[Assumption, ...]]]) -> Table:
    """Everything that was looked at, and whether it holds.

    Args:
        looked_at: in which table, which of its rows, what that is called, which estimate, and what that assumes.
    """
    rows = []
    for table, row, subject, of, assumptions in looked_at:
        for each in assumptions:
            cells: Cells = {"table": table, "row": row, "subject": subject, "of": of, "name": each.name}
            cells |= {"holds": _truth(each), "finding": each.finding}
            rows.append(row_of(_ASSUMPTIONS, cells, tone="bad" if each.failed else ""))
    return Table("assumptions", "assumptions", _ASSUMPTIONS, rows, noun="assumption", is_secondary=True)


def _truth(assumption: Assumption) -> bool | None:
    return None if assumption.holds is None else bool(assumption.holds)
