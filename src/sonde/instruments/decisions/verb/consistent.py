"""Find decisions that are the same in every fast run and different in every slow one.

  sonde decisions consistent --fast f1 f2 f3 --slow s1 s2 s3
  sonde decisions consistent --fast fast/* --slow slow/* --allow 1  one run may be on the wrong side
  sonde decisions consistent --fast f1 f2 --slow s1 s2 --mine       without libraries; --include, --exclude PATTERN
  sonde decisions consistent --fast f1 f2 --slow s1 s2 --html why.html      a page that opens from disk
  sonde decisions consistent --fast f1 f2 --slow s1 s2 --json       schema sonde.report/1; --markdown for a pull request

Two runs of a program differ in many decisions, most of which have nothing to do with its speed. A decision
that distinguishes all runs of one group from all runs of the other is rarely chance; each finding has that
probability, which depends on the number of runs. Findings are ranked by the time in their code and by how
much the groups differ there; consequences of a finding stand below it. Four runs of each kind are few, ten
are good.

exit code: 0 done, whatever was found, 1 a run cannot be read.
"""

import argparse
from pathlib import Path

from sonde.base.errors import EXIT_OK
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.groups import ConsistencyOptions
from sonde.instruments.decisions.verb.options import GroupsRequest
from sonde.instruments.decisions.verb.run import print_report_of, read_argument, write_page
from sonde.options.declared import add_options, options_from
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options
from sonde.render.progress_line import ProgressLine


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions consistent`."""
    parser.usage = "sonde decisions consistent --fast RUN ... --slow RUN ... [options]"
    for group in ("fast", "slow"):
        parser.add_argument(
            f"--{group}", type=Path, nargs="+", required=True, metavar="RUN", help=f"the {group} runs; five or more"
        )
    add_options(parser, GroupsRequest)
    add_answer_options(parser, has_page=True)
    add_options(parser, ConsistencyOptions, HeatPolicy)


def run(arguments: argparse.Namespace) -> int:
    """Read all runs, and look for what tells the groups apart.

    Raises:
        InputError: a run cannot be read, or runs are of different compilers.
        UsageError: a group is too small, a run is in both, outputs exclude each other, an output exists, or an option
            does not fit.
    """
    from dataclasses import replace

    from sonde.instruments.decisions.groups import consistent
    from sonde.instruments.decisions.options import ConsistencyLimits
    from sonde.instruments.decisions.report import consistency_report

    check_answer_options(arguments)
    asked = options_from(GroupsRequest, arguments)
    options = replace(
        options_from(ConsistencyOptions, arguments), heat=options_from(HeatPolicy, arguments), code=asked.selection
    )
    progress = ProgressLine("read")
    try:
        fast, slow = (
            [read_argument(path, reader=asked.reader) for path in paths] for paths in (arguments.fast, arguments.slow)
        )
        found = consistent(fast, slow, options, progress)
    finally:
        progress.close()
    report = consistency_report(found, ConsistencyLimits(asked.rows, asked.wide), kind=fast[0].kind)
    if arguments.html is not None:
        write_page(report, arguments.html)
    else:
        print_report_of(report, arguments, wide=asked.wide)
    return EXIT_OK
