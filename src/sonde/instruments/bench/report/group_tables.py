"""Three and more alternatives at once: analyses of variance, and which pairs differ."""

from collections.abc import Iterator, Mapping

from sonde.base.fitted_text import printable
from sonde.base.units import counted
from sonde.evidence import Doubt, Remark, Reservation
from sonde.instruments.bench.judging import GroupComparison, Judgement
from sonde.instruments.bench.report.estimates import Cells, data_columns, data_table, row_of, with_interval
from sonde.instruments.bench.report.series_words import failed_in_words
from sonde.render.quantity import format_percent
from sonde.report import Column, Quantity, Row, Table, Values
from sonde.stats import AnovaTable

FEW_GROUPS = 8
"""Groups that paper has room for."""

_MOST_PAIRS = 45
"""Pairs that are printed, those of ten alternatives."""

_NAMED = 3
"""Pairs that a doubt names."""

_VARIANCE = (
    Column("sum_of_squares", "sum of squares", "number", priority=2),
    Column("degrees_of_freedom", "df", "number", priority=1),
    Column("mean_square", "mean square", "number", priority=3),
    Column("f", "F", "number"),
    Column("p_value", "p", "p-value"),
    Column("source", "source", "name"),
)
_PAIRS = (
    Column("difference", "difference", "measured", axis="linear", meaning="of means"),
    Column("p_value", "p", "p-value"),
    Column("pair", "pair", "name"),
    *data_columns("text", "first second method withheld"),
    *data_columns("count", "sizes"),
    *data_columns("number", "degrees_of_freedom"),
)
_GROUPS = (
    *data_columns("text", "benchmark alternatives withheld variance_method factors_method"),
    *data_columns("count", "variance_sizes factors_sizes"),
    *data_columns("share", "variance_within variance_between factors_within factors_between"),
)


def group_tables(judgement: Judgement, units: Mapping[str, tuple[str, float | None]]) -> Iterator[Table]:
    """Tables of each group, which are numbered from 1, and what programs need to know which is which.

    Those of many groups are not printed; of these all that are of a kind follow one another.

    Args:
        units: of each benchmark, with the least mean, by which its unit is chosen.
    """
    is_shown = len(judgement.groups) <= FEW_GROUPS
    rows: list[Cells] = []
    tables: list[Table] = []
    for number, group in enumerate(judgement.groups, 1):
        name = group.benchmark if len(judgement.groups) > 1 else ""
        cells: Cells = {
            "benchmark": group.benchmark,
            "alternatives": Values(group.alternatives),
            "withheld": group.withheld,
        }
        for key, found in (("variance", group.variance), ("factors", group.factors)):
            if found is None:
                continue
            tables.append(_variance_table(f"{key}-{number}", found, name, len(group.alternatives), is_shown=is_shown))
            cells |= {f"{key}_method": found.method, f"{key}_sizes": Values(found.sizes)}
            cells |= {f"{key}_within": found.within, f"{key}_between": found.between}
        if group.pairs:
            unit = units.get(group.benchmark, ("1", None))
            tables.append(_pair_table(f"pairs-{number}", group, name, *unit, is_shown))
        rows.append(cells)
    yield from tables if is_shown else sorted(tables, key=lambda table: table.title)
    yield data_table("groups", _GROUPS, rows)


def group_notices(judgement: Judgement) -> Iterator[Reservation]:
    """What speaks against analyses, and why there are none."""
    if len(judgement.groups) > FEW_GROUPS:
        yield Remark(
            "",
            f"{len(judgement.groups):,} benchmarks have three alternatives and more: their analyses of variance are in"
            " --json and in the HTML page",
        )
        return
    for group in judgement.groups:
        name = f"{group.benchmark}: " if len(judgement.groups) > 1 else ""
        if group.withheld:
            yield Doubt("", f"{name}no analysis of variance: {group.withheld}")
        looked_at = [table.assumptions for table in (group.variance, group.factors) if table is not None]
        looked_at += [pair.assumptions for pair in group.pairs[:1]]
        failed = dict.fromkeys(failed_in_words(each) for found in looked_at for each in found if each.failed)
        if group.unsure:
            few = ", ".join(f"{printable(pair.second)} - {printable(pair.first)}" for pair in group.unsure[:_NAMED])
            more = ", ..." if len(group.unsure) > _NAMED else ""
            count = counted(len(group.unsure), "difference")
            rest = f"without what does not hold, {count} of {len(group.pairs)} cannot be told: {few}{more}"
            yield Doubt("", f"{name}{rest}", hint="more rounds, or alternatives two by two")
        for text in failed:
            yield Remark("", f"{name}{text}")
        withheld = dict.fromkeys(
            f"no interval of a difference: {pair.withheld}" for pair in group.pairs if pair.withheld
        )
        for text in withheld:
            yield Doubt("", f"{name}{text}")


def _variance_table(key: str, found: AnovaTable, name: str, alternatives: int, *, is_shown: bool) -> Table:
    rows = [
        Row((row.sum_of_squares, row.degrees_of_freedom, row.mean_square, row.f, row.p_value, row.source, name or None))
        for row in found.rows
    ]
    legend = ""
    if is_shown and found.within is not None and found.between is not None:
        legend = (
            f"coefficient of variation: {format_percent(found.within)} within alternatives,"
            f" {format_percent(found.between)} between them"
        )
    notes = (name if is_shown else "", f"{alternatives} of them", found.method)
    whole = "" if is_shown else "all alternatives"
    columns = (*_VARIANCE, _benchmark_column(is_shown))
    return Table(
        key,
        "all alternatives",
        columns,
        rows,
        notes,
        legend=legend,
        is_secondary=not is_shown,
        is_detail=True,
        part_of=whole,
    )


def _pair_table(key: str, group: GroupComparison, name: str, unit: str, least: float | None, is_shown: bool) -> Table:
    rows = []
    columns = (*_PAIRS, _benchmark_column(is_shown))
    for pair in group.pairs:
        is_different = pair.interval is not None and 0.0 not in pair.interval
        cells: Cells = {
            "difference": Quantity(with_interval(pair.difference, pair.interval), unit, least),
            "p_value": pair.p_value,
            "pair": f"{pair.second} - {pair.first}",
            "benchmark": name or None,
            "first": pair.first,
            "second": pair.second,
            "method": pair.method,
            "withheld": pair.withheld,
            "sizes": Values(pair.sizes),
            "degrees_of_freedom": pair.degrees_of_freedom,
        }
        rows.append(row_of(columns, cells, tone="strong" if is_different else ""))
    notes = (name if is_shown else "", group.pairs[0].method)
    title = "differences of means"
    whole = "" if is_shown else title
    return Table(
        key, title, columns, rows, notes, "pair", _MOST_PAIRS, is_secondary=not is_shown, is_detail=True, part_of=whole
    )


def _benchmark_column(is_shown: bool) -> Column:
    """Of which benchmark a row is: the page has the tables of many as one."""
    return Column("benchmark", "benchmark", "name", shown="data" if is_shown else "amount")
