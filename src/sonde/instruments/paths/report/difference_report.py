"""Two path profiles compared, as a report: what was taken more often, and what fewer times."""

from collections.abc import Sequence

from sonde.base.units import counted
from sonde.evidence import Doubt
from sonde.instruments.paths.options import PathDiffOptions
from sonde.instruments.paths.profile import PathChange, PathDifference
from sonde.instruments.paths.report.path_names import path_words
from sonde.report import Block, Change, Column, Note, Notices, Report, Row, Table, short_name, total_change

_NAMED = 3

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
    notices = _notices(difference)
    if not difference.changes:
        same = "all paths that can be compared were taken" if notices else "all paths were taken"
        return Report("paths-diff", title, (Note(f"{same} as often as before"), *notices), changed=bool(notices))
    acyclic = [change for change in difference.changes if len(change.path) == 1]
    cyclic = [change for change in difference.changes if len(change.path) > 1]
    tables: list[Block] = [
        _table(key, words, changes, options.rows)
        for key, words, changes in (("paths", "paths", acyclic), ("sequences", "sequences of paths", cyclic))
        if changes
    ]
    return Report("paths-diff", title, (*tables, *notices), changed=True, headline=(_headline(difference),))


def _notices(difference: PathDifference) -> tuple[Notices, ...]:
    if not difference.other_code:
        return ()
    names = ", ".join(short_name(each) for each in difference.other_code[:_NAMED])
    more = len(difference.other_code) - _NAMED
    told = f"the code of {names}{f' and {more} more' if more > 0 else ''} is not the same: their paths are not compared"
    return (Notices((Doubt("other-code", told),)),)


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
