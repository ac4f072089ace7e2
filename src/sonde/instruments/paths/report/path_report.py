"""What a path profile tells: the hottest sequences over several iterations, the routines, their forests."""

from collections.abc import Iterator, Sequence

from sonde.base.units import counted, format_share
from sonde.instruments.paths.options import PathViewOptions
from sonde.instruments.paths.profile import PathProfile, PathRoutine
from sonde.instruments.paths.report.forest_table import forest_table
from sonde.instruments.paths.report.line_table import line_table, line_words
from sonde.instruments.paths.report.painted_code import painted_flow, painted_paths, painted_source
from sonde.instruments.paths.report.path_names import path_words
from sonde.instruments.paths.report.selection import selected_routines
from sonde.instruments.paths.report.sequence_table import HotSequence, hot_sequences, sequence_table
from sonde.report import Block, Column, Fact, Facts, Notices, Report, Row, Table, short_name

_MOST_FORESTS = 1
"""Forests that are printed; the others are in JSON and in pages, and `--function` shows one of them."""


def path_report(profile: PathProfile, options: PathViewOptions, *, with_data: bool = False) -> Report:
    """The answer for a profile.

    Args:
        with_data: for programs and pages, which have room for forests of any size.
    Raises:
        UsageError: `no-such-function`.
    Cost: O(n log n) for n sequences.
    """
    routines = selected_routines(profile, options.function)
    taken = sum(routine.taken for routine in routines)
    hot = hot_sequences(routines, options.min_share)
    forests = [
        forest_table(
            f"forest_{number}" if number else "forest",
            routine,
            min_share=options.min_share,
            most=0 if with_data else options.rows,
            is_secondary=number >= _MOST_FORESTS,
        )
        for number, routine in enumerate(_in_order_told(routines, hot))
    ]
    blocks: list[Block] = [_facts(profile, routines, taken), Notices(profile.losses)]
    if hot:
        has_names = len(routines) > 1
        blocks.append(sequence_table(hot, taken, options.rows, has_names=has_names, has_all=with_data))
    if len(routines) > 1:
        blocks.append(_routine_table(routines, taken, options.rows))
    if any(routine.code for routine in routines):
        blocks.append(line_table(routines, options.rows))
        blocks += _painted(profile, routines, hot, options.rows, _MOST_PAINTED if with_data else 1)
    return Report(
        "paths",
        " ".join(profile.command),
        (*blocks, *forests),
        profile.sources,
        headline=_headline(profile, routines, hot, taken),
    )


_MOST_PAINTED = 8
"""Routines whose code programs and pages have; paper has one."""
_MOST_PLACES = 3


def _in_order_told(routines: Sequence[PathRoutine], hot: Sequence[HotSequence]) -> list[PathRoutine]:
    """Those that took paths: that of the hottest sequence first, the others by paths taken."""
    ran = [routine for routine in routines if routine.taken]
    return sorted(ran, key=lambda routine: routine is not hot[0][0]) if hot else ran


def _headline(
    profile: PathProfile, routines: Sequence[PathRoutine], hot: Sequence[HotSequence], taken: int
) -> tuple[str, ...]:
    of_all = counted(taken, "path")
    if hot:
        routine, path = hot[0]
        where = f" of {short_name(routine.function)}" if len(routines) > 1 else ""
        share = format_share(path.covered, routine.taken)
        found = (
            f"{path_words(path.ids)} is the hottest sequence{where}: taken {counted(path.count, 'time')},"
            f" at least {share} of {counted(routine.taken, 'path')} lie in it."
        )
        return (found, *_places(routine, path.ids))
    tops = [(count, path_id, routine) for routine in routines for path_id, count in routine.acyclic.items()]
    if not tops:
        return ("No path was taken.",)
    count, path_id, routine = max(tops, key=lambda top: top[0])
    where = f" of {short_name(routine.function)}" if len(routines) > 1 else ""
    why = "" if profile.k == 1 else "; hardly any path followed another"
    found = f"Path {path_id} is the hottest one{where}: {format_share(count, taken)} of {of_all}{why}."
    return (found, *_places(routine, (path_id,)))


def _places(routine: PathRoutine, ids: Sequence[int]) -> tuple[str, ...]:
    """Where the paths of a sequence come by, if that is known and can be said in a sentence."""
    different = list(dict.fromkeys(ids))
    if len(different) > _MOST_PLACES or any(not routine.code.lines(each) for each in different):
        return ()
    places = [f"{each}: {line_words(routine.code.lines(each))}" for each in different]
    return (f"Lines of path {'; of '.join(places)}.",)


def _facts(profile: PathProfile, routines: Sequence[PathRoutine], taken: int) -> Facts:
    activations = sum(routine.activations for routine in routines)
    return Facts(
        (
            Fact("paths", taken, "count", "{} paths", "{} path"),
            Fact("activations", activations, "count", "{} activations", "{} activation"),
            Fact(
                "sequences",
                sum(len(routine.forest) for routine in routines),
                "count",
                f"{{}} different sequences of up to {profile.k:,}",
            ),
            Fact("k", profile.k, "count", "k = {}"),
        )
    )


def _painted(
    profile: PathProfile, routines: Sequence[PathRoutine], hot: Sequence[HotSequence], rows: int, most: int
) -> Iterator[Block]:
    """The source and the control flow of the routines with the hottest sequences, and of those with most paths."""
    sequences = {routine.function: path.ids for routine, path in reversed(hot)}
    chosen = [routine for routine in _in_order_told(routines, hot) if routine.code]
    for number, routine in enumerate(chosen[:most]):
        paths = painted_paths(routine, sequences.get(routine.function, ()))
        key = f"_{number}" if number else ""
        text = profile.sources.get(routine.function.file)
        if text is not None:
            yield painted_source(f"source{key}", routine, paths, text, rows)
        yield painted_flow(f"flow{key}", routine, paths, rows)


def _routine_table(routines: Sequence[PathRoutine], taken: int, most: int) -> Table:
    columns = (
        Column("paths", "paths", "count", taken, "both", is_hot=True),
        Column("activations", "activations", "count"),
        Column("acyclic", "different", "count", meaning="different acyclic paths"),
        Column("sequences", "sequences", "count", priority=1),
        Column("function", "function", "name"),
    )
    rows = [
        Row(
            (
                routine.taken,
                routine.activations,
                sum(parent < 0 for parent in routine.forest.parents),
                len(routine.forest),
                routine.function,
            )
        )
        for routine in routines
    ]
    return Table("functions", "functions", columns, rows, ("by paths taken",), "function", most)
