"""Paths into inlining trees, and the paths that positions of decisions name."""

from collections.abc import Iterable
from typing import NamedTuple

from sonde.instruments.decisions.model import NO_OFFSET, CallSite, Position


class PathElement(NamedTuple):
    """A method, and where it is called in the one before."""

    method: str | None
    at: int

    def matches(self, other: "PathElement") -> bool:
        """Whether both may be the same call: at -1 is anywhere in the caller. Not transitive, therefore.

        >>> PathElement("f()", 3).matches(PathElement("f()", -1))
        True
        """
        return self.method == other.method and (self.at == other.at or NO_OFFSET in (self.at, other.at))


InliningPath = tuple[PathElement, ...]
"""Root first."""


def path_to(sites: Iterable[CallSite]) -> InliningPath:
    """The path of the last of call sites that lead down from the root.

    Indirect calls are no part of it: no code is theirs, and positions do not name them.
    """
    return tuple(PathElement(site.method, site.at) for site in sites if not site.indirect)


def enclosing_path(position: Position) -> InliningPath:
    """The path of the method in which a position is; empty for the empty position.

    >>> from sonde.instruments.decisions.model import Place
    >>> [tuple(part) for part in enclosing_path((Place("c()", 4), Place("b()", 3), Place("a()", 2)))]
    [('a()', -1), ('b()', 2), ('c()', 3)]
    """
    path, called_at = [], NO_OFFSET
    for place in reversed(position):
        path.append(PathElement(place.method, called_at))
        called_at = place.at
    return tuple(path)


def is_prefix(first: InliningPath, second: InliningPath) -> bool:
    """Whether the second path leads through the end of the first."""
    return len(first) <= len(second) and all(map(PathElement.matches, first, second))


def paths_match(first: InliningPath, second: InliningPath) -> bool:
    """Whether two paths may name the same place."""
    return len(first) == len(second) and is_prefix(first, second)
