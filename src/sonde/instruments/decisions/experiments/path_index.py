"""Finding call sites by their paths, fast: each path is followed from where the one above it ended."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sonde.instruments.decisions.experiments.inlining_path import InliningPath, PathElement
from sonde.instruments.decisions.model import NO_OFFSET, CallSite


@dataclass(slots=True)
class Found:
    """The call sites that a path leads to, and the steps on from there that were asked for."""

    sites: list[CallSite]
    steps: dict[PathElement, "Found | None"] = field(default_factory=dict)


class PathIndex:
    """The call sites of an inlining tree by their paths.

    Indirect calls are looked through: what they became is called by their caller.
    """

    def __init__(self, root: CallSite) -> None:
        self._callees: dict[int, _Callees] = {}
        self.start = Found([])
        """The empty path; it leads nowhere yet."""
        self._first = _Callees([root])

    def step(self, found: Found, element: PathElement) -> Found | None:
        """One step on; None: it leads to no call site.

        Cost: O(call sites found) the first time, then O(1).
        """
        try:
            return found.steps[element]
        except KeyError:
            callers = [self._first] if found is self.start else map(self._callees_of, found.sites)
            sites = [site for callees in callers for site in callees.matching(element)]
            reached = found.steps[element] = Found(sites) if sites else None
            return reached

    def longest(self, path: InliningPath) -> list[CallSite]:
        """The call sites at the longest beginning of a path that leads to any; empty: not even its first step does."""
        found = self.start
        for element in path:
            further = self.step(found, element)
            if further is None:
                break
            found = further
        return found.sites

    def at(self, path: InliningPath) -> list[CallSite]:
        """The call sites at a path, in the order of the tree."""
        found: Found | None = self.start
        for element in path:
            if found is None:
                return []
            found = self.step(found, element)
        return found.sites if found is not None else []

    def _callees_of(self, site: CallSite) -> "_Callees":
        callees = self._callees.get(id(site))
        if callees is None:
            callees = self._callees[id(site)] = _Callees(site.children)
        return callees


class _Callees:
    """What one method calls, in the order of the tree, indirect calls looked through."""

    def __init__(self, sites: Iterable[CallSite]) -> None:
        self._by_method: dict[str | None, list[CallSite]] = {}
        self._by_place: dict[PathElement, list[CallSite]] = {}
        for site in _seen_through(sites):
            self._by_method.setdefault(site.method, []).append(site)
            self._by_place.setdefault(PathElement(site.method, site.at), []).append(site)

    def matching(self, element: PathElement) -> list[CallSite]:
        """Those that an element of a path may mean; places are looked up, for some methods call another often."""
        everywhere = element._replace(at=NO_OFFSET)
        if element == everywhere:
            return self._by_method.get(element.method, [])
        if everywhere not in self._by_place:
            return self._by_place.get(element, [])
        return [site for site in self._by_method[element.method] if site.at in (element.at, NO_OFFSET)]


def _seen_through(sites: Iterable[CallSite]) -> list[CallSite]:
    """Call sites in order; in place of each indirect one those below it."""
    found, waiting = [], list(sites)[::-1]
    while waiting:
        site = waiting.pop()
        if site.indirect:
            waiting.extend(reversed(site.children))
        else:
            found.append(site)
    return found
