"""Show a profile, or decisions of a compiler: as text, as an HTML page, as data, as Markdown.

    sonde view run.sonde                          the calling context tree and the hottest functions
    sonde view run.sonde --from Parser.parse      the same for one function, wherever it was called
    sonde view run.sonde --mine                   only code of this project; --include, --exclude PATTERN
    sonde view run.sonde --min-share 0.1% --rows 200 | less
    sonde view run.sonde --html run.html          a page that opens from disk, without a network
    sonde view run.sonde --json                   schema sonde.report/1
    sonde view run.sonde --markdown               for a pull request
    sonde view memory.sonde --sort D1             a profile of sonde memory: lines, types, objects
    sonde view run.sonde memory.sonde             two profiles of one program: hot functions with their misses
    sonde view paths.sonde --min-share 0.1%       a profile of sonde paths: hottest sequences, forests
    sonde view results.sonde                      results of sonde bench: as sonde bench show
    sonde view RUN --html run.html                a run of sonde decisions: as sonde decisions show
    sonde view RUN_A RUN_B --html diff.html       two of them, side by side: as sonde decisions diff

In the tree, an only listed callee stands right below its caller. Recursion is one line (`fib ×25
levels`), and so is what ran while modules were imported (--imports shows it). `⋮` lists callers that only
pass a call on; `…` sums up what is too light to be listed.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.base.errors import EXIT_OK, UsageError
from sonde.cli.kinds import (
    check_options,
    kind_of,
    known_kinds,
    not_offered,
    options_of_kind,
    resolve_profile,
)
from sonde.cli.one_program import doubts_about_program
from sonde.instruments.kind import Kind
from sonde.options.declared import add_options, options_from
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options, print_answer, tell_answer, tell_page
from sonde.report import Report, joined_report

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde view`: those of all kinds of profiles."""
    parser.add_argument(
        "profiles", type=Path, nargs="+", metavar="profile", help="a .sonde file, or one or two runs of sonde decisions"
    )
    add_options(parser, *map(_options, known_kinds()))
    add_answer_options(parser, has_page=True)


def run(arguments: argparse.Namespace) -> int:
    """Show profiles.

    Raises:
        UsageError: the HTML file exists, two outputs were asked for, an option means nothing to this kind, or
            several profiles cannot be shown together.
        InputError: a profile cannot be read.
        SondeError: `cannot-write`.
    """
    paths = [resolve_profile(path) for path in arguments.profiles]
    kinds = [kind_of(path, recognised=True) for path in paths]
    kind = kinds[0]
    if len(paths) > 1 and (kind.shown_by is None or len({each.name for each in kinds}) > 1):
        return _view_joined(kinds, paths, arguments)
    if kind.shown_by is not None:
        check_options(arguments, kind, paths[0], _options)
        return kind.shown_by(paths, arguments)
    options = options_of_kind(arguments, kind, paths[0], _options)
    page = check_answer_options(arguments)
    if page is not None:
        return _write_page(kind, paths[0], options, page, arguments.profiles[0].name)
    if kind.report is None:
        raise not_offered("view", kind, paths[0])
    print_answer(kind.report(paths[0], options, arguments.json), arguments, sys.stdout)
    return EXIT_OK


def _options(kind: Kind[Any]) -> type[Any]:
    return kind.view_options


def _view_joined(kinds: Sequence[Kind[Any]], paths: Sequence[Path], arguments: argparse.Namespace) -> int:
    """Show what profiles of different kinds tell of the same functions."""
    first_of: dict[str, Path] = {}
    for kind, named in zip(kinds, arguments.profiles, strict=True):
        if kind.report is None:
            raise not_offered("join with others", kind, named)
        if first_of.setdefault(kind.name, named) is not named:
            raise _of_one_kind(kind, first_of[kind.name], named)
    reports: list[Report] = []
    for kind, path in zip(kinds, paths, strict=True):
        assert kind.report is not None
        reports.append(kind.report(path, options_from(kind.view_options, arguments), True))
    names = [str(path) for path in arguments.profiles]
    report = joined_report(reports, names).with_notices(doubts_about_program(paths, names))
    page = check_answer_options(arguments)
    tell_answer(report, arguments, page)
    return EXIT_OK


def _of_one_kind(kind: Kind[Any], first: Path, second: Path) -> UsageError:
    return UsageError(
        f"cannot view '{first}' and '{second}' together: each holds {kind.words}",
        slug="same-kind",
        hint=f"sonde diff {first} {second}" if kind.compare is not None else "name one profile of each kind",
    )


def _write_page(kind: Kind[Any], path: Path, options: Any, page: Path, title: str) -> int:
    from sonde.render.html import write_report_page  # only this branch needs the page and its parts

    if kind.page_report is not None:
        write_report_page(kind.page_report(path, options), page, title)
    elif kind.report is not None:
        write_report_page(kind.report(path, options, True), page, title)
    tell_page(page)
    return EXIT_OK
