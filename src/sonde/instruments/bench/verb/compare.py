"""Compare two sets of results: what changed, by how much, and what cannot be said.

    sonde bench compare old.sonde new.sonde
    sonde bench compare old.json new.json              files of pyperf, hyperfine, ReBench, asv, JMH and others
    sonde bench compare old.sonde new.sonde --tolerance 2%     only what got worse by more than that is a regression

Benchmarks match by name. A difference is reported when it is established, with the rate of false discoveries among
all benchmarks held at 5%; 'no difference' is a finding of its own: that none beyond --equivalent exists. All else
cannot be said, and the number of invocations that would probably tell stands beside it.

exit code: 0 nothing is established to be worse by more than --tolerance, 1 something is; 2 the results cannot
be compared: a file is missing, damaged or not of this kind, or the two have nothing in common.
"""

import argparse
from pathlib import Path

from sonde.base.errors import EXIT_FAILED, EXIT_OK
from sonde.instruments.bench import Policy
from sonde.instruments.bench.verb.judgement import add_report_options, report
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.options.declared import add_options, options_from
from sonde.options.output import check_answer_options

EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench compare`."""
    parser.add_argument("old", type=Path, help="results before the change: of sonde, or of another tool")
    parser.add_argument("new", type=Path, help="results after it")
    parser.add_argument("--reader", metavar="NAME", help="how to read both files (default: by what is in them)")
    add_options(parser, Policy)
    add_report_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and say by the exit code whether something got worse.

    Raises:
        InputError: a file cannot be read, or the two have nothing in common.
        UsageError: an output exists.
    """
    from sonde.instruments.bench.judging import judge_change  # NumPy and SciPy, which --help does without

    policy = options_from(Policy, arguments)
    check_answer_options(arguments, page_besides=True)
    old, new = (read_argument(path, arguments.reader) for path in (arguments.old, arguments.new))
    names = (str(arguments.old), str(arguments.new))
    is_detailed = arguments.json or arguments.html is not None or bool(arguments.plot)
    judgement = judge_change(old, new, policy, names=names, detailed=is_detailed)
    report(judgement, arguments)
    return EXIT_FAILED if judgement.has_regression else EXIT_OK
