"""Several reports of one program as one: what each of them tells of a function, beside the others.

This is the vertical view: a hot function, the caches that it misses and what the compiler decided about it in one row,
and their lines in one listing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sonde.base.units import format_count, format_share
from sonde.code import Function, FunctionIndex, Place
from sonde.evidence import Reservation
from sonde.report.cells import Cell, Margin, Named, weight_of
from sonde.report.change_words import short_name
from sonde.report.report import Block, Report
from sonde.report.table import Column, Listing, Row, Table
from sonde.report.words import Facts, Note, Notices

_COLUMNS_EACH = 3
"""Of a report's amounts, the first ones: more would not stand side by side."""

_MOST_ROWS = 20
_MOST_SENTENCES = 3
"""Of a headline."""
_MOST_LISTINGS = 2
_MOST_LINES = 15


@dataclass(frozen=True, slots=True)
class _Part:
    """What one report tells of functions."""

    report: Report
    table: Table
    functions: tuple[Function, ...]
    """Of the rows of `table`."""
    rows: tuple[Row, ...]
    amounts: tuple[int, ...]
    """Columns that are shown beside those of others."""

    @property
    def hot(self) -> int:
        """The column that its rows are in the order of."""
        return _hot_column(self.table, self.amounts[0])

    @property
    def hottest(self) -> int:
        """The row with most of that."""
        return max(range(len(self.rows)), key=lambda row: weight_of(self.rows[row].cells[self.hot]))

    @property
    def noun(self) -> str:
        """What there is most of in that row: `time`, `L3 misses`."""
        column = self.table.columns[self.hot]
        return "time" if column.unit == "duration" else column.title

    def share_text(self, row: int) -> str:
        """`41%`, `about 41%` where that was sampled."""
        column, amounts = self.table.columns[self.hot], [weight_of(each.cells[self.hot]) for each in self.rows]
        whole = 1.0 if column.unit == "share" else float(column.whole or sum(amounts))
        about = "about " if any(isinstance(cell, Margin) for cell in self.rows[row].cells) else ""
        return f"{about}{format_share(amounts[row], whole)}"


def joined_report(reports: Sequence[Report], titles: Sequence[str]) -> Report:
    """One report of several.

    The headline has the first sentence of each. The functions of the first report come first, in its order; then those
    that only others tell of. Tables of the reports follow for pages and programs, with the reports' kinds before their
    keys.

    Args:
        reports: of different kinds.
        titles: what to call each of them.
    Cost: O(n) for n rows.
    """
    parts = [part for report in reports if (part := _part_of(report)) is not None]
    blocks: list[Block] = [*_heads(reports)]
    if len(parts) > 1:
        blocks.append(_joined_table(parts))
        blocks += _listings(reports, parts)
    else:
        blocks.append(Note("fewer than two of them tell of functions: nothing can be joined"))
    for report in reports:
        blocks += _others(report)
    notices = _notices(reports)
    if notices:
        blocks.append(Notices(notices))
    sources = {file: text for report in reversed(reports) for file, text in report.sources.items()}
    return Report("joined", " + ".join(titles), tuple(blocks), sources, headline=tuple(_headline(parts)))


def _heads(reports: Sequence[Report]) -> Iterator[Facts]:
    """The first facts of each."""
    for report in reports:
        facts = next((block for block in report.blocks if isinstance(block, Facts) and not block.is_secondary), None)
        if facts is not None:
            first, *others = facts.facts
            told = (replace(first, words=f"{report.kind}: {first.words}", one=""), *others)
            yield replace(facts, key=f"{report.kind}_{facts.key}", facts=told)


def _notices(reports: Sequence[Report]) -> tuple[Reservation, ...]:
    """All that is to be doubted of each."""
    return tuple(
        replace(notice, detail=f"{report.kind}: {notice.detail}")
        for report in reports
        for block in report.blocks
        if isinstance(block, Notices)
        for notice in block.notices
    )


def _part_of(report: Report) -> _Part | None:
    """The report's first table of functions; where it has none, the first one that names a function in each row."""
    for table in sorted(report.tables(), key=lambda table: not table.noun.endswith("function")):
        names = [at for at, column in enumerate(table.columns) if column.unit == "name"]
        if table.is_secondary or table.is_tree or len(names) != 1:
            continue
        told = [(function, row) for row in table.rows if (function := function_of(row.cells[names[0]])) is not None]
        amounts = [
            at
            for at, column in enumerate(table.columns)
            if column.unit in ("count", "duration", "bytes", "share") and column.is_printed
        ]
        amounts.sort(key=lambda at: table.columns[at].priority)
        if told and amounts:
            functions, rows = zip(*told, strict=True)
            return _Part(report, table, functions, rows, tuple(sorted(amounts[:_COLUMNS_EACH])))
    return None


def _hot_column(table: Table, otherwise: int) -> int:
    return next((at for at, column in enumerate(table.columns) if column.is_hot), otherwise)


def function_of(cell: Cell) -> Function | None:
    """The function that a cell names."""
    return cell if isinstance(cell, Function) else cell.function if isinstance(cell, Named) else None


def _joined_table(parts: Sequence[_Part]) -> Table:
    functions = list(parts[0].functions)
    found: list[dict[int, Row]] = [dict(enumerate(parts[0].rows))]
    for part in parts[1:]:
        index = FunctionIndex(functions)
        rows: dict[int, Row] = {}
        for function, row in zip(part.functions, part.rows, strict=True):
            at = index.find(function)
            if at is None or at in rows:
                at = len(functions)
                functions.append(function)
            rows[at] = row
        found.append(rows)
    columns = [
        replace(
            part.table.columns[at],
            key=f"{part.report.kind}_{part.table.columns[at].key}",
            title=part.table.columns[at].title,
            priority=rank,  # where it is narrow, each has its first columns
        )
        for part in parts
        for rank, at in enumerate(part.amounts)
    ]
    rows_of_all = [
        Row(
            (
                *(
                    rows[number].cells[at] if number in rows else None
                    for part, rows in zip(parts, found, strict=True)
                    for at in part.amounts
                ),
                function,
            )
        )
        for number, function in enumerate(functions)
    ]
    both = sum(all(number in rows for rows in found) for number in range(len(functions)))
    notes = (
        f"in the order of {parts[0].report.kind}",
        f"{format_count(both)} of {format_count(len(functions))} in all of them",
    )
    named = Column("function", "function", "name")
    return Table("functions", "functions", (*columns, named), rows_of_all, notes, "function", _MOST_ROWS)


def _headline(parts: Sequence[_Part]) -> Iterator[str]:
    """What the first report's hottest function has of each, and what else has most of another; at most three."""
    if len(parts) < 2:
        return
    first, *others = parts
    hottest = first.functions[first.hottest]
    said, more = [f"{first.share_text(first.hottest)} of the {first.noun}"], []
    for part in others:
        at = FunctionIndex(part.functions).find(hottest)
        if at is not None:
            said.append(f"{part.share_text(at)} of the {part.noun}")
        if at != part.hottest:
            name = short_name(part.functions[part.hottest])
            more.append(f"{name} has most {part.noun}: {part.share_text(part.hottest)}.")
    yield f"{short_name(hottest)} is hottest: {', '.join(said)}."
    yield from more[: _MOST_SENTENCES - 1]


def _listings(reports: Sequence[Report], parts: Sequence[_Part]) -> Iterator[Listing]:
    """The files of the first functions, line by line, with what each report counted there."""
    sources = {file: text for report in reversed(reports) for file, text in report.sources.items()}
    files = list(dict.fromkeys(function.file for part in parts for function in part.functions[:_MOST_ROWS]))
    told = 0
    for file in files:
        if file not in sources or told == _MOST_LISTINGS:
            continue
        columns: list[Column] = []
        lines: dict[int, dict[int, Cell]] = {}
        for part in parts:
            table = _table_of_lines(part.report, file) or part.table
            at = _hot_column(table, part.amounts[0])
            columns.append(replace(table.columns[at], key=f"{part.report.kind}_{table.columns[at].key}"))
            for row in table.rows:
                line = _line_in(row, file)
                before = lines.get(line, {}).get(len(columns) - 1)
                if line and (before is None or weight_of(row.cells[at]) > weight_of(before)):
                    lines.setdefault(line, {})[len(columns) - 1] = row.cells[at]
        cells = {line: tuple(made.get(number) for number in range(len(columns))) for line, made in lines.items()}
        if cells:
            told += 1
            yield Listing(
                f"source_{told}", _file_title(file), file, sources[file], tuple(columns), cells, most=_MOST_LINES
            )


def _file_title(file: str) -> str:
    """The file's name; of a package's, which all are called alike, with its folder."""
    *folders, name = file.replace("\\", "/").split("/")
    return "/".join([*folders[-1:], name] if name in ("__init__.py", "__main__.py") else [name])


def _table_of_lines(report: Report, file: str) -> Table | None:
    """The table that tells of single lines of a file: of most of them."""
    best, most = None, 0
    for table in report.tables():
        if table.is_tree or not any(column.unit == "place" for column in table.columns):
            continue
        count = len({line for row in table.rows if (line := _line_in(row, file))})
        if count > most:
            best, most = table, count
    return best


def _line_in(row: Row, file: str) -> int:
    """The line of a file that a row is about; 0 if it is about none."""
    for cell in row.cells:
        if isinstance(cell, Place):
            return cell.line if cell.file == file else 0
    function = next((found for cell in row.cells if (found := function_of(cell)) is not None), None)
    return function.first_line if function is not None and function.file == file else 0


def _others(report: Report) -> Iterator[Block]:
    """All tables, for pages and programs."""
    for block in report.blocks:
        if isinstance(block, Table | Listing):
            block = replace(block, key=f"{report.kind}_{block.key}", of=report.kind)
            yield replace(block, is_secondary=True) if isinstance(block, Table) else block
