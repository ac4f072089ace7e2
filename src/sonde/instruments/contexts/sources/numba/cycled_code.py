"""Probes that measure cycles in what Numba compiles. Runs in the measured process, once its Numba begins to compile.

Each function that is left when Numba's optimizer is done is a unit, one in each library that it was linked into. How
many there will be is not known when the first one runs: threads have room for more than programs have.
"""

import json
import os
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from sonde.instruments.contexts.sources.compiled_functions import compiled_unit
from sonde.instruments.contexts.sources.cycle_library import (
    SHARE_OF_TIME,
    CyclePlan,
    begin_cycles,
    cycle_addresses,
    cycles_offset,
)
from sonde.instruments.contexts.sources.numba.finished_modules import (
    FinishedModules,
    Installed,
    installed,
    is_counted,
)
from sonde.instruments.contexts.sources.numba.line_tables import give_lines
from sonde.instruments.contexts.sources.numba.told_code import Telling, without_address
from sonde.instruments.contexts.sources.numba.told_units import CYCLES_MECHANISM, UNITS_KEY
from sonde.instruments.contexts.sources.probes import CompiledUnit, CompiledUnits, units_document
from sonde.ir import SourceFrames, SourceFunction, parse_module
from sonde.ir.analyses import CostRegion, InlinedPart, UnitCosts
from sonde.ir.names import unquoted
from sonde.passes import CycleProbes, LoopCounters
from sonde.passes.cycle_probes import FIRST_UNIT, UNIT_BYTES

_MOST_UNITS, _MOST_LOOPS = 1 << 13, 1 << 14
"""Of all libraries: 1.1 MB for each thread."""


class CycleSettings(NamedTuple):
    """What is asked for."""

    folder: str
    """Of the run."""
    command: str
    stamps: Literal["none", "chosen", "all"]
    follow: bool


class NumbaCycles:
    """Puts probes that measure cycles into what Numba compiles from now on.

    Args:
        agent: the module `sonde._agent` of the process.
    """

    def __init__(self, settings: CycleSettings, agent: Any, telling: Telling) -> None:
        self._stamps, self._telling = settings.stamps, telling
        self._offset = cycles_offset()
        self._units = self._loops = 0
        self._modules = FinishedModules(agent, telling)
        begin_cycles(
            CyclePlan(
                os.fsencode(settings.folder),
                os.fsencode(settings.command),
                f"{CYCLES_MECHANISM}, stamps: {settings.stamps}".encode(),
                _MOST_UNITS,
                SHARE_OF_TIME if settings.stamps == "chosen" else 0.0,
                settings.follow,
                _MOST_LOOPS,
            )
        )

    def install(self) -> None:
        """Hook into Numba.

        Raises:
            AttributeError: it has not what is hooked.
        """
        self._modules.install(
            cycle_addresses(),
            self._with_probes,
            lowering=lambda each: give_lines(each, self._modules.describe),
        )

    def remove(self) -> None:
        """Let Numba be as it was."""
        self._modules.remove()

    def _with_probes(self, plain: Any) -> Any:
        """A copy of a finished module, with probes; None: there is nothing to put any into."""
        module = parse_module(str(plain))
        wanted = [each.name for each in module.defined_functions() if is_counted(unquoted(each.name))]
        if not wanted:
            return None
        frames = SourceFrames(module)
        described = {name: self._named(compiled_unit(module, name, frames)) for name in wanted}
        first_loop = FIRST_UNIT + UNIT_BYTES * _MOST_UNITS + 8 * self._loops
        if self._units + len(wanted) > _MOST_UNITS or self._loops + _loops_of(described.values()) > _MOST_LOOPS:
            self._telling.not_probed(f"there is room for {_MOST_UNITS:,} functions and {_MOST_LOOPS:,} loops")
            return None
        names = CycleProbes(self._offset, has_intervals=self._stamps != "none").insert(
            module, names=set(wanted), first=self._units
        )
        counters = LoopCounters(self._offset, first_loop).insert(module, names)
        made = self._modules.parsed(module, plain.name)
        units = [self._counted(described[name], name, counters) for name in names]
        self._telling.tell(json.dumps({UNITS_KEY: units_document(CompiledUnits(tuple(units)))}))
        self._units += len(names)
        self._loops += len(counters)
        return made

    def _counted(self, unit: CompiledUnit, name: str, counters: dict[tuple[str, str], int]) -> CompiledUnit:
        headers = [region.header for region in unit.regions[1:]]
        return unit._replace(counters=tuple(self._loops + counters[name, each] for each in headers))

    def _named(self, unit: CompiledUnit) -> CompiledUnit:
        """A unit whose functions have the names and places that Python knows them by."""
        name = self._name(replace(unit.function, symbol=unit.symbol))
        return unit._replace(function=name, regions=tuple(map(self._named_region, unit.regions)))

    def _named_region(self, region: CostRegion) -> CostRegion:
        parts = dict[InlinedPart, float]()
        for part, cycles in region.costs.parts.items():
            named = InlinedPart(tuple(map(self._name, part.functions)), part.lines)
            parts[named] = parts.get(named, 0.0) + cycles
        return region._replace(costs=UnitCosts(parts, region.costs.unplaced))

    def _name(self, function: SourceFunction) -> SourceFunction:
        name, _, file, line = self._modules.description(function.symbol)
        return SourceFunction(without_address(name), file, line) if file else function


def _loops_of(units: Any) -> int:
    return sum(len(unit.regions) - 1 for unit in units)


def watch_cycles(settings: CycleSettings, agent: Any) -> Installed | None:
    """Measure cycles of what Numba compiles from now on; None: it cannot be done, which is told."""
    telling = Telling(settings.folder, "cycles")
    return installed(telling, lambda: NumbaCycles(settings, agent, telling))
