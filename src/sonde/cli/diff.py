"""Compare two runs, or two groups of runs: what got hotter, colder, appeared or vanished.

    sonde diff before.sonde after.sonde
    sonde diff a*.sonde --against b*.sonde                     several runs each: what noise cannot explain
    sonde diff before.sonde after.sonde --normalise total      runs of different length, or machines
    sonde diff before.sonde after.sonde --normalise calls      runs that did different amounts of work
    sonde diff before.sonde after.sonde --metric calls         exact, without the noise of timing
    sonde diff --accuracy exact.sonde approx.sonde             how well an approximate profile does
    sonde diff --accuracy dense.sonde a1.sonde a2.sonde ...    how near samples come to it and to one another

Functions are matched by name, module and file name, call sites by their distance below the caller's
`def`: moved lines, other folders and moved modules do not matter, and functions that look renamed are
compared and marked. What could not be aligned, or only by guessing, is listed at the end.

With --against, the profiles before it are one side and those after it the other. Means are compared by
function, each change with a 95% interval, by the statistics of `sonde bench`; on average, at most 5% of
the functions that are called changed are not. Alternate the sides (a1 b1 a2 b2 ...): then each run is
compared with the one next to it, five of each are enough, and disturbances of the machine cancel out.
Times of runs that did not alternate are compared from 20 of each, or with --assume-independent. Needs the
extra sonde[bench].

Two single runs with measured times show what differs, but not the noise of times, so their difference
never fails a build. Counts of calls and of memory accesses are compared exactly.

Profiles of sonde sample contain the error of each time. When two of them are compared, or one of them and
a measured one, each function is judged: slower or faster by so much, with a 95% interval; not changed
beyond so much; or cannot say. On average, at most 5% of the functions that are called changed are not.
Samples of one run do not show how runs differ; --run-noise allows for that. Several runs of each, by
--against, measure it; on a busy machine, a gate needs them.

What ran while modules were imported is one line on both sides; --imports compares it function by function.

Profiles of sonde memory are compared in counts of accesses and misses: functions, lines, types.

--mine, --include, --exclude and --min-share choose what is compared. For two single runs the exit code is
about the selected part, for groups also about their totals.

With --accuracy the first profile is exact (or densely sampled), and the second one an approximate or
sampled one of the same calls. The answer is what the second one found, missed and got wrong, and how much
both have in common. With several profiles after the first, the answer is what each has in common with it,
and what they have in common with one another. The exit code is then always 0.

exit code: 0 no change of at least --min-change, 1 there are changes, 2 a profile cannot be read or compared,
4 it cannot be said: only times of two single runs differ, samples leave room for a change of at least
--min-change, or there are too few runs.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sonde.base.errors import EXIT_CANNOT_SAY, EXIT_FAILED, EXIT_OK, UsageError
from sonde.base.numeric_packages import require_numeric_packages
from sonde.base.same_file import real_path
from sonde.cli.group_graph import group_graphs
from sonde.cli.kinds import kind_of_all, known_kinds, not_offered, options_of_kind, resolve_profile
from sonde.cli.one_program import doubts_about_program
from sonde.instruments.kind import Kind
from sonde.options.declared import add_options
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options, tell_answer
from sonde.render.stages import Stages
from sonde.report import Report

EXITS_WITH_1_FOR_DIFFERENCES = True
_GROUP_STAGES = {"reading": 8.0, "judging": 2.0}
"""Of a comparison of groups, and about what part of its time each takes."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde diff`: those of all kinds of profiles."""
    parser.add_argument(
        "profiles",
        type=Path,
        nargs="+",
        metavar="PROFILE",
        help="two .sonde files: before, and after; or one side; with --accuracy the dense one, and others",
    )
    parser.add_argument(
        "--against", type=Path, nargs="+", metavar="PROFILE", help="the runs after: compare groups of runs"
    )
    parser.add_argument(
        "--assume-independent",
        action="store_true",
        help="with --against: take the times of runs that did not alternate for independent",
    )
    add_options(parser, *map(_options, known_kinds()))
    add_answer_options(parser, has_page=True)


def run(arguments: argparse.Namespace) -> int:
    """Compare two profiles, or two groups of them.

    Returns:
        `EXIT_FAILED` when something changed, `EXIT_OK` when nothing did, `EXIT_CANNOT_SAY` when that cannot be told.
    Raises:
        UsageError: an option means nothing to this kind, two were given that exclude each other, or the profiles are
            no two sides.
        InputError: a profile cannot be read, has no times to compare, or cannot be judged.
        MissingCapability: `no-numpy`, groups need it.
    """
    before, after = _sides(arguments)
    names = [[str(path) for path in side] for side in (before, after)]
    paths = [[resolve_profile(path) for path in side] for side in (before, after)]
    kind = kind_of_all([path for side in paths for path in side])
    options = options_of_kind(arguments, kind, before[0], _options)
    page = check_answer_options(arguments)
    if getattr(options, "accuracy", False) and len(after) > 1 and arguments.against is None:
        if kind.judge_several is None:
            raise not_offered("judge several by", kind, before[0])
        report = kind.judge_several([*paths[0], *paths[1]], options, [*names[0], *names[1]])
    elif len(before) == len(after) == 1:
        if kind.compare is None:
            raise not_offered("compare", kind, before[0])
        with_data = arguments.json or page is not None
        report = kind.compare(paths[0][0], paths[1][0], options, (names[0][0], names[1][0]), with_data)
    else:
        report = _of_groups(kind, paths, names, options, is_independent=arguments.assume_independent)
        if page is not None:
            report = replace(report, blocks=(*group_graphs(kind, paths, options), *report.blocks))
    report = report.with_notices(doubts_about_program([*paths[0], *paths[1]], [*names[0], *names[1]]))
    tell_answer(report, arguments, page)
    if report.is_undecided:
        return EXIT_CANNOT_SAY
    return EXIT_FAILED if report.changed else EXIT_OK


def _sides(arguments: argparse.Namespace) -> tuple[list[Path], list[Path]]:
    profiles: list[Path] = arguments.profiles
    against: list[Path] | None = arguments.against
    if against is not None:
        _check_each_once([*profiles, *against])
        return profiles, against
    if len(profiles) > 2 and getattr(arguments, "accuracy", False):
        _check_each_once(profiles)
        return profiles[:1], profiles[1:]
    if len(profiles) != 2:
        count = "one profile" if len(profiles) == 1 else f"{len(profiles)} profiles"
        raise UsageError(
            f"cannot compare {count}: without --against there are two, before and after",
            slug="no-two-sides",
            hint=f"sonde diff {' '.join(map(str, profiles[:1]))} --against ...",
        )
    if arguments.assume_independent:
        raise UsageError(
            "cannot use --assume-independent without --against: two single runs do not show how runs vary",
            slug="no-two-sides",
            hint="leave out --assume-independent",
        )
    return profiles[:1], profiles[1:]


def _check_each_once(profiles: Sequence[Path]) -> None:
    """Refuse a run that is there twice: it would look as if runs hardly varied."""
    seen: set[Path] = set()
    for path in profiles:
        if real_path(path) in seen:
            raise UsageError(
                f"cannot compare groups with '{path}' in them twice: one run would count as two",
                slug="profile-given-twice",
                hint="name each profile once",
            )
        seen.add(real_path(path))


def _of_groups(
    kind: Kind[Any],
    paths: Sequence[Sequence[Path]],
    names: Sequence[Sequence[str]],
    options: Any,
    *,
    is_independent: bool,
) -> Report:
    if kind.figures is None:
        raise not_offered("compare groups with", kind, Path(names[0][0]))
    require_numeric_packages("compare groups of runs")
    from sonde.groups import GroupFigures, compare_groups, group_report  # only groups need the extra

    with Stages("sonde: comparing groups", _GROUP_STAGES) as stages:
        found = kind.figures(stages.counted([path for side in paths for path in side]), options)
        stages.begin("judging")
        first = len(paths[0])
        before, after = (GroupFigures(found.measure, runs) for runs in (found.runs[:first], found.runs[first:]))
        comparison = compare_groups(before, after, is_independent=is_independent)
    sides = tuple(tuple(zip(each, side.runs, strict=True)) for each, side in zip(names, (before, after), strict=True))
    selection = getattr(options, "selection", None)
    return group_report(
        comparison,
        kind.name,
        (sides[0], sides[1]),
        rows=getattr(options, "functions", 0) or 15,
        of_what=selection.words() if selection is not None else "",
    )


def _options(kind: Kind[Any]) -> type[Any]:
    return kind.diff_options
