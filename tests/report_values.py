"""Looks things up in reports."""

from sonde.report import Cell, Fact, Facts, Report, Table


def table_of(report: Report, key: str) -> Table:
    """The one table of a key; fails when there is none."""
    (found,) = (table for table in report.tables() if table.key == key)
    return found


def cells(table: Table, key: str) -> list[Cell]:
    """One column, from its first row to its last; rows below others are left out."""
    (at,) = (number for number, column in enumerate(table.columns) if column.key == key)
    return [row.cells[at] for row in table.rows]


def printed(report: Report) -> set[str]:
    """The keys of the tables that paper has."""
    return {table.key for table in report.tables() if not table.is_secondary}


def fact(report: Report, key: str) -> Fact:
    """The first fact of a key."""
    blocks = (block for block in report.blocks if isinstance(block, Facts))
    return next(each for block in blocks for each in block.facts if each.key == key)
