"""A report as JSON: one schema for all instruments, values with their units.

{"schema": "sonde.report/1", "kind": "memory", "title": ..., "headline": [...], "blocks": [
  {"type": "facts", "key": "run", "facts": [{"key": "accesses", "value": 2006000, "unit": "count"}, ...]},
  {"type": "table", "key": "functions", "columns": [{"key": "accesses", "unit": "count", "whole": 2006000}, ...],
   "rows": [{"function": {"name": "sum", ...}, "accesses": 1000, "misses": {"value": 12, "of": 1000}}, ...]}]}
"""

from typing import Any

from sonde.code import Function, Place
from sonde.report import (
    Bins,
    Cell,
    Change,
    Column,
    Estimated,
    Facts,
    Findings,
    FlameGraph,
    FlowChart,
    Listing,
    Margin,
    MoreOf,
    Named,
    Note,
    Notices,
    Part,
    Plot,
    Quantity,
    Record,
    Report,
    Row,
    Sample,
    SideBySide,
    Table,
    Timeline,
    Values,
)

SCHEMA = "sonde.report/1"

_ONE_SIDED = {"gone": "before", "first": "before", "new": "after", "second": "after"}

Data = dict[str, Any]


def report_data(report: Report) -> Data:
    """Everything that the report holds but the texts of sources and flame graphs, which a table has, too.

    Cost: O(n) for n cells. Trees are nested as deep as they are: write them with `sonde.options.compact_json`.
    """
    data: Data = {"schema": SCHEMA, "kind": report.kind, "title": report.title}
    if report.changed is not None:
        data["changed"] = report.changed
    if report.is_undecided:
        data["undecided"] = True
    if report.headline:
        data["headline"] = list(report.headline)
    data["blocks"] = [_block(block) for block in report.blocks if not isinstance(block, FlameGraph)]
    return data


def cell_data(cell: Cell) -> Any:
    """A cell: numbers and texts as they are, other values as objects; what is not finite is `null`.

    >>> cell_data(Part(1, 8)), cell_data(float("nan")), cell_data("text")
    ({'value': 1, 'of': 8}, None, 'text')
    """
    match cell:
        case None | str() | int():
            return cell
        case float():
            return cell if cell - cell == 0 else None
        case Part(amount=amount, whole=whole):
            return {"value": cell_data(amount), "of": cell_data(whole)}
        case Estimated(amount=amount, interval=interval):
            return {
                "value": cell_data(amount),
                "low": cell_data(interval.low),
                "high": cell_data(interval.high),
                "confidence": interval.level,
            }
        case Margin(amount=amount, around=around, bound=bound):
            data: Data = {"value": cell_data(amount), "may_cross": bound is not None and bound.may_cross}
            said = {"around": cell_data(around), "above": None if bound is None else cell_data(bound.above)}
            return data | {key: value for key, value in said.items() if value is not None}
        case Quantity(value=value, unit=unit):
            told = cell_data(value)
            return {**(told if isinstance(told, dict) else {"value": told}), "unit": unit}
        case Record(value=value):
            return value
        case Values(values=values):
            return [None if isinstance(each, float) and each - each != 0 else each for each in values]
        case Change(before=before, after=after):
            return {"before": cell_data(before), "after": cell_data(after)}
        case Bins(counts=counts):
            return {"counts": list(counts)}
        case Named(text=text, function=function):
            return {"text": text, **(_function(function) if function is not None else {})}
        case Function():
            return _function(cell)
        case Place():
            return _place(cell)


def _block(
    block: Facts | Notices | Findings | Note | Table | SideBySide | Listing | Plot | FlowChart | Timeline,
) -> Data:
    match block:
        case Facts(facts=facts, key=key):
            told = [{"key": fact.key, "value": cell_data(fact.value), "unit": fact.unit} for fact in facts]
            return {"type": "facts", "key": key, "facts": told}
        case Notices(notices=notices, key=key):
            listed = [
                {"kind": each.kind, "weight": each.weight, "text": each.detail, "amount": each.amount}
                | ({"examples": each.examples} if each.examples else {})
                | ({"hint": each.hint} if each.hint else {})
                for each in notices
            ]
            return {"type": "notices", "key": key, "notices": listed}
        case Findings(sentences=sentences, key=key):
            return {"type": "findings", "key": key, "findings": list(sentences)}
        case Note(text=text, key=key, title=title):
            return {"type": "note", "key": key, "text": text} | ({"title": title} if title else {})
        case Table():
            return _table(block)
        case SideBySide():
            return _side_by_side(block)
        case Listing():
            return _listing(block)
        case Plot():
            return _plot(block)
        case FlowChart():
            return _flow_chart(block)
        case Timeline():
            return _timeline(block)


def _table(table: Table) -> Data:
    data: Data = {
        "type": "table",
        "key": table.key,
        "title": table.title,
        "columns": [_column(column) for column in table.columns],
        "rows": _rows(table),
    }
    if table.left_out:
        data["left_out"] = table.left_out
    return data | _more_of(table.more_of)


def _side_by_side(block: SideBySide) -> Data:
    data: Data = {
        "type": "side-by-side",
        "key": block.key,
        "title": block.title,
        "columns": [_column(column) for column in block.left.columns],
        "left": {"title": block.left.title, "rows": _rows(block.left)},
        "right": {"title": block.right.title, "rows": _rows(block.right)},
        "pairs": [list(pair) for pair in block.pairs],
    }
    return data | _more_of(block.more_of)


def _more_of(more_of: MoreOf | None) -> Data:
    return {} if more_of is None else {"more_of": {"key": more_of.table, "row": more_of.row, "name": more_of.name}}


def _column(column: Column) -> Data:
    data: Data = {"key": column.key, "title": column.title, "unit": column.unit}
    if column.whole is not None:
        data["whole"] = cell_data(column.whole)
    if column.meaning:
        data["meaning"] = column.meaning
    return data


def _rows(table: Table) -> list[Data]:
    """Rows with those below them; no recursion, since trees of calls are deep."""
    keys = [column.key for column in table.columns]
    top: list[Data] = []
    pending: list[tuple[Row, list[Data]]] = [(row, top) for row in reversed(table.rows)]
    while pending:
        row, into = pending.pop()
        # Most cells are texts and records: what they are is not looked for among all cells.
        data: Data = {
            key: cell if isinstance(cell, str) else cell.value if isinstance(cell, Record) else cell_data(cell)
            for key, cell in zip(keys, row.cells, strict=True)
            if cell is not None
        }
        if row.tone in _ONE_SIDED:
            data["only"] = _ONE_SIDED[row.tone]
        if row.led_to_by:
            data["led_to_by"] = row.led_to_by
        if row.left_out:
            data["left_out"] = row.left_out
        if row.leads_to is not None:
            data["leads_to"] = {"key": row.leads_to[0], "row": row.leads_to[1]}
        into.append(data)
        if row.below:
            below: list[Data] = []
            data["below"] = below
            pending.extend((each, below) for each in reversed(row.below))
    return top


def _flow_chart(chart: FlowChart) -> Data:
    """Blocks in their order, by which edges and ways name them."""
    return {
        "type": "flow-chart",
        "key": chart.key,
        "title": chart.title,
        "file": chart.file,
        "blocks": [
            {"times": block.amount, "line": block.line, "lines": block.lines, "inlined": list(block.inlined)}
            for block in chart.blocks
        ],
        "edges": [
            {"from": edge.source, "to": edge.target, "times": edge.amount, "is_exceptional": edge.is_exceptional}
            for edge in chart.edges
        ],
        "ways": [{"name": way.name, "times": way.amount, "blocks": list(way.blocks)} for way in chart.ways],
    }


def _timeline(timeline: Timeline) -> Data:
    """Lanes in columns: there may be millions of spans."""
    return {
        "type": "timeline",
        "key": timeline.key,
        "title": timeline.title,
        "duration_ns": timeline.duration_ns,
        "names": [cell_data(name) for name in timeline.names],
        "lanes": [
            {
                "group": lane.group,
                "depth": lane.depth,
                "starts_ns": list(lane.starts),
                "ends_ns": list(lane.ends),
                "names": list(lane.names),
            }
            for lane in timeline.lanes
        ],
        "marks_ns": list(timeline.marks),
    }


def _listing(listing: Listing) -> Data:
    keys = [column.key for column in listing.columns]
    texts = listing.text.splitlines()
    return {
        "type": "listing",
        "key": listing.key,
        "title": listing.title,
        "file": listing.file,
        "columns": [_column(column) for column in listing.columns],
        "lines": [
            {"line": line, "source": texts[line - 1] if 0 < line <= len(texts) else None}
            | {key: cell_data(cell) for key, cell in zip(keys, cells, strict=True) if cell is not None}
            for line, cells in sorted(listing.lines.items())
        ],
    }


def _plot(plot: Plot) -> Data:
    samples = [_sample(sample) for sample in plot.samples]
    return {"type": "plot", "key": plot.key, "kind": plot.kind, "title": plot.title, "samples": samples}


def _sample(sample: Sample) -> Data:
    data: Data = {
        "name": sample.name,
        "unit": sample.unit,
        "values": [cell_data(value) for value in sample.values],
        "mean": cell_data(sample.mean),
        "median": cell_data(sample.median),
        "outliers": list(sample.outliers),
        "counted": None if sample.counted is None else list(sample.counted),
    }
    if sample.gaps:
        data["gaps"] = [{"place": place, "why": why} for place, why in sorted(sample.gaps.items())]
    if sample.members:
        data["members"] = [_sample(member) for member in sample.members]
    return data


def _function(function: Function) -> Data:
    data: Data = {"name": function.name, "label": function.label, "module": function.module}
    data |= {"file": function.file, "line": function.first_line}
    data |= {"kind": function.kind, "language": function.language}
    return data | ({"library": function.library} if function.library else {})


def _place(place: Place) -> Data:
    data: Data = {"file": place.file, "line": place.line}
    if place.function is not None:
        data["function"] = place.function.name
    if place.inlined_into:
        data["inlined_into"] = [_place(each) for each in place.inlined_into]
    return data
