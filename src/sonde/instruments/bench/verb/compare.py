"""Compare two sets of results: what changed, by how much, and what cannot be said.

    sonde bench compare old.sonde new.sonde
    sonde bench compare old.json new.json              files of pyperf, hyperfine, JMH, Go, criterion and others
    sonde bench compare old-*.json --against new-*.json        each side measured several times
    sonde bench compare old.sonde new.sonde --tolerance 2%     only larger losses are regressions

Benchmarks are matched by name. A difference is reported if it is established, with the false discovery rate among
all benchmarks kept at 5%. 'No difference' is a finding, too: there is none beyond --equivalent. Otherwise the verdict
is 'cannot say', with the number of invocations that would probably tell.

With --against each side may be several files, whose values of a benchmark are one sample. A file that does not say
which values come from which process then counts as one invocation.

exit code: 0 nothing is established to be worse by more than --tolerance, 1 something is; 2 the results cannot
be compared: a file is missing, damaged or not of this kind, or the two have nothing in common.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_FAILED, EXIT_OK, UsageError
from sonde.base.same_file import real_path
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import ReadingOptions, ReportOptions
from sonde.instruments.bench.verb.judgement import add_report_options, report
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.options.declared import options_from
from sonde.options.output import check_answer_options

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Measurements

EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench compare`."""
    parser.add_argument(
        "results",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="results before the change and after it: of sonde, or of another tool; with --against those before it",
    )
    parser.add_argument("--against", type=Path, nargs="+", default=[], metavar="FILE", help="results after the change")
    add_report_options(parser, ReadingOptions, Policy)


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and say by the exit code whether something got worse.

    Raises:
        InputError: a file cannot be read, or the two have nothing in common.
        UsageError: an output exists, or the files are not those of two sides.
    """
    from sonde.instruments.bench.judging import judge_change  # NumPy and SciPy, which --help does without

    policy = options_from(Policy, arguments)
    check_answer_options(arguments, page_besides=True)
    sides = _sides(arguments.results, arguments.against)
    old, new = (_read(paths, options_from(ReadingOptions, arguments).reader) for paths in sides)
    names = (_name(sides[0]), _name(sides[1]))
    shown = options_from(ReportOptions, arguments)
    is_detailed = arguments.json or shown.html is not None or bool(shown.plot)
    judgement = judge_change(old, new, policy, names=names, detailed=is_detailed)
    report(judgement, arguments)
    return EXIT_FAILED if judgement.has_regression else EXIT_OK


def _sides(files: Sequence[Path], against: Sequence[Path]) -> tuple[Sequence[Path], Sequence[Path]]:
    """The files before the change and after it."""
    if not against and len(files) != 2:
        raise UsageError(
            f"cannot compare {len(files)} file{'s' * (len(files) > 1)}: two are compared, or two sets of files",
            slug="usage",
            hint="sonde bench compare old-*.json --against new-*.json",
        )
    sides = (files, against) if against else (files[:1], files[1:])
    for side in sides:
        seen: set[Path] = set()
        for path in side:
            if real_path(path) in seen:
                fact = "the same processes would count twice"
                raise UsageError(f"cannot take '{path}' twice on one side: {fact}", slug="usage", hint="name it once")
            seen.add(real_path(path))
    return sides


def _read(paths: Sequence[Path], reader: str | None) -> "Measurements":
    from sonde.instruments.bench.readers import as_invocations

    read = [(path, read_argument(path, reader)) for path in paths]
    return read[0][1] if len(read) == 1 else as_invocations(read)


def _name(paths: Sequence[Path]) -> str:
    return f"{paths[0]} and {len(paths) - 1} more" if len(paths) > 1 else str(paths[0])
