"""What the numbers in the spools of a program with cycle probes mean: its compiled functions, and what they consist of.

It lies beside the spools, so that a run that was cut off can be understood, too.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde.base.errors import InputError

if TYPE_CHECKING:
    from sonde.ir import SourceFunction
    from sonde.ir.analyses import UnitCosts

_FILE = "units.json"


PROBE = "(probe of sonde)"
"""What debug information calls the code of probes, as if it had been inlined."""


class CompiledUnit(NamedTuple):
    """A function as it was compiled."""

    function: "SourceFunction"
    costs: "UnitCosts"
    """Estimated, of one call."""
    symbol: str = ""
    """What the object file calls it."""


class CompiledUnits(NamedTuple):
    """The functions of a program."""

    units: tuple[CompiledUnit, ...]
    """By number."""
    described: "tuple[SourceFunction, ...]" = ()
    """All that debug information knows, those that were inlined everywhere among them; empty if nobody needs them."""


def write_units(folder: Path, known: CompiledUnits) -> None:
    """Keep what is known before the program runs. Raises: OSError."""
    numbers: dict[SourceFunction, int] = {}

    def number(function: "SourceFunction") -> int:
        return numbers.setdefault(function, len(numbers))

    told = [
        {
            "function": number(unit.function),
            "symbol": unit.symbol,
            "parts": [
                ([number(each) for each in part.functions], part.lines, cycles)
                for part, cycles in unit.costs.parts.items()
            ],
            "unplaced": unit.costs.unplaced,
        }
        for unit in known.units
    ]
    described = [number(each) for each in known.described]
    functions = [(each.symbol, each.file, each.line) for each in numbers]
    text = json.dumps({"functions": functions, "units": told, "described": described})
    (folder / _FILE).write_text(text, encoding="utf-8", errors="surrogateescape")


def read_units(folder: Path) -> CompiledUnits | None:
    """What `write_units` left in a folder; None: nothing, as for other runs.

    Raises:
        InputError: `corrupt-spool`.
    """
    try:
        told = json.loads((folder / _FILE).read_text(encoding="utf-8", errors="surrogateescape"))

        from sonde.ir import SourceFunction  # few runs need them
        from sonde.ir.analyses import InlinedPart, UnitCosts

        functions = [SourceFunction(symbol, file, line) for symbol, file, line in told["functions"]]
        units = tuple(
            CompiledUnit(
                functions[unit["function"]],
                UnitCosts(
                    {
                        InlinedPart(tuple(functions[each] for each in numbers), tuple(lines)): cycles
                        for numbers, lines, cycles in unit["parts"]
                    },
                    unit["unplaced"],
                ),
                unit["symbol"],
            )
            for unit in told["units"]
        )
        return CompiledUnits(units, tuple(functions[each] for each in told["described"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise InputError(f"cannot read '{folder / _FILE}': {error}", slug="corrupt-spool") from error
