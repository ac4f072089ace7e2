"""Fragments: an inlined method cut out of the unit it was inlined into, to be compared with its own compilation."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sonde.instruments.decisions.experiments.inlining_path import InliningPath, enclosing_path, is_prefix, path_to
from sonde.instruments.decisions.model import NO_OFFSET, CallSite, Decision, Phase, Trees, Unit, rewritten_phases

Address = tuple[int, ...]
"""The way down a tree: which child, again and again."""


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """A method as it was compiled within another."""

    parent: Unit
    number: int
    """From 1, over both runs that are compared."""
    method: str
    address: Address
    """Where it is in the parent's inlining tree as it was logged."""
    path: tuple[CallSite, ...]
    """The same way for people, root first and this method last; indirect calls are left out."""

    @property
    def id(self) -> str:
        """The parent's id and the number: `123#4`."""
        return f"{self.parent.id}#{self.number}"

    @property
    def period(self) -> int:
        """The parent's: nobody measured how long it ran itself."""
        return self.parent.period

    @property
    def variant(self) -> None:
        """None: the parent's is not about this method."""
        return

    @property
    def version(self) -> str | None:
        """The parent's."""
        return self.parent.version

    def load(self) -> Trees:
        """Read the parent's trees and cut out the method; raises what `Unit.load` raises."""
        return fragment_trees(self.parent.load(), self.address)


@dataclass(frozen=True, slots=True)
class InlinedCalls:
    """Inlined calls of some methods, in preorder."""

    ways: list[tuple[Address, tuple[CallSite, ...]]]
    """Their addresses, and the way to each."""
    left_out: int
    """How many there are beyond these."""


def inlined_calls(root: CallSite, methods: Container[str], most: int | None = None) -> InlinedCalls:
    """Find the inlined calls of some methods below the root.

    A call that equals one before it, in all that is logged of both and of what is below them, has the other's address.

    Args:
        most: as many are told, those nearest to the root; None: all.
    Cost: O(nodes), and for each call that is told O(its depth).
    """
    found: list[_Step] = []
    waiting = [_Step(None, 0, root, 0)]
    while waiting:
        step = waiting.pop()
        site = step.site
        if site.inlined and step.above is not None and site.method in methods:
            found.append(step)
        firsts = _first_equals(site.children)
        depth = step.depth + 1
        below = [_Step(step, place, child, depth) for place, child in zip(firsts, site.children, strict=True)]
        waiting.extend(reversed(below))
    told = found
    if most is not None and len(found) > most:
        nearest = sorted(range(len(found)), key=lambda number: found[number].depth)[:most]
        told = [found[number] for number in sorted(nearest)]
    return InlinedCalls([_way(step) for step in told], len(found) - len(told))


class _Step(NamedTuple):
    """A step down a tree; ways share those above, for trees are deep."""

    above: "_Step | None"
    place: int
    site: CallSite
    depth: int


def _way(step: _Step) -> tuple[Address, tuple[CallSite, ...]]:
    steps = [step]
    while (above := steps[-1].above) is not None:
        steps.append(above)
    return tuple(each.place for each in steps[-2::-1]), tuple(each.site for each in reversed(steps))


def fragment_trees(trees: Trees, address: Address) -> Trees:
    """Cut a method out of the trees of a unit, which are not changed.

    Guarantee: the inlining tree is what is below the address, its top a root without a place and reasons. Of the
        decisions those in the method and what was inlined into it remain, with positions that end in it; all phases
        remain.
    Source: the paper's section 3.5.
    """
    way = [trees.inlining]
    for place in address:
        way.append(way[-1].children[place])
    top = replace(way[-1], at=NO_OFFSET, column=0, reasons=(), is_root=True)
    return Trees(top, _within(trees.optimizations, path_to(way)))


def _within(root: Phase, path: InliningPath) -> Phase:
    def children(phase: Phase) -> Iterator[Phase | Decision]:
        for child in phase.children:
            if isinstance(child, Phase):
                yield child
            elif is_prefix(path, enclosing_path(child.position)):
                inner = len(child.position) - len(path) + 1
                yield replace(child, position=child.position[:inner])

    return rewritten_phases(root, children)


def _first_equals(sites: Sequence[CallSite]) -> list[int]:
    """Of each call site the place of the first among them that equals it."""
    firsts: list[int] = []
    alike: dict[tuple[object, ...], list[int]] = {}
    for place, site in enumerate(sites):
        candidates = alike.setdefault(_label(site), [])
        first = next((other for other in candidates if _are_equal(sites[other], site)), place)
        if first == place:
            candidates.append(place)
        firsts.append(first)
    return firsts


def _are_equal(first: CallSite, second: CallSite) -> bool:
    """Whether all that is logged is equal, below them too; without recursion, for trees are deep."""
    waiting = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        if _label(one) != _label(other) or len(one.children) != len(other.children):
            return False
        waiting.extend(zip(one.children, other.children, strict=True))
    return True


def _label(site: CallSite) -> tuple[object, ...]:
    return (site.method, site.at, site.column, site.inlined, site.alive, site.indirect, site.reasons, site.receivers)
