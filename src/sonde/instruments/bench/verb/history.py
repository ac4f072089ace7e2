"""Find steps in results over time: what became slower or faster, when, and by how much.

    sonde bench history results/                     all results in a folder, by when they were measured
    sonde bench history old.sonde new-*.json         files of all tools that sonde bench import reads
    sonde bench history results/ --tolerance 2%      only what got slower by more than that fails
    sonde bench history results/ --html history.html

Each result is one value of a benchmark, because results of different days differ by more than invocations of one do.
Five are needed: one new result is compared with the spread of four. The newest results are also tested separately, so
that a large step is found with the first result after it.

exit code: 0 no benchmark got worse by its last step, 1 one did, by more than --tolerance; 4 too little data: no
benchmark is in five results; 2 the results cannot be read.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_CANNOT_SAY, EXIT_FAILED, EXIT_OK, InputError
from sonde.base.same_file import real_path
from sonde.evidence import Loss
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import PageOptions, ReadingOptions
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.options.declared import add_options, options_from
from sonde.options.output import add_force_option, add_json_option, add_text_options, check_answer_options

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Measurements

EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench history`."""
    parser.add_argument(
        "results", type=Path, nargs="+", metavar="FOLDER_OR_FILE", help="results of sonde bench, or of other tools"
    )
    add_options(parser, ReadingOptions, Policy, PageOptions)
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Look for steps, and say by the exit code whether something became worse.

    Raises:
        InputError: a file that was named cannot be read; `no-results`, folders have none.
        UsageError: an output exists.
    """
    from sonde.instruments.bench.judging import judge_history  # NumPy and SciPy, which --help does without
    from sonde.instruments.bench.report import history_report
    from sonde.render.answers import print_answer

    page = check_answer_options(arguments, page_besides=True)
    files, losses = _read(arguments.results, options_from(ReadingOptions, arguments).reader)
    history = judge_history(files, options_from(Policy, arguments))
    title = ", ".join(str(path) for path in arguments.results[:2]) + (", ..." if len(arguments.results) > 2 else "")
    report = history_report(history, title, losses)
    if page is not None:
        from sonde.render.html import write_report_page

        write_report_page(report, page)
    print_answer(report, arguments, sys.stdout)
    if report.changed:
        return EXIT_FAILED
    return EXIT_OK if any(not course.withheld for course in history.courses) else EXIT_CANNOT_SAY


def _read(paths: Sequence[Path], reader: str | None) -> "tuple[list[tuple[str, Measurements]], list[Loss]]":
    """Name and measurements of each file; of those in folders that are no results, why not."""
    found: list[tuple[Path, Measurements]] = []
    losses: list[Loss] = []
    seen: set[Path] = set()
    for path, is_named in _files(paths):
        if real_path(path) in seen:
            continue
        seen.add(real_path(path))
        try:
            found.append((path, read_argument(path, reader)))
        except InputError as error:
            if is_named:
                raise
            losses.append(Loss("", 0, f"not read: {error.message}"))
    if not found:
        raise InputError(
            f"cannot find results in '{paths[0]}': no file in it can be read as such",
            slug="no-results",
            hint="sonde bench import --help lists what is read",
        )
    names = [path.name for path, _ in found]
    is_clear = len(set(names)) == len(names)
    return [(path.name if is_clear else str(path), read) for path, read in found], losses


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether it was named itself; those of a folder in the order of their names."""
    for path in paths:
        if path.is_dir():
            yield from ((one, False) for one in sorted(path.iterdir()) if one.is_file())
        else:
            yield path, True
