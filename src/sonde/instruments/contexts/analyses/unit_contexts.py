"""Profiles of compiled functions by themselves: each is a root, and what was inlined into it is below it."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, sqrt
from typing import TYPE_CHECKING, NamedTuple

from sonde.base.units import format_share
from sonde.events import Function, FunctionTable
from sonde.evidence import Loss
from sonde.instruments.contexts.profile import (
    CYCLES,
    ESTIMATE,
    NO_PARENT,
    SAMPLES,
    ContextProfile,
    MeasuredProcess,
    Run,
    Sampling,
    contexts_from_self,
)

if TYPE_CHECKING:  # few runs need them
    from sonde.ir import SourceFunction
    from sonde.ir.analyses import UnitCosts

_NOTABLE = 0.01
"""Share of the time from which it is worth a word that it has no location."""


class UnitTimes(NamedTuple):
    """What one compiled function did, in all threads."""

    entries: int
    intervals: int
    """Times that it began to run by itself: at its entries, and after its calls."""
    measured: int
    """Of these, how many were measured; 0 of all functions: no time was measured."""
    ns: float
    """By itself, without what measuring cost."""
    variance: float = 0.0
    """Of `ns`, as not all intervals were measured."""
    is_estimated: bool = False
    """Whether `ns` is an estimate, in all threads or in some."""
    ns_per_sample: float = 0.0
    """What each sample stands for, if `ns` comes from samples; 0: it does not."""

    def plus(self, other: "UnitTimes") -> "UnitTimes":
        """Both together."""
        counts = (self.entries + other.entries, self.intervals + other.intervals, self.measured + other.measured)
        sums = (self.ns + other.ns, self.variance + other.variance, self.is_estimated or other.is_estimated)
        return UnitTimes(*counts, *sums, max(self.ns_per_sample, other.ns_per_sample))


def unit_contexts(
    units: "Sequence[tuple[SourceFunction, UnitCosts]]",
    times: Mapping[int, UnitTimes],
    run: Run,
    processes: Sequence[MeasuredProcess],
    losses: Sequence[Loss] = (),
) -> ContextProfile:
    """Compiled functions as contexts, whoever called them.

    What a function took is divided among what was inlined into it, and their lines, by estimated costs, or by samples.
    What has no location stays with the compiled function, and is told.

    Args:
        units: by number.
        times: by number of the unit.
        run: its clock is replaced.
    Guarantee: the own times of a compiled function and of what was inlined into it add up to what it took, rounded to a
        nanosecond; its calls are its entries.
    Cost: O(n) for n lines that functions consist of, and sorting.
    """
    tree = _Tree()
    unplaced = 0
    for number in sorted(times):
        unplaced += tree.add(*units[number], times[number])
    intervals = sum(each.intervals for each in times.values())
    measured = sum(each.measured for each in times.values())
    ns_per_sample = max((each.ns_per_sample for each in times.values()), default=0.0)
    is_sample = measured > 0 and any(each.variance for each in times.values())
    sampling = Sampling(1, 0, measured, measured / intervals) if is_sample else None
    if ns_per_sample and not measured:
        sampling = Sampling(round(ns_per_sample), 0, round(sum(tree.ns) / ns_per_sample), 1.0)
    contexts = contexts_from_self(
        parent=[parent for parent, _, _ in tree.rows],
        function=[function for _, function, _ in tree.rows],
        call_line=[line for _, _, line in tree.rows],
        calls=tree.calls,
        self_ns=tree.ns,
    )
    if sampling is not None:
        contexts = replace(contexts, ns_deviation=array("q", map(ceil, tree.deviations)))
    told = list(losses)
    if unplaced > _NOTABLE * sum(tree.ns):
        share = format_share(unplaced, sum(tree.ns))
        detail = f"{share} of the time is of instructions without a line: it stays with their compiled functions"
        told.append(Loss("cycles-without-line", 0, detail))
    return ContextProfile(
        tuple(tree.functions),
        contexts,
        replace(
            run,
            clock=CYCLES if measured else SAMPLES if ns_per_sample else ESTIMATE,
            time_kind="processor" if ns_per_sample and not measured else "wall",
        ),
        tuple(processes),
        tuple(told),
        line_samples={function: lines for function, lines in tree.lines.items() if lines},
        sampling=sampling,
    )


class _Tree:
    """Rows, as they are made."""

    def __init__(self) -> None:
        self.functions = FunctionTable()
        self.rows: dict[tuple[int, int, int], int] = {}
        """(row of the caller, function, line) -> row."""
        self.calls: list[int] = []
        self.ns: list[int] = []
        self.deviations: list[float] = []
        self.lines: dict[Function, dict[int, int]] = {}
        """Nanoseconds of lines."""

    def add(self, unit: "SourceFunction", costs: "UnitCosts", times: UnitTimes) -> int:
        """Add what a compiled function took; returns the nanoseconds that have no location."""
        root = self._row(NO_PARENT, _function(unit), 0)
        self.calls[root] += times.entries
        whole = round(times.ns)
        divided = costs.divide(whole)
        own = {root: divided.unplaced}
        for part, ns in divided.parts.items():
            if not ns:
                continue
            row, line = root, part.lines[-1]
            inwards = list(zip(part.functions, part.lines, strict=True))[::-1]
            if inwards[0][0] == unit:
                inwards = inwards[1:]
            else:
                line = 0  # it was taken out of another function
            for function, line_there in inwards:
                row = self._row(row, _function(function), line)
                line = line_there
            own[row] = own.get(row, 0) + ns
            if part.lines[0]:
                of_function = self.lines.setdefault(_function(part.functions[0]), {})
                of_function[part.lines[0]] = of_function.get(part.lines[0], 0) + ns
        for row, ns in own.items():
            self.ns[row] += ns
            if times.ns_per_sample:
                self.deviations[row] += sqrt(ns * times.ns_per_sample)
            elif whole:
                self.deviations[row] += sqrt(times.variance) * ns / whole
        return divided.unplaced

    def _row(self, parent: int, function: Function, line: int) -> int:
        key = (parent, self.functions.number(function), line)
        if key not in self.rows:
            self.rows[key] = len(self.rows)
            for column in (self.calls, self.ns, self.deviations):
                column.append(0)
        return self.rows[key]


def _function(function: "SourceFunction") -> Function:
    from sonde.code.symbols import source_name  # few runs need it

    return Function(source_name(function.symbol), "", function.file, function.line, "function", "jit")
