"""Show what usual practices would have concluded from these measurements.

  sonde bench lint results.sonde                 its alternatives, compared by best of N, mean of a run, error bars, ...
  sonde bench lint old.json new.json             the same benchmarks in two files
  sonde bench lint results.sonde --ignore-below 5%

Each practice says which alternative is better. The report compares that with what can be established, and says how
often the practice would contradict itself if the experiment were repeated. All files of sonde bench import are read.

After: Georges, Buytaert, Eeckhout: Statistically Rigorous Java Performance Evaluation, OOPSLA 2007.

exit code: 0, whatever is found.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_OK
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import LintOptions, ReadingOptions
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.options.declared import add_options, options_from
from sonde.options.output import add_json_option, add_text_options, check_answer_options

if TYPE_CHECKING:
    from sonde.instruments.bench.judging import Judgement


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench lint`."""
    parser.add_argument("results", type=Path, help="results of sonde bench, or of another tool")
    parser.add_argument("new", type=Path, nargs="?", help="results to compare them with")
    add_options(parser, ReadingOptions, LintOptions, Policy)
    add_json_option(parser)
    add_text_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Judge, and print what practices would have said.

    Raises:
        InputError: a file cannot be read, or the two have nothing in common.
    """
    from sonde.instruments.bench.practices import lint  # NumPy and SciPy, which --help does without
    from sonde.instruments.bench.report import lint_report
    from sonde.render.answers import print_answer

    check_answer_options(arguments)
    found = lint(_judged(arguments), ignore_below=options_from(LintOptions, arguments).ignore_below)
    print_answer(lint_report(found), arguments, sys.stdout)
    return EXIT_OK


def _judged(arguments: argparse.Namespace) -> "Judgement":
    from sonde.instruments.bench.judging import judge, judge_change

    policy, reader = options_from(Policy, arguments), options_from(ReadingOptions, arguments).reader
    results = read_argument(arguments.results, reader)
    if arguments.new is None:
        return judge(results, policy)
    new = read_argument(arguments.new, reader)
    return judge_change(results, new, policy, names=(str(arguments.results), str(arguments.new)))
