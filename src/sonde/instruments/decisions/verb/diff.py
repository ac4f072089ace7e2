"""Show what differs between two runs: in hot code, or if nothing does there, in all code.

  sonde decisions diff FAST SLOW                     inlining and optimization trees of hot units, compared
  sonde decisions diff FAST SLOW --hot               hot units only: a gate for what matters
  sonde decisions diff FAST SLOW --why               with what led to each difference, as far as it is known
  sonde decisions diff FAST SLOW --context           each optimization under the call whose code it changed
  sonde decisions diff FAST SLOW --html diff.html    a page with both sides, opened from disk
  sonde decisions diff FAST SLOW --json              one line, schema sonde.report/1; --markdown for a pull request
  sonde decisions diff FAST SLOW --format profdiff   the text of Graal's `mx profdiff`

The sign of a node is - if it is in the first run only, + in the second only, * if a call is of another kind;
nodes without a sign are equal in both. A hot method that was inlined on one side is cut out of the unit as a
fragment, and compared with its own compilation on the other side.

--match aligned recognises lambdas whose names contain addresses, and code that moved within its method; equal
code that moved is no difference. --match exact compares names and places as they are, as profdiff does.

If hot units do not differ, all others are compared as well, as --all does from the start, so that 0 means
equal everywhere. --hot leaves them out.

If one run has no profile, its hot methods are those in hot units of the other. If neither has one, all units
are compared.

exit code: 0 nothing differs in any unit (--hot: any hot unit), 1 something does, 2 the runs cannot be read
or compared.
"""

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_FAILED, EXIT_OK, InputError, UsageError
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.instruments.decisions.unit_options import UnitOptions
from sonde.instruments.decisions.verb.options import DiffRequest, FormOptions
from sonde.instruments.decisions.verb.run import (
    check_comparable,
    check_forms,
    check_graal,
    mark_hot,
    print_report_of,
    read_argument,
    units_of,
    write_page,
)
from sonde.options.declared import add_options, options_from
from sonde.render.answers import add_answer_options
from sonde.render.progress_line import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from sonde.instruments.decisions.analysis import Comparison
    from sonde.instruments.decisions.experiments import Experiment
    from sonde.instruments.decisions.model import SourceRange, Trees
    from sonde.instruments.decisions.options import DiffOptions
    from sonde.instruments.decisions.profdiff import Comparison as Command

EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions diff`."""
    parser.usage = "sonde decisions diff RUN_A RUN_B [options]"
    parser.add_argument("first", type=Path, metavar="RUN_A", help="a folder or file that a compiler left")
    parser.add_argument("second", type=Path, metavar="RUN_B", help="another one")
    add_options(parser, DiffRequest, UnitOptions, FormOptions)
    add_answer_options(parser, has_page=True)
    add_options(parser, HeatPolicy, TreeOptions)


def run(arguments: argparse.Namespace) -> int:
    """Read both runs, and compare them.

    Returns:
        `EXIT_FAILED` when something differs, `EXIT_OK` when nothing does.
    Raises:
        InputError: a run or profile cannot be read, or they have nothing in common.
        UsageError: outputs exclude each other, an output exists, or an option does not fit.
    """
    asked, form = options_from(DiffRequest, arguments), options_from(FormOptions, arguments)
    units, filter_ = units_of(arguments)
    check_forms(arguments, form, units)
    policy, prepare = options_from(HeatPolicy, arguments), options_from(TreeOptions, arguments)
    first, second = (
        read_argument(path, profile=profile, reader=asked.reader)
        for path, profile in ((arguments.first, asked.profile_a), (arguments.second, asked.profile_b))
    )
    check_comparable(first, second)
    if arguments.first.samefile(arguments.second):
        print(f"sonde: both are the same run, '{first.name}': nothing can differ", file=sys.stderr)
    if form.format == "profdiff":
        from sonde.instruments.decisions.profdiff import GraalLog, ProfdiffOptions, write_comparison
        from sonde.instruments.decisions.verb.profdiff_output import ProfdiffOutput

        check_graal(first, second)
        if asked.all:
            raise UsageError(
                "cannot compare all units as profdiff does: it compares the hot ones",
                slug="profdiff-shows-hot-units",
                hint="leave out --format profdiff, or raise --hot-max-limit and --hot-percentile",
            )
        options = ProfdiffOptions(policy, prepare, context_tree=asked.context, create_fragments=not asked.no_fragments)
        if first.profile is None:
            raise UsageError(
                f"cannot print as profdiff does: '{first.name}' has no profile, so nothing in it is hot",
                slug="profdiff-needs-a-profile",
                hint="--profile-a FILE, or leave out --format profdiff",
            )
        command = _command_for(first.compilation, second.compilation)
        differs = write_comparison(
            command, GraalLog.of(first), GraalLog.of(second), ProfdiffOutput(sys.stdout), options
        )
        if not differs:
            print(
                "sonde: only hot units are compared, as profdiff does; without --format profdiff all units are",
                file=sys.stderr,
            )
        return EXIT_FAILED if differs else EXIT_OK

    from sonde.instruments.decisions.analysis import scope_of, scope_text
    from sonde.instruments.decisions.analysis.filtered_units import check_times, nothing_left
    from sonde.instruments.decisions.experiments import CompareOptions, Experiment
    from sonde.instruments.decisions.options import DiffOptions
    from sonde.instruments.decisions.report import comparison_page, comparison_report

    check_times(filter_, [first, second])
    one, other = Experiment(first, 1), Experiment(second, 2)
    mark_hot(one, other, policy)
    shown = DiffOptions(
        compare=CompareOptions(tree=prepare, context=asked.context),
        cold_too=asked.all,
        why=asked.why,
        filter=filter_,
        rows=units.rows,
        source=units.source,
        wide=form.wide,
    )
    comparison = _compared(one, other, shown, asked)
    scope = scope_of(comparison)
    if not asked.hot and not comparison.has_differences and any(scope.cold):
        print(
            f"sonde: hot code does not differ ({scope_text(scope)}):"
            " all other units are compared as well, which --hot leaves out",
            file=sys.stderr,
        )
        shown = replace(shown, cold_too=True)
        comparison = _compared(one, other, shown, asked)
    if not comparison.methods and not units.is_everything:
        raise nothing_left(filter_, [first, second])
    if not any(method.units for method in comparison.methods):
        print(
            "sonde: nothing was compared: no method is hot in both runs; are they runs of one program?",
            file=sys.stderr,
        )
    if arguments.html is not None:
        title = f"{arguments.first.name} and {arguments.second.name}"
        write_page(comparison_page(comparison), arguments.html, title=title)
    else:
        print_report_of(comparison_report(comparison, shown, whole=arguments.json), arguments, wide=form.wide)
    return EXIT_FAILED if comparison.has_differences else EXIT_OK


def _compared(one: "Experiment", other: "Experiment", options: "DiffOptions", asked: DiffRequest) -> "Comparison":
    """Tell the second run in the words of the first, cut out fragments, and compare.

    Raises:
        InputError: `nothing-in-common`.
    """
    from sonde.instruments.decisions.analysis import compare_runs
    from sonde.instruments.decisions.experiments import MOST_FRAGMENTS, create_fragments

    if asked.match == "aligned":
        other = _aligned(one, other, cold_too=options.cold_too)
    if not asked.no_fragments:
        create_fragments(one, other, leave_out_damaged=True, most=MOST_FRAGMENTS)
    _check_in_common(one, other)
    progress = ProgressLine("compared")
    try:
        return compare_runs(one, other, options, progress)
    finally:
        progress.close()


def _command_for(first: str | None, second: str | None) -> "Command":
    """The command of profdiff that compares such runs; what is not known is taken for compiled just in time."""
    if second != "AOT":
        return "jit-vs-jit"
    return "aot-vs-aot" if first == "AOT" else "jit-vs-aot"


def _check_in_common(first: "Experiment", second: "Experiment") -> None:
    """Refuse runs of two programs.

    Raises:
        InputError: `nothing-in-common`.
    """
    methods = [{*side.methods(), *side.fragments} for side in (first, second)]
    if methods[0].isdisjoint(methods[1]):
        raise InputError(
            f"cannot compare '{first.run.name}' with '{second.run.name}':"
            f" none of the {len(methods[0])} methods of the first is among the {len(methods[1])} of the second",
            slug="nothing-in-common",
            hint="compare runs of one program",
        )


def _aligned(first: "Experiment", second: "Experiment", *, cold_too: bool) -> "Experiment":
    """The second side with the names and places of the first, as far as units that may be compared tell them."""
    from sonde.instruments.decisions.alignment import align, aligned_run
    from sonde.instruments.decisions.experiments import Experiment

    sources = [_first_lines(side) for side in (first, second)]
    # A method that is hot in one run only is compared with its units in the other, too.
    methods = {unit.method for side in (first, second) for unit in side.run.units if cold_too or side.is_hot(unit)}
    alignment = align(_trees_of(first, methods), _trees_of(second, methods), *sources)
    aligned = Experiment(aligned_run(second.run, alignment), second.number)
    aligned.hot = second.hot
    return aligned


def _trees_of(side: "Experiment", methods: "AbstractSet[str]") -> "Iterator[Trees]":
    """The trees of the units of some methods; what is damaged is told where it would be compared."""
    for unit in side.run.units:
        if unit.method in methods:
            with suppress(InputError):
                yield unit.load()


def _first_lines(side: "Experiment") -> "dict[str, SourceRange] | None":
    """Where methods begin, if that tells how far what is in them moved."""
    run = side.run
    return run.sources if run.offsets == "line" and run.lines_from == "file" else None
