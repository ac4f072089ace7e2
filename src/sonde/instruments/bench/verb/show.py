"""Show what can be said of results: each alternative, and each against the first of its benchmark, or --baseline.

    sonde bench show results.sonde
    sonde bench show results.sonde --plot sequence          values in the order of the run, the steady part marked
    sonde bench show results.sonde --plot distribution
    sonde bench show results.sonde --html results.html      a page that opens from disk, without a network
    sonde bench show results.sonde --metric peak-memory
    sonde bench show results.sonde --baseline new           ratios are against this alternative

Files of all tools that sonde bench import reads will do.
"""

import argparse
from pathlib import Path

from sonde.base.errors import EXIT_OK
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import BaselineOptions, ReadingOptions
from sonde.instruments.bench.verb.judgement import add_report_options, report
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.options.declared import options_from
from sonde.options.output import check_answer_options


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench show`."""
    parser.add_argument("results", type=Path, help="a .sonde file, or results of another tool")
    add_report_options(parser, ReadingOptions, BaselineOptions, Policy)


def run(arguments: argparse.Namespace) -> int:
    """Judge and print.

    Raises:
        InputError: the file cannot be read.
        UsageError: `no-such-alternative`, or an output exists.
    """
    from sonde.instruments.bench.judging import judge  # NumPy and SciPy, which --help does without

    policy = options_from(Policy, arguments)
    check_answer_options(arguments, page_besides=True)
    measurements = read_argument(arguments.results, options_from(ReadingOptions, arguments).reader)
    baseline = options_from(BaselineOptions, arguments).baseline
    report(judge(measurements, policy, baseline=baseline), arguments)
    return EXIT_OK
