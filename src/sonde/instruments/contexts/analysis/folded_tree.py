"""A calling context tree as a person would draw it: recursion and import machinery folded into one node each.

    fib                       fib ×3 levels
      fib             ->        print
        fib
          print

    <module a>                <module a>
      _find_and_load  ->        <module b>
        _load_unlocked          (import machinery)      its own time alone
          <module b>

Contexts that share their caller, function and call line after folding become one node, so the weight of
a node is that of all contexts behind it and the weights of the children still add up.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sonde.code import is_import_machinery, is_launch_machinery
from sonde.instruments.contexts.analysis.uncertainty import not_kept_below
from sonde.instruments.contexts.profile import (
    NO_PARENT,
    ContextProfile,
    Function,
    is_stand_in,
)


class Folding(Enum):
    """Why contexts below one another are one node."""

    NONE = "none"
    RECURSION = "recursion"
    IMPORT = "import machinery"
    LAUNCH = "module launcher"
    STAND_IN = "stand-in"
    """What stands for many functions, as `IMPORTS` does: from several lines of one caller it is one node."""

    @property
    def is_machinery(self) -> bool:
        """Whether the frames belong to the interpreter's way of starting code, not to the program."""
        return self in _MACHINERY_KEYS


_MACHINERY_KEYS = {Folding.IMPORT: (-1, 0), Folding.LAUNCH: (-2, 0)}
"""Stand for (function, call line), where both do not matter."""


@dataclass(slots=True)
class FoldedNode:
    """One line of the tree: one or more contexts.

    Not frozen: `FoldedTree.grow` attaches the children.
    """

    folding: Folding
    rows: list[int]
    """The contexts whose callers lie outside the node."""
    function: int
    call_line: int
    total: int
    """Inclusive weight (nanoseconds, or calls when there is no time)."""
    self_weight: int = 0
    """Weight outside all other nodes."""
    not_kept: int = 0
    """Weight below the node in contexts that were given up in bounded memory, or then not read."""
    calls: int = 0
    members: list[int] = field(default_factory=list[int])
    """The contexts folded into this line; empty until it has grown."""
    levels: int = 1
    """Longest chain of contexts in the node."""
    below: int = 0
    """Contexts in the node and under it, as far as they were read."""
    children: list["FoldedNode"] = field(default_factory=list["FoldedNode"])
    """Heaviest first."""


class FoldedTree:
    """Folds a profile node by node, so that only what is looked at costs time.

    Args:
        profile: what to fold.
    Cost: O(n) to build; each `grow` is linear in the contexts it touches. No recursion.
    """

    def __init__(self, profile: ContextProfile) -> None:
        tree = profile.contexts
        self._tree = tree
        self._totals = profile.weights()
        self._selfs = tree.self_ns if profile.has_time else tree.calls
        self.not_kept = 0
        """Weight of roots that were given up in bounded memory."""
        self._not_kept: Sequence[int] = ()
        if profile.approximation is not None:  # else nothing was given up, and there is no need to look for it
            self.not_kept = profile.pruned_root_ns if profile.has_time else profile.pruned_root_calls
            self._not_kept = not_kept_below(tree.parent, self._selfs, self._totals)
        self.all_not_kept = self.not_kept + sum(self._not_kept)
        """Weight of all contexts that were given up, or of such a profile not read."""
        self._foldings = [_folding_of(function) for function in profile.functions]
        self._is_builtin = [each.kind == "builtin" and not is_stand_in(each) for each in profile.functions]
        self._first_child, self._next_sibling, self._sizes, roots = _links(tree.parent)
        self._roots = roots

    def roots(self) -> list[FoldedNode]:
        """Nodes that nothing called, heaviest first."""
        return self.group(self._roots)

    def group(self, rows: Iterable[int], *, with_lines: bool = True) -> list[FoldedNode]:
        """Make nodes of contexts: one for each function and call line, heaviest first, children not grown.

        Args:
            with_lines: whether calls from different lines make different nodes.
        """
        groups: dict[tuple[int, int], list[int]] = {}
        tree = self._tree
        for row in rows:
            function = tree.function[row]
            # A machinery has one node below its caller, whichever lines of the caller it was started from.
            folding = self._foldings[function]
            has_line = with_lines and folding is not Folding.STAND_IN
            key = _MACHINERY_KEYS.get(folding) or (function, tree.call_line[row] if has_line else 0)
            groups.setdefault(key, []).append(row)
        nodes = [self._node(rows, line) for (_, line), rows in groups.items()]
        nodes.sort(key=_heaviest_first)
        return nodes

    def grow(self, node: FoldedNode) -> None:
        """Absorb the contexts that belong to the node and attach its children; a second call changes nothing.

        Guarantee: `node.total` is its own weight, what was not kept and its children's totals, when all contexts
            were read.
        """
        if node.members:
            return
        outside = self._absorb(node)
        node.children = []
        for child in self.group(outside, with_lines=not node.folding.is_machinery):
            if child.folding is Folding.IMPORT:
                self._lift_imports(child, node.children)
            node.children.append(child)
        node.children.sort(key=_heaviest_first)

    def grow_all(self) -> list[FoldedNode]:
        """Grow the whole tree; all of its nodes, callers before callees. O(n)."""
        nodes = self.roots()
        for node in nodes:  # the list grows while it is walked
            self.grow(node)
            nodes.extend(node.children)
        return nodes

    def _lift_imports(self, machinery: FoldedNode, siblings: list[FoldedNode]) -> None:
        """Give what a machinery imports to the code that asked for it; the machinery keeps its own weight."""
        self.grow(machinery)
        siblings.extend(machinery.children)
        machinery.total -= sum(child.total for child in machinery.children)
        machinery.below -= sum(child.below for child in machinery.children)
        machinery.children = []

    def _absorb(self, node: FoldedNode) -> list[int]:
        """Add up the contexts that belong to the node; return the ones they call."""
        tree, first_child, next_sibling = self._tree, self._first_child, self._next_sibling
        outside: list[int] = []
        inside = [(row, 1) for row in node.rows]
        while inside:
            row, level = inside.pop()
            node.members.append(row)
            node.self_weight += self._selfs[row]
            node.calls += tree.calls[row]
            node.not_kept += self._not_kept[row] if self._not_kept else 0
            node.levels = max(node.levels, level)
            child = first_child[row]
            while child != NO_PARENT:
                if self._absorbs(node, tree.function[child]):
                    inside.append((child, level + 1))
                else:
                    outside.append(child)
                child = next_sibling[child]
        if node.levels > 1 and node.folding is Folding.NONE:
            node.folding = Folding.RECURSION
        return outside

    def _absorbs(self, node: FoldedNode, function: int) -> bool:
        if node.folding.is_machinery:
            return self._foldings[function] is node.folding or self._is_builtin[function]
        return function == node.function

    def _node(self, rows: list[int], call_line: int) -> FoldedNode:
        function = self._tree.function[rows[0]]
        return FoldedNode(
            folding=self._foldings[function],
            rows=rows,
            function=function,
            call_line=call_line,
            total=sum(self._totals[row] for row in rows),
            below=sum(self._sizes[row] for row in rows),
        )


def _heaviest_first(node: FoldedNode) -> tuple[int, int]:
    return (-node.total, node.rows[0])


def _folding_of(function: Function) -> Folding:
    if is_stand_in(function):
        return Folding.STAND_IN
    if is_import_machinery(function):
        return Folding.IMPORT
    if is_launch_machinery(function):
        return Folding.LAUNCH
    return Folding.NONE


def _links(parent: "Iterable[int]") -> "tuple[array[int], array[int], array[int], list[int]]":
    """First child, next sibling and subtree size of each row, and the roots."""
    above = array("q", parent)
    first_child = array("q", [NO_PARENT]) * len(above)
    next_sibling = array("q", [NO_PARENT]) * len(above)
    sizes = array("q", [1]) * len(above)
    roots = []
    for row in range(len(above) - 1, -1, -1):
        caller = above[row]
        if caller == NO_PARENT:
            roots.append(row)
        else:
            next_sibling[row] = first_child[caller]
            first_child[caller] = row
            sizes[caller] += sizes[row]
    return first_child, next_sibling, sizes, roots[::-1]
