"""What the numbers in the spools of a program with cycle probes mean: its compiled functions, and what they consist of.

It lies beside the spools, so that a run that was cut off can be understood, too.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sonde.base.errors import InputError

if TYPE_CHECKING:
    from sonde.ir import SourceFunction
    from sonde.ir.analyses import CostRegion, UnitCosts

_FILE = "units.json"


PROBE = "(probe of sonde)"
"""What debug information calls the code of probes, as if it had been inlined."""


class CompiledUnit(NamedTuple):
    """A function as it was compiled."""

    function: "SourceFunction"
    regions: "tuple[CostRegion, ...]"
    """Estimated costs, by the loops that it consists of."""
    symbol: str = ""
    """What the object file calls it."""
    counters: tuple[int, ...] = ()
    """Of the loops among the regions: the numbers of their words; empty: nothing is counted."""

    def costs(self, entries: int, counts: Sequence[int]) -> "UnitCosts":
        """Of one call, on average, by what was counted; else as it is guessed.

        Args:
            entries: calls that were counted.
            counts: of all loops of the program, by the numbers of their words.
        """
        from sonde.ir.analyses import counted_costs, guessed_costs  # few runs need them

        if not self.counters or not counts:
            return guessed_costs(self.regions)
        return counted_costs(self.regions, entries, [0, *(counts[each] for each in self.counters)])


class CompiledUnits(NamedTuple):
    """The functions of a program."""

    units: tuple[CompiledUnit, ...]
    """By number."""
    described: "tuple[SourceFunction, ...]" = ()
    """All that debug information knows, those that were inlined everywhere among them; empty if nobody needs them."""


def write_units(folder: Path, known: CompiledUnits) -> None:
    """Keep what is known before the program runs. Raises: OSError."""
    text = json.dumps(units_document(known))
    (folder / _FILE).write_text(text, encoding="utf-8", errors="surrogateescape")


def read_units(folder: Path) -> CompiledUnits | None:
    """What `write_units` left in a folder; None: nothing, as for other runs.

    Raises:
        InputError: `corrupt-spool`.
    """
    try:
        return units_of_document(json.loads((folder / _FILE).read_text(encoding="utf-8", errors="surrogateescape")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise InputError(f"cannot read '{folder / _FILE}': {error}", slug="corrupt-spool") from error


def units_document(known: CompiledUnits) -> dict[str, Any]:
    """The functions in values that JSON has."""
    numbers: dict[SourceFunction, int] = {}

    def number(function: "SourceFunction") -> int:
        return numbers.setdefault(function, len(numbers))

    told = [
        {
            "function": number(unit.function),
            "symbol": unit.symbol,
            "counters": unit.counters,
            "regions": [
                {
                    "parent": region.parent,
                    "guessed": region.guessed,
                    "parts": [
                        ([number(each) for each in part.functions], part.lines, cycles)
                        for part, cycles in region.costs.parts.items()
                    ],
                    "unplaced": region.costs.unplaced,
                }
                for region in unit.regions
            ],
        }
        for unit in known.units
    ]
    described = [number(each) for each in known.described]
    functions = [(each.symbol, each.file, each.line) for each in numbers]
    return {"functions": functions, "units": told, "described": described}


def units_of_document(told: Any) -> CompiledUnits:
    """The functions that `units_document` has described.

    Raises:
        ValueError, TypeError, KeyError, IndexError: it has not.
    """
    from sonde.ir import SourceFunction  # few runs need them
    from sonde.ir.analyses import CostRegion, InlinedPart, UnitCosts

    functions = [SourceFunction(symbol, file, line) for symbol, file, line in told["functions"]]

    def region(fields: dict[str, Any]) -> CostRegion:
        parts = {
            InlinedPart(tuple(functions[each] for each in numbers), tuple(lines)): cycles
            for numbers, lines, cycles in fields["parts"]
        }
        return CostRegion("", fields["parent"], fields["guessed"], UnitCosts(parts, fields["unplaced"]))

    units = tuple(
        CompiledUnit(
            functions[unit["function"]],
            tuple(map(region, unit["regions"])),
            unit["symbol"],
            tuple(unit["counters"]),
        )
        for unit in told["units"]
    )
    return CompiledUnits(units, tuple(functions[each] for each in told["described"]))
