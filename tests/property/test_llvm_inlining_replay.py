"""Inlining trees from remarks are those that an inliner made that wrote the remarks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from sonde.instruments.decisions.readers.llvm.call_chain import InlinerRemark, Link
from sonde.instruments.decisions.readers.llvm.growing_tree import Call
from sonde.instruments.decisions.readers.llvm.inlining import Inlinings
from sonde.instruments.decisions.readers.llvm.source_places import SourceFunctions

_FUNCTIONS, _LINES = 5, 100


@dataclass(eq=False)
class _Site:
    """A call in the inliner's own books."""

    callee: int
    line: int
    column: int
    inlined: bool = False
    told: bool = False
    children: list["_Site"] = field(default_factory=list)


class _Inliner:
    """Inlines as LLVM does: copies the callee's body as it is now, and says so."""

    def __init__(self, bodies: list[list[int]]) -> None:
        self.bodies = [
            [_Site(callee, _first(number) + 1 + place, 1 + place) for place, callee in enumerate(body)]
            for number, body in enumerate(bodies)
        ]
        self.remarks: dict[str, list[InlinerRemark]] = {}
        self.said = 0

    def step(self, function: int, choice: int, inlines: bool) -> None:
        """Decide on one of the calls in a function."""
        calls = [(path, site) for path, site in self._calls(self.bodies[function], ()) if not site.inlined]
        if not calls:
            return
        path, site = calls[choice % len(calls)]
        copies_of_it = sum(1 for _, each in calls if (each.line, each.column) == (site.line, site.column))
        if not inlines and not site.told and (path or copies_of_it > 1):
            return  # LLVM looks at a function's own calls before it looks at those that were inlined
        chain = self._chain(function, path, site) if inlines else ()
        remark = InlinerRemark(_name(site.callee), inlines, "because", "f.c", site.line, site.column, chain, self.said)
        self.remarks.setdefault(_name(function), []).append(remark)
        self.said += 1
        site.told = True
        if inlines:
            copies = [_copy(each) for each in self.bodies[site.callee]]
            site.inlined, site.children = True, copies

    def _calls(self, body: list[_Site], path: tuple[_Site, ...]) -> list[tuple[tuple[_Site, ...], _Site]]:
        found = []
        for site in body:
            found.append((path, site))
            found += self._calls(site.children, (*path, site))
        return found

    def _chain(self, function: int, path: tuple[_Site, ...], site: _Site) -> tuple[Link, ...]:
        holders = [function, *(each.callee for each in path)]
        links = [
            Link(_name(holder), each.line - _first(holder), each.column, 0)
            for holder, each in zip(holders, (*path, site), strict=True)
        ]
        return tuple(reversed(links))


def _first(function: int) -> int:
    return (function + 1) * _LINES


def _name(function: int) -> str:
    return f"f{function}"


def _copy(site: _Site) -> _Site:
    return _Site(site.callee, site.line, site.column, site.inlined, site.told, [_copy(each) for each in site.children])


def _truth(body: list[_Site]) -> Sequence[object]:
    return sorted(
        (_name(site.callee), site.line, site.column, site.inlined, _truth(site.children)) for site in body if site.told
    )


def _ours(call: Call) -> Sequence[object]:
    return sorted((each.symbol, each.line, each.column, each.inlined, _ours(each)) for each in call.children)


BODIES = st.lists(st.lists(st.integers(0, _FUNCTIONS - 1), max_size=4), min_size=_FUNCTIONS, max_size=_FUNCTIONS)
STEPS = st.lists(st.tuples(st.integers(0, _FUNCTIONS - 1), st.integers(0, 10**6), st.booleans()), max_size=25)


@given(bodies=BODIES, steps=STEPS, order=st.permutations(range(_FUNCTIONS)))
def test_the_same_as_when_all_remarks_of_the_file_are_replayed_in_their_order(
    bodies: list[list[int]], steps: list[tuple[int, int, bool]], order: list[int]
) -> None:
    inliner = _Inliner(bodies)
    for function, choice, inlines in steps:
        if sum(1 for _ in inliner._calls(inliner.bodies[function], ())) < 300:  # recursion doubles
            inliner.step(function, choice, inlines)
    begins = {_name(number): ("f.c", _first(number)) for number in range(_FUNCTIONS)}
    inlinings = Inlinings(lambda name: inliner.remarks.get(name, []), SourceFunctions(begins, begins))

    for number in order:
        assert _ours(inlinings.tree(_name(number)).root) == _truth(inliner.bodies[number])
