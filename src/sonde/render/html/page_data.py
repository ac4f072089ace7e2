"""A report as the page gets it: tables in columns, and each name once. The keys are the contract with `page/`.

Strings, files, functions, names and places are lists of the page; whatever names one of them has its number there.
A name is a text and a function (-1: none); a place is a file, a line, a function and the places that it was inlined
into. A column's `form` says how its cells are written: `number`, `text`, `name` and `place` have one value for each row
(`null`: nothing), `part` two lists; in `mixed` a cell is a number or a list whose first letter is its type. A column
without any cells has no values. Two trees side by side are a table with the columns of both.
"""

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar

from sonde.code import Function, Place
from sonde.render.html.embedded_sources import choose_sources
from sonde.render.html.fair_share import fair_share
from sonde.render.html.flame_data import MOST_FRAMES, flame_data
from sonde.render.html.flow_data import flow_data
from sonde.render.html.packed_samples import PackedSamples
from sonde.render.html.plot_data import LEAST_VALUES, plot_data
from sonde.render.html.ranked_rows import RankedRows, lines_as_table, pairs_as_table
from sonde.render.html.timeline_data import MOST_SPANS, timeline_data
from sonde.render.html.whole_tables import with_whole_tables
from sonde.render.quantity import quantity_text
from sonde.report import (
    Bins,
    Block,
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
    Named,
    Note,
    Notices,
    Part,
    Plot,
    Quantity,
    Record,
    Report,
    SideBySide,
    Table,
    Timeline,
    Values,
)

DATA_VERSION = 1

MAX_LETTERS = 300
"""Of a name, a path or a cell; what is longer is cut."""

_MAX_SENTENCE = 4 * MAX_LETTERS

_MAX_SAID = 10_000
"""Letters of texts below a row or in its details: what compilers say is shorter, and is to be read to its end."""

_MAX_WORDS = 200
"""Facts, notices or findings in a block."""

_MAX_VALUES = 60
"""Of a cell with several."""

_MAX_PLOTTED = 100_000
"""Values of all plots together: 1 MB."""

_MOST_OF_ROWS = 2_000
"""Plots that belong to rows; each has names and means besides its values."""

TONES = ("", "strong", "faint", "bad", "good", "new", "gone", "notable", "first", "second")

Data: TypeAlias = dict[str, Any]
_Item = TypeVar("_Item", bound=Hashable)


class _Numbered(Generic[_Item]):
    """Things that the page has once, numbered from 0 on."""

    def __init__(self, written: Callable[[_Item], Any]) -> None:
        self.numbers: dict[_Item, int] = {}
        self.written: list[Any] = []
        self._write = written

    def of(self, item: _Item) -> int:
        number = self.numbers.get(item)
        if number is None:
            value = self._write(item)
            number = self.numbers[item] = len(self.written)
            self.written.append(value)
        return number


class ReportData:
    """A report that is about to be written into a page."""

    def __init__(self, report: Report) -> None:
        blocks, self._plots_left_out = _with_few_plots(with_whole_tables(report.blocks))
        self._report = report = replace(report, blocks=blocks)
        self._tables = {
            number: _ranked(block)
            for number, block in enumerate(report.blocks)
            if isinstance(block, Table | SideBySide | Listing)
        }
        listed = {block.file: block.text for block in report.blocks if isinstance(block, Listing) and block.text}
        self._texts: Mapping[str, str] = {**report.sources, **listed}
        plots = [block for block in report.blocks if isinstance(block, Plot)]
        values = [sum(max(len(sample.values), LEAST_VALUES) for sample in plot.samples) for plot in plots]
        self._most_values = fair_share(values, _MAX_PLOTTED)
        self._members = PackedSamples(plots)
        timelines = {number: block for number, block in enumerate(report.blocks) if isinstance(block, Timeline)}
        most = MOST_SPANS // max(len(timelines), 1)
        self._timelines = {number: timeline_data(block, most, shortened) for number, block in timelines.items()}

    def page_data(self, *, title: str, most_rows: int, is_brief: bool = False) -> Data:
        """Everything that the page shows, but for the texts of files: see `sources`.

        Args:
            most_rows: of each table, and frames of each flame graph; the heaviest are kept.
            is_brief: columns that are for programs only are left out.
        """
        writer = _Writer(is_brief=is_brief)
        blocks = [self._block(writer, number, most_rows) for number in range(len(self._report.blocks))]
        left_out = self._plots_left_out + self._members.left_out
        return {
            "version": DATA_VERSION,
            "kind": self._report.kind,
            "title": shortened(title),
            "changed": self._report.changed,
            "headline": [_sentence(each) for each in self._report.headline[:_MAX_WORDS]],
            "blocks": blocks,
            "strings": writer.strings.written,
            "files": writer.files.written,
            "functions": writer.functions.written,
            "names": writer.names.written,
            "places": writer.places.written,
            **({"plots_left_out": left_out} if left_out else {}),
            **({"outcome": shortened(self._report.outcome)} if self._report.outcome else {}),
        }

    def sources(self, data: Data, source_bytes: int) -> Data:
        """The texts of files while they fit, in the order in which tables name them; to be added to the data.

        A file whose path was cut has none: it could be taken for another.
        """
        paths: list[str] = data["files"]
        wanted = [path for path in paths if path in self._texts and len(path) < MAX_LETTERS]
        chosen = choose_sources(self._texts, wanted, source_bytes)
        numbers = {path: number for number, path in enumerate(paths)}
        sources = {str(numbers[path]): text for path, text in chosen.texts.items()}
        return {"sources": sources, "sources_left_out": chosen.left_out_files}

    def _block(self, writer: "_Writer", number: int, most_rows: int) -> Data:
        match self._report.blocks[number]:
            case Facts(facts=facts, key=key, is_secondary=is_secondary):
                told = [
                    {
                        "key": each.key,
                        "value": writer.cell(each.value),
                        "unit": each.unit,
                        "words": each.words,
                        "one": each.one,
                    }
                    for each in facts[:_MAX_WORDS]
                ]
                return {"block": "facts", "key": key, "facts": told, "secondary": is_secondary}
            case Notices(notices=notices, key=key):
                listed = [
                    {
                        "kind": each.kind,
                        "text": _sentence(each.detail),
                        "weight": each.weight,
                        "amount": each.amount,
                        "examples": _sentence(each.examples),
                        "hint": _sentence(each.hint),
                    }
                    for each in notices[:_MAX_WORDS]
                ]
                return {"block": "notices", "key": key, "notices": listed, "more": len(notices) - len(listed)}
            case Findings(sentences=sentences, key=key, title=title):
                kept = [_sentence(each) for each in sentences[:_MAX_WORDS]]
                return {"block": "findings", "key": key, "title": _sentence(title), "sentences": kept}
            case Note(text=text, key=key, title=title):
                return {"block": "note", "key": key, "text": _sentence(text)} | ({"title": title} if title else {})
            case Table() | SideBySide() | Listing() as block:
                data = writer.table(self._tables[number], most_rows)
                return data | _both_sides(writer, block, data["rows"]) if isinstance(block, SideBySide) else data
            case Plot() as plot:
                return {
                    "block": "plot",
                    "key": shortened(plot.key),
                    "kind": plot.kind,
                    "title": shortened(plot.title),
                    "notes": [_sentence(note) for note in plot.notes],
                    "legend": _sentence(plot.legend),
                    **({"secondary": True} if plot.is_secondary else {}),
                    **({"axis": shortened(plot.axis)} if plot.axis else {}),
                    **plot_data(plot, self._most_values, MAX_LETTERS, self._members, writer.strings.of),
                }
            case FlowChart() as chart:
                return {
                    "block": "flow",
                    "key": shortened(chart.key),
                    "title": shortened(chart.title),
                    "notes": [_sentence(note) for note in chart.notes],
                    "file": writer.files.of(chart.file) if chart.file else -1,
                    **flow_data(chart, shortened),
                }
            case Timeline() as timeline:
                return {
                    "block": "timeline",
                    "key": shortened(timeline.key),
                    "title": shortened(timeline.title),
                    "notes": [_sentence(note) for note in timeline.notes],
                    "names": [
                        writer.cell(Named(each) if isinstance(each, str) else each)[1] for each in timeline.names
                    ],
                    **self._timelines[number],
                }
            case FlameGraph() as graph:
                return {
                    "block": "flame",
                    "key": shortened(graph.key),
                    "title": shortened(graph.title),
                    "noun": graph.noun,
                    "not_kept": _sentence(graph.not_kept),
                    **flame_data(graph, min(most_rows, MOST_FRAMES), writer.functions.of),
                }


def _with_few_plots(blocks: Iterable[Block]) -> tuple[tuple[Block, ...], int]:
    """The blocks without plots of rows for which there is no room, and how many these are."""
    kept: list[Block] = []
    of_rows = 0
    for block in blocks:
        if isinstance(block, Plot) and block.is_secondary:
            of_rows += 1
            if of_rows > _MOST_OF_ROWS:
                continue
        kept.append(block)
    return tuple(kept), max(of_rows - _MOST_OF_ROWS, 0)


class _Writer:
    """What writes cells, and remembers what they name."""

    def __init__(self, *, is_brief: bool) -> None:
        self._is_brief = is_brief
        self.strings = _Numbered[str](str)
        self.files = _Numbered[str](shortened)
        self.functions = _Numbered[Function](
            lambda each: [
                self.text(each.label),
                self.text(each.module),
                self.files.of(each.file),
                each.first_line,
                self.text(each.kind),
                self.text(each.library),
            ]
        )
        self.names = _Numbered[tuple[str, Function | None]](
            lambda each: [self.text(each[0]), -1 if each[1] is None else self.functions.of(each[1])]
        )
        self.places = _Numbered[Place](
            lambda each: [
                self.files.of(each.file),
                each.line,
                -1 if each.function is None else self.functions.of(each.function),
                [self.places.of(outer) for outer in each.inlined_into],
            ]
        )

    def text(self, text: str, most: int = MAX_LETTERS) -> int:
        """The number of a text, which has at most so many letters."""
        return self.strings.of(_cut(text, most))

    def table(self, ranked: RankedRows, most_rows: int) -> Data:
        table = ranked.table
        columns = list(enumerate(table.columns))
        if self._is_brief:
            columns = [each for each in columns if each[1].shown != "data" or each[1].is_category] or columns
        weight = next((at for at, (number, _) in enumerate(columns) if number == ranked.weight_column), -1)
        rows, depths = ranked.heaviest(most_rows)
        data: Data = {
            "block": "table",
            "key": table.key,
            "title": shortened(table.title),
            "notes": [_sentence(note) for note in table.notes],
            "noun": table.noun,
            "most": table.most,
            "left_out": table.left_out,
            "cut": len(ranked.all[0]) - len(rows),
            "legend": _sentence(table.legend),
            "rest": _sentence(table.rest),
            "grouped": table.is_grouped,
            "secondary": table.is_secondary,
            "weight": weight,
            "rows": len(rows),
            "columns": [
                {**_column_head(column), **self._column([row.cells[number] for row in rows], column)}
                for number, column in columns
            ],
        }
        if any(depths):
            data["depth"] = depths
        if any(row.tone for row in rows):
            data["tone"] = [TONES.index(row.tone) for row in rows]
        for key, texts in (
            ("mark", [row.mark for row in rows]),
            ("led_to_by", [row.led_to_by for row in rows]),
            ("plot", [row.plot for row in rows]),
        ):
            if any(texts):
                data[key] = [self.text(text) for text in texts]
        if any(row.left_out for row in rows):
            data["left_out_below"] = {number: row.left_out for number, row in enumerate(rows) if row.left_out}
        if any(row.leads_to for row in rows):
            data["leads_to"] = {number: list(row.leads_to) for number, row in enumerate(rows) if row.leads_to}
        if table.more_of is not None:
            data["more_of"] = [table.more_of.table, table.more_of.row, shortened(table.more_of.name)]
        if table.of:
            data["of"] = table.of
        if ranked.listed_file is not None:
            data["file"] = self.files.of(ranked.listed_file)
        return data

    def _column(self, cells: Sequence[Cell], column: Column) -> Data:
        if all(cell is None for cell in cells):
            return {"form": "number", "values": []}
        most = _MAX_SAID if column.shown in ("below", "data") else MAX_LETTERS
        if column.unit == "name":  # a text there is a name, too: that of a type, say
            cells = [Named(cell) if isinstance(cell, str) else cell for cell in cells]
        types = {type(cell) for cell in cells} - {type(None)}
        if types == {Part}:
            parts: Sequence[Any] = cells
            return {
                "form": "part",
                "values": [None if part is None else _number(part.amount) for part in parts],
                "wholes": [None if part is None else _number(part.whole) for part in parts],
            }
        if types == {int}:
            return {"form": "number", "values": list(cells)}
        written = [self.cell(cell, most) for cell in cells]
        if types <= {int, float} and not any(isinstance(cell, list) for cell in written):
            return {"form": "number", "values": written}
        for form, letters in (("text", "t"), ("name", "n"), ("place", "l")):
            if all(cell is None or (isinstance(cell, list) and cell[0] == letters) for cell in written):
                return {"form": form, "values": [cell and cell[1] for cell in written]}
        return {"form": "mixed", "values": written}

    def cell(self, cell: Cell, most: int = MAX_LETTERS) -> Any:
        """A cell by itself, as in `mixed` columns; its text has at most so many letters."""
        match cell:
            case None:
                return None
            case bool():
                return ["t", self.text("yes" if cell else "no")]
            case int() | float():
                return _number(cell)
            case str():
                return ["t", self.text(cell, most)]
            case Function():
                return ["n", self.names.of((cell.label, cell))]
            case Named(text=text, function=function):
                return ["n", self.names.of((text, function))]
            case Place():
                return ["l", self.places.of(cell)]
            case Part(amount=amount, whole=whole):
                return ["p", _number(amount), _number(whole)]
            case Estimated(amount=amount, interval=interval):
                return ["i", _number(amount), _number(interval.low), _number(interval.high), interval.level]
            case Change(before=before, after=after):
                return ["c", self.cell(before), self.cell(after)]
            case Bins(counts=counts):
                return ["b", *counts]
            case Margin(amount=amount, around=around, bound=bound):
                told = (None if each is None else _number(each) for each in (around, bound.above if bound else None))
                return ["m", _number(amount), *told, bound is not None and bound.may_cross]
            case Quantity(value=value):
                return ["q", self.cell(value), self.text(quantity_text(cell)), self.text(cell.unit)]
            case Values(values=values):
                return ["v", len(values), *(self.cell(each, most) for each in values[:_MAX_VALUES])]
            case Record(value=value):
                return ["r", _sentence(json.dumps(value, ensure_ascii=False, indent=1))]


def _ranked(block: Table | SideBySide | Listing) -> RankedRows:
    if isinstance(block, Listing):
        return lines_as_table(block)
    return RankedRows(block) if isinstance(block, Table) else RankedRows(pairs_as_table(block), keeps_first=True)


def _both_sides(writer: _Writer, block: SideBySide, count: int) -> Data:
    """What a table does not tell of two trees: their names, and the marks of the right one's rows."""
    marks = [right.mark if right is not None else "" for _, _, right in islice(block.lines(), count)]
    data: Data = {"sides": [[shortened(side.key), shortened(side.title)] for side in (block.left, block.right)]}
    return data | ({"right_mark": [writer.text(mark) for mark in marks]} if any(marks) else {})


def _column_head(column: Column) -> Data:
    """What is said of a column; what is as usual is not said."""
    head: Data = {"key": column.key, "title": shortened(column.title), "unit": column.unit}
    said: Data = {
        "whole": None if column.whole is None else _number(column.whole),
        "shown": "" if column.shown == "amount" else column.shown,
        "hot": column.is_hot,
        "signed": column.is_signed,
        "priority": column.priority,
        "meaning": _sentence(column.meaning),
        "scale": list(column.scale) if any(column.scale) else None,
        "axis": column.axis,
        "category": column.is_category,
    }
    return head | {key: value for key, value in said.items() if value not in (None, "", False, 0) or key == "whole"}


def _number(value: float) -> Any:
    """A number as JSON has it: nine digits of a fraction; what is not finite by its name."""
    if isinstance(value, int):
        return int(value)
    return float(f"{value:.9g}") if math.isfinite(value) else ["x", str(value)]


def shortened(text: str) -> str:
    """A name that no page breaks at."""
    return _cut(text, MAX_LETTERS)


def _sentence(text: str) -> str:
    return _cut(text, _MAX_SENTENCE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"
