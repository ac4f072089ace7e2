"""Where paths meet: values of the original that phis of the optimised function hold, though no record says so.

at the end of one block before   v is 0
at the end of the other          v is %next
%p = phi [ 0 ], [ %next ]        so v is %p
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.ir.bookkeeping.instances import Origin
from sonde.ir.bookkeeping.knowledge import State
from sonde.ir.bookkeeping.locations import Constant, Held, Location
from sonde.ir.bookkeeping.samples import copied_by
from sonde.ir.function import Function
from sonde.ir.phi import incoming_of, phi_type


@dataclass(frozen=True, slots=True)
class PhiJoin:
    """The phis of one block."""

    phis: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Name, type, and what comes from each of `sources`; copies are named by what they are copies of."""
    sources: tuple[str, ...]
    """The blocks before it."""
    behind: int
    """Index of the first instruction that is no phi."""
    copies: Mapping[str, str]

    def held(self, ends: Mapping[str, State]) -> dict[Origin, Held]:
        """What is in the phis.

        Args:
            ends: what is known at the ends of blocks before; those that are missing are not known yet.
        Guarantee: a value that is where every one of `ends` says is in the phi, whichever way is taken.
        Cost: O(values known at the end of the first block * blocks before), and O(phis).
        """
        chosen = [(at, ends[source]) for at, source in enumerate(self.sources) if source in ends]
        if not chosen:
            return {}
        by_texts: dict[tuple[str, ...], Held] = {}
        for name, type_, incoming in self.phis:
            by_texts.setdefault((type_, *(incoming[at] for at, _ in chosen)), Held(name, type_))
        found = {}
        first = chosen[0][1]
        for origin, location in first.items():
            locations = [location, *(end.get(origin) for _, end in chosen[1:])]
            if all(each == location for each in locations):
                continue  # it is there still, whichever way
            held = by_texts.get(self._texts(locations))
            if held is not None:
                found[origin] = held
        return found

    def _texts(self, locations: list[Location | None]) -> tuple[str, ...]:
        """Their type, and what they are; empty where no phi could get them."""
        types, texts = set(), []
        for each in locations:
            match each:
                case Held(name, type_):
                    texts.append(self.copies.get(name, name))
                case Constant(text, type_):
                    texts.append(text)
                case _:
                    return ()
            types.add(type_)
        return (types.pop(), *texts) if len(types) == 1 else ()


def phi_joins(function: Function) -> dict[str, PhiJoin]:
    """The phis of each block that several others lead to."""
    copies: dict[str, str] = {}
    for block in function.blocks:
        for phi in block.phis():
            copied = copied_by(phi)
            if copied is not None and copied.startswith("%") and phi.result:
                copies[phi.result] = copied
    for name, copied in copies.items():
        seen = {name}
        while copied in copies and copied not in seen:
            seen.add(copied)
            copied = copies[copied]
        copies[name] = copied
    found = {}
    for block in function.blocks:
        phis = block.phis()
        if not phis:
            continue
        sources = tuple(dict.fromkeys(source for _, source in incoming_of(phis[0])))
        if len(sources) < 2:
            continue
        rows = []
        for phi in phis:
            values = {source: copies.get(value, value) for value, source in incoming_of(phi)}
            rows.append((phi.result or "", phi_type(phi), tuple(values[each] for each in sources)))
        found[block.name] = PhiJoin(tuple(rows), sources, block.first_after_phis(), copies)
    return found
