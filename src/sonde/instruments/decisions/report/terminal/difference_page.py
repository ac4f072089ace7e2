"""Two runs compared on a terminal: what differs most, what is hot in one only, and each pair of compilations."""

from typing import TextIO

from sonde.base.fitted_text import printable
from sonde.base.units import counted, format_count
from sonde.instruments.decisions.experiments import MOST_FRAGMENTS, Compilation, Experiment, Fragment, TooBig
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.report.comparison import ComparedMethod, ComparedUnits, Comparison
from sonde.instruments.decisions.report.elsewhere import whereabouts
from sonde.instruments.decisions.report.findings import findings
from sonde.instruments.decisions.report.options import DiffOptions
from sonde.instruments.decisions.report.scope import Scope, scope_of, scope_text
from sonde.instruments.decisions.report.shares import SIDES, compilation_name, share_of_run, share_text
from sonde.instruments.decisions.report.terminal.finding_list import print_findings
from sonde.instruments.decisions.report.terminal.name_table import LEAST_NAME
from sonde.instruments.decisions.report.terminal.run_head import print_doubts, print_run_head
from sonde.instruments.decisions.report.terminal.trees import print_tree
from sonde.render.name_text import short_name, whole_name
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_FEWEST_LINES = 6
"""Of a tree: the first method has as many as are wanted, each further one half as many as the one before."""

_MOST_METHODS = 12
"""Methods whose trees are printed; the rest is named."""

_NAMED = 5
"""Methods that are named where only their number matters."""


def print_differences(
    comparison: Comparison,
    stream: TextIO,
    options: DiffOptions | None = None,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print what differs between two runs, most important first.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        options: those of the comparison if not given.
        width, colour: override what the stream and the environment say.
    """
    options = options or comparison.options
    page = Page(stream, width=width, colour=colour)
    sides = comparison.experiments()
    for experiment, side in zip(sides, SIDES, strict=True):
        print_run_head(page, experiment, side=side)
    print_doubts(page, sides, SIDES)
    if not comparison.methods:
        page.line()
        page.line("nothing to compare: no method is hot in either run")
        return
    found = findings(comparison)
    scope = scope_of(comparison)
    if found:
        print_findings(page, comparison, found, options)
    elif not comparison.has_differences:
        page.line()
        say(page, f"no differences in what was compared: {scope_text(scope)}", "bold")
        if any(scope.cold):
            cold = " and ".join(format_count(count) for count in scope.cold)
            say(page, f"{cold} units are not hot, and were not compared: without --hot they are", "yellow")
    elif any(units.differs for method in comparison.methods for units in method.told):
        page.line()
        say(page, "other phases ran, but they decided the same", "bold")
    _print_one_sided(page, comparison, options)
    _print_methods(page, comparison, options)
    _print_rest(page, comparison, scope)


def _print_one_sided(page: Page, comparison: Comparison, options: DiffOptions) -> None:
    """Methods that are hot, or were compiled at all, in one run only, and what became of them in the other."""
    hot, others = [], []
    for method in comparison.methods:
        on_sides = _sides_by_itself(method)
        if on_sides[0] != on_sides[1]:
            hot.append((method, on_sides))
        elif method.is_missing:
            sides = comparison.experiments()
            others.append((method, (method.method in sides[0].methods(), method.method in sides[1].methods())))
    for title, of_one in (("hot in one run only", hot), ("compiled in one run only", others)):
        if not of_one:
            continue
        page.heading(title, "where the code is in the other")
        for method, on_sides in of_one[: options.rows]:
            _print_of_one(page, comparison, method, on_sides, options)
        if len(of_one) > options.rows:
            page.line(page.paint(f"… {counted(len(of_one) - options.rows, 'more method')}", "dim"))


def _print_of_one(
    page: Page, comparison: Comparison, method: ComparedMethod, on_sides: tuple[bool, bool], options: DiffOptions
) -> None:
    shares = _share_words(method)
    room = max(page.width - len(shares) - 2, LEAST_NAME)
    name = whole_name(method.method) if options.wide else short_name(method.method, room)
    page.line(f"{name}  {page.paint(shares, 'dim')}")
    for experiment, side, is_there in zip(comparison.experiments(), SIDES, on_sides, strict=True):
        if not is_there:
            say(page, f"in {side}: {whereabouts(experiment, method.method)}", indent="  ")


def _sides_by_itself(method: ComparedMethod) -> tuple[bool, bool]:
    """On which sides the method has a hot compilation of its own."""
    first, second = (
        any(not isinstance(one, Fragment) for one in experiment.hot_compilations(method.method))
        for experiment in (method.pair.first, method.pair.second)
    )
    return first, second


def _share_words(method: ComparedMethod) -> str:
    shares = []
    for experiment, side in ((method.pair.first, SIDES[0]), (method.pair.second, SIDES[1])):
        share = share_of_run(experiment.run, experiment.total_period(method.method))
        if share is not None:
            shares.append(f"{share_text(share)} in {side}")
    return ", ".join(shares)


def _print_methods(page: Page, comparison: Comparison, options: DiffOptions) -> None:
    different = [method for method in comparison.methods if any(_is_told(units) for units in method.told)]
    rows = options.rows
    for method in different[:_MOST_METHODS]:
        _print_method(page, comparison, method, options, rows)
        rows = max(rows // 2, _FEWEST_LINES)
    left = different[_MOST_METHODS:]
    if left:
        page.line()
        say(page, f"… {counted(len(left), 'more method')} with differences: {_names(left)}", "dim")


def _is_told(units: ComparedUnits) -> bool:
    return units.differs or units.is_too_big or bool(units.failure)


def _print_method(page: Page, comparison: Comparison, method: ComparedMethod, options: DiffOptions, rows: int) -> None:
    shares = _share_words(method)
    room = max(page.width - len(shares) - 2, LEAST_NAME)
    name = whole_name(method.method) if options.wide else short_name(method.method, room)
    page.line()
    page.line(f"{page.paint(name, 'bold', 'cyan')}  {page.paint(shares, 'dim')}")
    for units in method.told:
        if _is_told(units):
            _print_units(page, comparison, method, units, options, rows)
    same = sum(not _is_told(units) for units in method.told)
    if same:
        page.line(page.paint(f"  {counted(same, 'pair')} of its compilations without differences", "dim"))
    others = len(method.units) - len(method.closest)
    if others:
        words = f"{counted(others, 'more pair')} of its compilations, each less like the other than these"
        say(page, f"… {words}: --html and --json have them", "dim", indent="  ")


def _print_units(
    page: Page, comparison: Comparison, method: ComparedMethod, units: ComparedUnits, options: DiffOptions, rows: int
) -> None:
    pair = units.pair
    names = [
        _compilation(experiment, compilation, side)
        for experiment, compilation, side in zip(
            comparison.experiments(), (pair.first, pair.second), SIDES, strict=True
        )
    ]
    say(page, " against ".join(names), indent="  ")
    if units.failure:
        say(page, f"! not compared: {units.failure}", "yellow", indent="  ")
        return
    counts = units.counts
    if units.is_another:
        nodes = counts.same + counts.edits
        share = share_text(counts.same / nodes)
        say(page, f"different compilations: only {share} of {format_count(nodes)} nodes are the same", indent="  ")
        rows = min(rows, _FEWEST_LINES)
    runs = [experiment.run for experiment in comparison.experiments()]
    trees = (
        ("inlining", units.pruned.inlining),
        ("optimizations", units.pruned.optimizations),
        ("optimizations in context", units.pruned.context),
    )
    for title, tree in trees:
        if tree is None:
            continue
        if isinstance(tree, TooBig):
            say(page, f"! {title}: the trees are too big to be compared", "yellow", indent="  ")
            continue
        page.line(f"  {page.paint(title, 'bold')}")
        print_tree(page, tree, runs, method.method, rows=rows, wide=options.wide)


def _compilation(experiment: Experiment, compilation: Compilation, side: str) -> str:
    text = f"{side} {printable(compilation_name(compilation))}"
    if isinstance(compilation, Fragment):
        text += f" in {short_name(compilation.parent.method, 48)}"
    return text + _share_of(experiment.run, compilation.period)


def _share_of(run: DecisionRun, period: int) -> str:
    share = share_of_run(run, period)
    return "" if share is None else f" ({share_text(share)})"


def _print_rest(page: Page, comparison: Comparison, scope: Scope) -> None:
    """What did not differ, and how to read the signs."""
    same = [
        method for method in comparison.methods if method.units and not any(_is_told(units) for units in method.told)
    ]
    if comparison.left_out:
        page.line()
        left = counted(comparison.left_out, "decision")
        say(page, f"{left} of detailed phases not compared: --no-remove-detailed-phases", "dim")
    fragments = sum(scope.fragments)
    if fragments:
        words = f"{counted(fragments, 'fragment')} left out: of each unit the {MOST_FRAGMENTS} outermost are compared"
        say(page, words, "dim")
    unmeasured = sum(method.is_of_one_run and not method.is_missing for method in comparison.methods)
    if unmeasured:
        verb = "was" if unmeasured == 1 else "were"
        words = f"{counted(unmeasured, 'method')} without measured time {verb} compiled in one run only"
        say(page, words, "dim")
    if not comparison.has_differences:
        return
    page.line()
    if same:
        say(page, f"{counted(len(same), 'method')} without differences: {_names(same)}", "dim")
    rest = "; the rest: --all" if any(scope.cold) else ""
    say(page, f"compared: {scope_text(scope)}{rest}", "dim")
    page.line(page.paint(". same   - only in A   + only in B   * changed", "dim"))


def _names(methods: list[ComparedMethod]) -> str:
    names = [short_name(method.method, 40) for method in methods[:_NAMED]]
    return ", ".join(names) + (f", … {format_count(len(methods) - _NAMED)} more" if len(methods) > _NAMED else "")
