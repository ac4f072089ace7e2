"""Show what the compiler decided in a run: the inlining tree and the optimization tree of compilation units.

  sonde decisions show RUN                        hot units, if times are known, else all
  sonde decisions show RUN --all                  every unit
  sonde decisions show RUN --mine --source        no libraries; with the lines of source
  sonde decisions show RUN --tree context         each optimization under the call whose code it changed
  sonde decisions show RUN --profile perf.txt     with the times of another file
  sonde decisions show RUN --html run.html        a page that opens from disk: trees, search, times
  sonde decisions show RUN --json                 one line, schema sonde.report/1; --markdown for a pull request
  sonde decisions show RUN --format profdiff      the text of Graal's `mx profdiff report`

A call is inlined, direct, indirect, devirtualized (replaced by direct calls) or deleted. Times are shares of
the whole profile. Missing and odd parts of the run are listed. sonde decisions explain WORD says what a
compiler's word means.

exit code: 0 shown, 1 the run cannot be read.
"""

import argparse
import sys
from pathlib import Path

from sonde.base.errors import EXIT_OK, UsageError
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.instruments.decisions.unit_options import UnitOptions
from sonde.instruments.decisions.verb.options import TREES, FormOptions, ShowRequest
from sonde.instruments.decisions.verb.run import (
    check_forms,
    check_graal,
    print_report_of,
    read_argument,
    units_of,
    write_page,
)
from sonde.options.declared import add_options, options_from
from sonde.render.answers import add_answer_options


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions show`."""
    parser.usage = "sonde decisions show RUN [options]"
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder or file that a compiler left")
    add_options(parser, ShowRequest, UnitOptions, FormOptions)
    add_answer_options(parser, has_page=True)
    add_options(parser, HeatPolicy, TreeOptions)


def run(arguments: argparse.Namespace) -> int:
    """Read and show a run.

    Raises:
        InputError: the run or its profile cannot be read.
        UsageError: outputs exclude each other, an output exists, or an option does not fit.
    """
    asked, form = options_from(ShowRequest, arguments), options_from(FormOptions, arguments)
    units, filter_ = units_of(arguments)
    check_forms(arguments, form, units)
    policy, prepare = options_from(HeatPolicy, arguments), options_from(TreeOptions, arguments)
    shown = read_argument(arguments.run, profile=asked.profile, reader=asked.reader)
    if form.format == "profdiff":
        from sonde.instruments.decisions.profdiff import GraalLog, ProfdiffOptions, write_report
        from sonde.instruments.decisions.verb.profdiff_output import ProfdiffOutput

        check_graal(shown)
        if asked.all and shown.profile is not None:
            raise UsageError(
                "cannot show all units as profdiff does: with a profile it shows the hot ones",
                slug="profdiff-shows-hot-units",
                hint=f"sonde decisions profdiff report {arguments.run}/optimization_log",
            )
        write_report(
            GraalLog.of(shown),
            ProfdiffOutput(sys.stdout),
            ProfdiffOptions(policy, prepare, context_tree=asked.tree == "context"),
        )
        return EXIT_OK

    from sonde.instruments.decisions.experiments import Experiment
    from sonde.instruments.decisions.options import ShowOptions
    from sonde.instruments.decisions.report import run_page, run_report

    experiment = Experiment(shown)
    if asked.hot and shown.profile is None:
        print("sonde: no profile: --hot cannot tell what is hot, all units are shown", file=sys.stderr)
    if shown.profile is None:
        experiment.mark(shown.units)
    else:
        experiment.mark_hot(policy)
    options = ShowOptions(
        trees=TREES[asked.tree],
        only_hot=shown.profile is not None and not asked.all,
        filter=filter_,
        prepare=prepare,
        rows=units.rows,
        source=units.source,
        wide=form.wide,
    )
    if arguments.html is not None:
        write_page(run_page(experiment, options), arguments.html, title=arguments.run.name)
    else:
        print_report_of(run_report(experiment, options, whole=arguments.json), arguments, wide=form.wide)
    return EXIT_OK
