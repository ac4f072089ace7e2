"""Samples of addresses by compiled function, inlined function and line: what the code was made from."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # few runs need them
    from sonde.events import CodeFrame, CodeLocation, CodeMap
    from sonde.ir import SourceFunction
    from sonde.ir.analyses import InlinedPart, UnitCosts


class UnitSamples(NamedTuple):
    """Samples in the code of a program."""

    of_units: "Mapping[int, UnitCosts]"
    """Number of a compiled function -> samples of its parts."""
    in_probes: int
    """In what sonde has put in."""
    unknown: int
    """In code that belongs to no compiled function that is known."""


def unit_samples(
    counts: Mapping[int, int],
    code: "CodeMap",
    units: "Sequence[tuple[str, SourceFunction]]",
    described: "Sequence[SourceFunction]",
    probe: str,
) -> UnitSamples:
    """Say whose code addresses are.

    Args:
        counts: address -> samples.
        code: where the program was loaded.
        units: compiled functions by their numbers: what the object file calls them, and what they are.
        described: functions that debug information knows.
        probe: what it calls the code of probes.
    Each sample belongs to the instruction before its address, which is what the thread was interrupted in.

    Guarantee: all samples are in one part of one unit, or unplaced there, or in probes, or unknown.
    Cost: O(n log n) for n addresses, and reading the debug information of the compile units that they are in.
    """
    from sonde.ir.analyses import UnitCosts  # few runs need it

    numbers = {symbol: number for number, (symbol, _) in reversed([*enumerate(units)])}
    names = _Names(described)
    parts: dict[int, dict[InlinedPart, float]] = {}
    unplaced: dict[int, float] = {}
    in_probes = unknown = 0
    for address, samples in counts.items():
        found = _waited_for(code, address)
        number = None if found is None else numbers.get(found.function)
        if found is None or number is None:
            unknown += samples
        elif found.frames[0].function == probe:
            in_probes += samples
        elif not found.frames[0].file:
            unplaced[number] = unplaced.get(number, 0.0) + samples
        else:
            of_unit, part = parts.setdefault(number, {}), names.part(found.frames, *units[number])
            of_unit[part] = of_unit.get(part, 0.0) + samples
    found_units = {
        number: UnitCosts(parts.get(number, {}), unplaced.get(number, 0.0)) for number in sorted({*parts, *unplaced})
    }
    return UnitSamples(found_units, in_probes, unknown)


def _waited_for(code: "CodeMap", address: int) -> "CodeLocation | None":
    """What a thread was waiting for that was interrupted at an address.

    An interrupt is taken when the oldest instruction of those under way is done, and says where the thread goes on: at
    the next one (`docs/notes/samples-of-code.md`). So what took the time is before the address. Where a jump has
    led there, that is not so; but what is slow is mostly in front of the rest of its block.
    """
    here = code.range_at(address)
    if here is None:
        return None
    return here.locate(max(here.start, address - 1))


class _Names:
    """Functions as debug information describes them, from what a line table calls them."""

    def __init__(self, described: "Sequence[SourceFunction]") -> None:
        self._in_file = {(each.symbol, each.file): each for each in reversed(described)}
        self._anywhere = {each.symbol: each for each in reversed(described)}
        self._parts: dict[tuple[str, tuple[CodeFrame, ...]], InlinedPart] = {}

    def part(self, frames: "tuple[CodeFrame, ...]", symbol: str, unit: "SourceFunction") -> "InlinedPart":
        """Whose code it is, in a compiled function; with the lines there."""
        if (symbol, frames) not in self._parts:
            from sonde.ir.analyses import InlinedPart  # few runs need it

            *inlined, outermost = frames
            is_unit = outermost.function in (symbol, unit.symbol)
            functions = (*map(self._function, inlined), unit if is_unit else self._function(outermost))
            self._parts[symbol, frames] = InlinedPart(functions, tuple(each.line for each in frames))
        return self._parts[symbol, frames]

    def _function(self, frame: "CodeFrame") -> "SourceFunction":
        from sonde.ir import SourceFunction  # few runs need it

        known = self._in_file.get((frame.function, frame.file)) or self._anywhere.get(frame.function)
        return known or SourceFunction(frame.function, frame.file, 0)
