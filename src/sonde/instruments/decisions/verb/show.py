"""Show what the compiler decided in a run: the inlining tree and the optimization tree of compilation units.

  sonde decisions show RUN                        hot units, if times are known, else all
  sonde decisions show RUN --all                  every unit
  sonde decisions show RUN --tree context         each optimization under the call whose code it changed
  sonde decisions show RUN --profile perf.txt     with the times of another file
  sonde decisions show RUN --html run.html        a page that opens from disk: trees, search, times
  sonde decisions show RUN --json                 one line, schema sonde.report/1; --markdown for a pull request
  sonde decisions show RUN --format profdiff      the text of Graal's `mx profdiff report`

A call is inlined, direct, indirect, devirtualized: replaced by direct calls, or deleted. Times are
shares of all of the profile. What is missing from the run or odd in it is listed. What the words of
compilers mean says sonde decisions explain WORD.

exit code: 0 shown, 1 the run cannot be read.
"""

import argparse
import sys
from pathlib import Path

from sonde.base.errors import EXIT_OK, UsageError
from sonde.instruments.decisions.verb.run import (
    FORMATS,
    add_heat_and_tree_options,
    check_forms,
    check_graal,
    heat_of,
    print_report_of,
    read_argument,
    trees_of,
    write_page,
)
from sonde.options.numbers import positive
from sonde.options.output import add_force_option, add_json_option, add_text_options

_TREES = {
    "inlining": ("inlining",),
    "optimizations": ("optimizations",),
    "context": ("context",),
    "both": ("inlining", "optimizations"),
    "all": ("inlining", "optimizations", "context"),
}
"""Value of `--tree` -> what is shown."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions show`."""
    parser.usage = "sonde decisions show RUN [options]"
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder or file that a compiler left")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--hot", action="store_true", help="hot units only (default where times are known)")
    which.add_argument("--all", action="store_true", help="all units")
    parser.add_argument("--tree", choices=_TREES, default="both", help="which trees of a unit (default: both)")
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="where the time went (default: what lies beside the record)"
    )
    parser.add_argument("--reader", metavar="NAME", help="how to read the run (default: by what is in it)")
    add_output_options(parser)
    add_heat_and_tree_options(parser)


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add `--html`, `--format`, `--rows`, `--wide`, `--json`, `--markdown` and `--force`."""
    parser.add_argument("--format", choices=FORMATS, default="sonde", help="whose text to print (default: sonde)")
    parser.add_argument(
        "--rows", type=positive, default=40, metavar="N", help="lines of each list and tree, about (default: 40)"
    )
    parser.add_argument("--wide", action="store_true", help="print names whole, however long lines get")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page instead of printing")
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read and show a run.

    Raises:
        InputError: the run or its profile cannot be read.
        UsageError: outputs exclude each other, an output exists, or an option does not fit.
    """
    check_forms(arguments)
    policy, prepare = heat_of(arguments), trees_of(arguments)
    shown = read_argument(arguments.run, profile=arguments.profile, reader=arguments.reader)
    if arguments.format == "profdiff":
        from sonde.instruments.decisions.profdiff import GraalLog, ProfdiffOptions, write_report
        from sonde.instruments.decisions.verb.profdiff_output import ProfdiffOutput

        check_graal(shown)
        if arguments.all and shown.profile is not None:
            raise UsageError(
                "cannot show all units as profdiff does: with a profile it shows the hot ones",
                slug="profdiff-shows-hot-units",
                hint=f"sonde decisions profdiff report {arguments.run}/optimization_log",
            )
        write_report(
            GraalLog.of(shown),
            ProfdiffOutput(sys.stdout),
            ProfdiffOptions(policy, prepare, context_tree=arguments.tree == "context"),
        )
        return EXIT_OK

    from sonde.instruments.decisions.experiments import Experiment
    from sonde.instruments.decisions.options import ShowOptions
    from sonde.instruments.decisions.report import run_page, run_report

    experiment = Experiment(shown)
    if arguments.hot and shown.profile is None:
        print("sonde: no profile: --hot cannot tell what is hot, all units are shown", file=sys.stderr)
    if shown.profile is None:
        experiment.mark(shown.units)
    else:
        experiment.mark_hot(policy)
    options = ShowOptions(
        trees=_TREES[arguments.tree],  # type: ignore[arg-type] # TREES has its words
        only_hot=shown.profile is not None and not arguments.all,
        prepare=prepare,
        rows=arguments.rows,
        wide=arguments.wide,
    )
    if arguments.html is not None:
        write_page(run_page(experiment, options), arguments.html, title=arguments.run.name)
    else:
        print_report_of(run_report(experiment, options, whole=arguments.json), arguments)
    return EXIT_OK
