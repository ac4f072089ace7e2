"""What profdiff prints, command by command."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Literal

from sonde.instruments.decisions.experiments import (
    Compilation,
    Experiment,
    RecentTrees,
    create_fragments,
    differences,
    method_pairs,
    prepared,
)
from sonde.instruments.decisions.profdiff.compilation_text import compilation_list, compilation_title, pair_lines
from sonde.instruments.decisions.profdiff.delta_text import difference_lines
from sonde.instruments.decisions.profdiff.explanation import explanation_lines
from sonde.instruments.decisions.profdiff.inlined_methods import mark_inlined_methods
from sonde.instruments.decisions.profdiff.lines import EMPTY, Line, Sink, write_lines
from sonde.instruments.decisions.profdiff.log import GraalLog
from sonde.instruments.decisions.profdiff.options import ProfdiffOptions
from sonde.instruments.decisions.profdiff.side import Side, summary_lines
from sonde.instruments.decisions.profdiff.tree_text import tree_lines
from sonde.instruments.decisions.profdiff.warning_text import warning_lines

Comparison = Literal["jit-vs-jit", "jit-vs-aot", "aot-vs-aot"]
Kind = Literal["JIT", "AOT"]
KINDS: Mapping[Comparison, tuple[Kind, Kind]] = MappingProxyType(
    {"jit-vs-jit": ("JIT", "JIT"), "jit-vs-aot": ("JIT", "AOT"), "aot-vs-aot": ("AOT", "AOT")}
)
"""Of the runs that a command compares."""


def write_report(log: GraalLog, stream: Sink, options: ProfdiffOptions | None = None) -> None:
    """Print what was decided in a run: with a profile in hot units, else in all.

    Raises:
        InputError: `bad-decision-record`.
    """
    write_lines(_report(log, options or ProfdiffOptions()), stream)


def write_comparison(
    command: Comparison,
    first: GraalLog,
    second: GraalLog,
    stream: Sink,
    options: ProfdiffOptions | None = None,
) -> bool:
    """Print what differs in hot units of two runs.

    Args:
        second: without a profile, what is hot is known from the first: what is in its hot units.
    Returns:
        whether anything differs, as far as is known; not where nothing was compared.
    Raises:
        InputError: `bad-decision-record`.
    """
    outcome = _Outcome()
    write_lines(_comparison(command, first, second, options or ProfdiffOptions(), outcome), stream)
    return outcome.differs


def write_comparison_by_jit(
    jit: GraalLog,
    first: GraalLog,
    second: GraalLog,
    stream: Sink,
    options: ProfdiffOptions | None = None,
) -> None:
    """Print what differs in two runs without profiles, in methods that are in hot units of a third.

    Raises:
        InputError: `bad-decision-record`.
    """
    write_lines(_comparison_by_jit(jit, first, second, options or ProfdiffOptions()), stream)


@dataclass(slots=True)
class _Outcome:
    """What becomes known while lines are written."""

    differs: bool = False


def _report(log: GraalLog, options: ProfdiffOptions) -> Iterator[Line]:
    run = log.run
    has_profile = run.profile is not None
    yield from explanation_lines(options, single=True, only_hot=has_profile)
    yield EMPTY
    yield from warning_lines(log, 1)
    experiment = Experiment(run, 1)
    experiment.mark_hot(options.heat)
    yield from summary_lines(Side(experiment, run.compilation if has_profile else None))
    for method in sorted(experiment.methods(), key=lambda method: -experiment.total_period(method)):
        units = experiment.methods()[method]
        shown = [unit for unit in units if experiment.is_hot(unit)] if has_profile else units
        if not shown:
            continue
        yield EMPTY
        yield 0, f"Method {method}"
        yield from compilation_list(experiment, method)
        for unit in shown:
            yield from _compilation(unit, experiment, 2, options)


def _comparison(
    command: Comparison, first: GraalLog, second: GraalLog, options: ProfdiffOptions, outcome: _Outcome
) -> Iterator[Line]:
    kinds = KINDS[command]
    yield from explanation_lines(options, single=False, only_hot=True)
    if command != "aot-vs-aot":
        yield EMPTY
    yield from warning_lines(first, 1)
    one, other = Experiment(first.run, 1), Experiment(second.run, 2)
    one.mark_hot(options.heat)
    yield from summary_lines(Side(one, kinds[0]))
    yield EMPTY
    yield from warning_lines(second, 2)
    if second.run.profile is None:
        mark_inlined_methods(one, other)
    else:
        other.mark_hot(options.heat)
    yield from summary_lines(Side(other, kinds[1]))
    yield EMPTY
    yield from _matched(one, other, options, outcome)


def _comparison_by_jit(jit: GraalLog, first: GraalLog, second: GraalLog, options: ProfdiffOptions) -> Iterator[Line]:
    yield from explanation_lines(options, single=False, only_hot=True)
    yield EMPTY
    yield from warning_lines(jit, 0)
    guide, one, other = Experiment(jit.run, 0), Experiment(first.run, 1), Experiment(second.run, 2)
    guide.mark_hot(options.heat)
    yield from summary_lines(Side(guide, "JIT"))
    for log, experiment in ((first, one), (second, other)):
        yield EMPTY
        yield from warning_lines(log, experiment.number)
        yield from summary_lines(Side(experiment, "AOT"))
    mark_inlined_methods(guide, one, other)
    yield EMPTY
    yield from _matched(one, other, options, _Outcome())


def _matched(first: Experiment, second: Experiment, options: ProfdiffOptions, outcome: _Outcome) -> Iterator[Line]:
    """Method by method, the hot compilations of both sides."""
    if options.create_fragments:
        create_fragments(first, second)
    between: Iterable[Line] = ()
    recent = RecentTrees()
    for pair in method_pairs(first, second):
        yield from between
        between = (EMPTY,)
        yield from pair_lines(pair)
        outcome.differs |= pair.is_hot_in(1) != pair.is_hot_in(2)
        if not options.diff_compilations:
            for experiment in (first, second):
                for compilation in _hot_in_log_order(experiment, pair.method):
                    yield from _compilation(compilation, experiment, 1, options)
            continue
        for units in pair.unit_pairs():
            yield 1, f"{compilation_title(units.first, first)} vs"
            yield 1, compilation_title(units.second, second)
            found = differences(units, options.compare, recent)
            outcome.differs |= found.any
            yield from difference_lines(found, 2, options)


def _hot_in_log_order(experiment: Experiment, method: str) -> Iterator[Compilation]:
    every: chain[Compilation] = chain(experiment.methods().get(method, ()), experiment.fragments.get(method, ()))
    return filter(experiment.is_hot, every)


def _compilation(
    compilation: Compilation, experiment: Experiment, level: int, options: ProfdiffOptions
) -> Iterator[Line]:
    yield level, compilation_title(compilation, experiment)
    yield from tree_lines(prepared(compilation.load(), options.tree), level + 1, options)
