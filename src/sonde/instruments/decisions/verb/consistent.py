"""Find decisions that are the same in every fast run and different in every slow one.

  sonde decisions consistent --fast f1 f2 f3 --slow s1 s2 s3
  sonde decisions consistent --fast fast/* --slow slow/* --allow 1  one run may be on the wrong side
  sonde decisions consistent --fast f1 f2 --slow s1 s2 --html why.html      a page that opens from disk
  sonde decisions consistent --fast f1 f2 --slow s1 s2 --json       schema sonde.report/1; --markdown for a pull request

Two runs of a program differ in many decisions, most of which have nothing to do with how fast it is. What
tells all runs of two groups apart is rarely chance: how rarely depends on how many runs there are, and is
said with each finding. Findings are ranked by the time in the code that they are about and by how much the
groups differ there; what follows from another finding stands below it. Four runs of each kind are few, ten
are good.

exit code: 0 done, whatever was found, 1 a run cannot be read.
"""

import argparse
from pathlib import Path
from typing import get_args

from sonde.base.errors import EXIT_OK
from sonde.instruments.decisions.verb.field_options import HEAT_HELP, TREE_HELP, add_field_options, fields_of
from sonde.instruments.decisions.verb.progress import Progress
from sonde.instruments.decisions.verb.run import heat_of, print_report_of, read_argument, write_page
from sonde.options.numbers import positive
from sonde.options.output import add_force_option, add_json_option, add_text_options, check_answer_options

_HELP = {
    "allow": "runs, of both groups together, that may be on the wrong side",
    "least_gap": "shares of time that lie closer together than this, 0 to 1, are the same",
    "false_discovery_rate": "share of the conclusive findings, 0 to 1, that may be chance",
    "remove_detailed_phases": TREE_HELP["remove_detailed_phases"],
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions consistent`."""
    from sonde.instruments.decisions.experiments import HeatPolicy
    from sonde.instruments.decisions.groups import Adjustment, ConsistencyOptions

    parser.usage = "sonde decisions consistent --fast RUN ... --slow RUN ... [options]"
    for group in ("fast", "slow"):
        parser.add_argument(
            f"--{group}", type=Path, nargs="+", required=True, metavar="RUN", help=f"the {group} runs; five or more"
        )
    parser.add_argument("--reader", metavar="NAME", help="how to read the runs (default: by what is in them)")
    parser.add_argument(
        "--adjustment",
        choices=get_args(Adjustment),
        default=ConsistencyOptions().adjustment,
        help="for as many tests as there are (default: benjamini-hochberg)",
    )
    parser.add_argument("--rows", type=positive, default=20, metavar="N", help="findings shown (default: 20)")
    parser.add_argument("--wide", action="store_true", help="print names whole, however long lines get")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page instead of printing")
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)
    add_field_options(parser, ConsistencyOptions, _HELP)
    add_field_options(parser, HeatPolicy, HEAT_HELP, prefix="hot-")


def run(arguments: argparse.Namespace) -> int:
    """Read all runs, and look for what tells the groups apart.

    Raises:
        InputError: a run cannot be read, or runs are of different compilers.
        UsageError: a group is too small, a run is in both, outputs exclude each other, an output exists, or an option
            does not fit.
    """
    from dataclasses import replace

    from sonde.instruments.decisions.groups import ConsistencyOptions, consistent
    from sonde.instruments.decisions.options import ConsistencyLimits
    from sonde.instruments.decisions.report import consistency_report

    check_answer_options(arguments)
    options = replace(fields_of(ConsistencyOptions, arguments), heat=heat_of(arguments))
    progress = Progress("read")
    try:
        fast, slow = (
            [read_argument(path, reader=arguments.reader) for path in paths]
            for paths in (arguments.fast, arguments.slow)
        )
        found = consistent(fast, slow, options, progress)
    finally:
        progress.close()
    report = consistency_report(found, ConsistencyLimits(arguments.rows, arguments.wide), kind=fast[0].kind)
    if arguments.html is not None:
        write_page(report, arguments.html)
    else:
        print_report_of(report, arguments)
    return EXIT_OK
