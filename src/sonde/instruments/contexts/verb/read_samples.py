"""Profiles of compiled programs by samples of where their threads are, and what samples tell of measured ones."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Self

from sonde.base.units import format_share
from sonde.events import CodeMap
from sonde.evidence import Loss
from sonde.instruments.contexts.analyses import (
    UnitSamples,
    UnitTimes,
    blended_costs,
    disagreement,
    unit_contexts,
    unit_samples,
)
from sonde.instruments.contexts.profile import ContextProfile, MeasuredProcess, Run
from sonde.instruments.contexts.sources.probes import PROBE, CompiledUnits
from sonde.instruments.contexts.sources.spool import SpooledProcess
from sonde.native import CodeSamples

if TYPE_CHECKING:  # few runs need them
    from sonde.ir import SourceFunction
    from sonde.ir.analyses import UnitCosts

_NOTABLE = 0.01
"""Share of the samples from which something is worth a word."""
_LIKELY = 4.0
"""Standard errors that a sample is wrong by at most: one in 16,000 functions is."""
_NEAR = 0.25
"""Share by which elapsed time and that of the processor may differ besides."""
_DISAGREES = 0.05
"""Likewise of the time that two divisions of it give to different functions."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The samples of a run."""

    found: UnitSamples
    processes: Sequence[CodeSamples]

    @classmethod
    def of(cls, known: CompiledUnits, code: CodeMap | None, processes: Sequence[CodeSamples]) -> Self:
        """Say in which functions samples are.

        Args:
            known: what was known before the run.
            code: where the program was loaded; None: it was cut off before.
            processes: what was sampled of each.
        """
        counts = Counter[int]()
        for each in processes:
            counts.update(each.counts)
        units = [(each.symbol, each.function) for each in known.units]
        return cls(unit_samples(counts, code or CodeMap(), units, known.described, PROBE), processes)

    @property
    def ns_per_sample(self) -> float:
        """Processor time that one stands for."""
        return max((each.ns_per_sample for each in self.processes), default=0.0)

    def contradicts(self, number: int, ns: float) -> bool:
        """Whether samples of a compiled function say that it cannot have taken so long, or so short.

        Elapsed time may be more than that of the processor, which samples are of; and of intervals that are not much
        longer than reading a counter takes, what is measured is half guessed.
        """
        found, rate = self.found.of_units.get(number), self.ns_per_sample
        sampled = 0.0 if found is None else found.cycles * rate
        return abs(ns - sampled) > _LIKELY * sqrt(max(sampled, rate) * rate) + _NEAR * sampled

    def times(self, number: int, counted: UnitTimes) -> UnitTimes:
        """What a compiled function took by its samples, if measuring did not tell.

        Args:
            counted: what probes counted of it.
        """
        found, rate = self.found.of_units.get(number), self.ns_per_sample
        ns = 0.0 if found is None else found.cycles * rate
        is_measured = bool(counted.measured)
        return counted._replace(
            ns=ns,
            variance=ns * rate if is_measured else 0.0,
            is_estimated=False,
            ns_per_sample=0.0 if is_measured else rate,
        )

    def blended(self, units: "Sequence[tuple[SourceFunction, UnitCosts]]") -> "list[tuple[SourceFunction, UnitCosts]]":
        """Compiled functions, by number, with their estimated costs corrected."""
        of_units = self.found.of_units
        return [(unit, blended_costs(costs, of_units.get(number))) for number, (unit, costs) in enumerate(units)]

    def disagreement(
        self, units: "Sequence[tuple[SourceFunction, UnitCosts]]", times: Mapping[int, float]
    ) -> list[Loss]:
        """How estimated costs differ from the samples.

        Args:
            units: with their estimated costs, by number.
            times: of the units, in any unit.
        """
        found = disagreement(units, self.found.of_units, times)
        if found.where is None or found.share - found.by_chance < _DISAGREES:
            return []
        (unit, function), name = found.where, _name_of
        where = f"{name(function)} in {name(unit)}" if function != unit else f"{name(unit)} itself"
        detail = (
            f"{found.share:.0%} of the time is another function's by estimated costs than by samples, which count"
            f" where there are some: most differs {where}, {found.estimated:.0%} of its compiled function by estimate,"
            f" {found.sampled:.0%} by samples"
        )
        return [Loss("cycles-disagree", 0, detail)]

    def losses(self) -> list[Loss]:
        """What samples do not tell, as far as it is worth a word."""
        names = ("all", "elsewhere", "in_kernel", "lost", "throttled", "of_children")
        sums = {name: sum(getattr(each, name) for each in self.processes) for name in names}
        whole, losses = sums["all"], list[Loss]()
        for kind, amount, where in (
            (
                "samples-elsewhere",
                sums["elsewhere"] + self.found.unknown,
                "in libraries, or other code that is not the program's own",
            ),
            ("samples-in-kernel", sums["in_kernel"], "in the system, on behalf of the program"),
            ("samples-in-probes", self.found.in_probes, "in probes"),
        ):
            if amount > _NOTABLE * whole:
                detail = f"{format_share(amount, whole)} of the processor time was {where}: it is not in the times"
                losses.append(Loss(kind, 0, detail))
        if not all(each.sees_kernel for each in self.processes):
            losses.append(Loss("samples-in-kernel", 0, "the system does not tell what it does for the program"))
        for kind, key, detail in (
            ("samples-lost", "lost", "samples found no room, as sonde was kept from fetching them"),
            ("samples-throttled", "throttled", "times that the system stopped to sample a thread"),
            ("samples-of-children", "of_children", "samples were in forked children; --follow has them, too"),
        ):
            if sums[key]:
                losses.append(Loss(kind, sums[key], detail))
        return losses


def sampled_profile(
    known: CompiledUnits,
    sampled: Sampled,
    spools: Sequence[SpooledProcess],
    run: Run,
    ended: Callable[[SpooledProcess], str],
) -> ContextProfile:
    """Compiled functions, with what was inlined into them, and the processor time that samples stand for.

    Args:
        known: what was known before the run.
        spools: of the processes that were sampled.
        ended: how a process ended, in words.
    """
    from sonde.ir.analyses import UnitCosts  # few runs need it

    rate, of_units = sampled.ns_per_sample, sampled.found.of_units
    times = {number: UnitTimes(0, 0, 0, costs.cycles * rate, ns_per_sample=rate) for number, costs in of_units.items()}
    costs = [(each.function, of_units.get(number, UnitCosts({}, 0.0))) for number, each in enumerate(known.units)]
    processes = [
        MeasuredProcess(
            pid=each.spool.pid, parent_pid=each.spool.parent_pid, command=each.spool.command, python=each.spool.python,
            mechanism=each.spool.mechanism, threads=each.spool.threads, calls=0, ended=ended(each),
        )
        for each in spools
    ]  # fmt: skip
    return unit_contexts(costs, times, run, processes, sampled.losses())


def _name_of(function: "SourceFunction") -> str:
    """What the source calls a function."""
    from sonde.code.symbols import source_name  # few runs need it

    return source_name(function.symbol)
