"""Two path profiles compared, as a report: what was taken more often, and what fewer times."""

from collections.abc import Sequence

from sonde.base.units import counted
from sonde.instruments.paths.options import PathDiffOptions
from sonde.instruments.paths.profile import PathChange, PathDifference
from sonde.instruments.paths.report.path_names import path_words
from sonde.report import Change, Column, Note, Report, Row, Table, short_name, total_change

_COLUMNS = (
    Column("change", "change", "count", is_signed=True),
    Column("count", "taken", "count"),
    Column("sequence", "sequence", "text"),
    Column("function", "function", "name"),
)


def difference_report(
    difference: PathDifference, options: PathDiffOptions, names: tuple[str, str] = ("before", "after")
) -> Report:
    """What changed, the largest change first: single paths, and sequences over several iterations."""
    title = " → ".join(names)
    if not difference.changes:
        return Report("paths-diff", title, (Note("all paths were taken as often as before"),), changed=False)
    acyclic = [change for change in difference.changes if len(change.path) == 1]
    cyclic = [change for change in difference.changes if len(change.path) > 1]
    tables = [
        _table(key, words, changes, options.rows)
        for key, words, changes in (("paths", "paths", acyclic), ("sequences", "sequences of paths", cyclic))
        if changes
    ]
    return Report("paths-diff", title, tuple(tables), changed=True, headline=(_headline(difference),))


def _headline(difference: PathDifference) -> str:
    top = difference.changes[0]
    path = path_words(top.path) if len(top.path) > 1 else f"Path {top.path[0]}"
    words = f"{path} of {short_name(top.function)} was taken"
    return (
        f"{words} {counted(top.after, 'time')} instead of {top.before:,}"
        f"{total_change(difference.before, difference.after)}."
    )


def _table(key: str, title: str, changes: Sequence[PathChange], most: int) -> Table:
    rows = [
        Row(
            (
                each.after - each.before,
                Change(each.before, each.after),
                path_words(each.path),
                each.function,
            ),
            tone="new" if not each.before else "gone" if not each.after else "",
        )
        for each in changes
    ]
    return Table(key, title, _COLUMNS, rows, ("by change",), "path" if key == "paths" else "sequence", most)
