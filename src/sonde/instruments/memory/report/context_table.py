"""The calling contexts of accesses and misses: the heaviest as a tree, all of them as rows and as a flame graph."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from sonde.base.units import counted, format_count, format_share
from sonde.instruments.memory.options import ACCESSES_FIRST
from sonde.instruments.memory.profile.contexts import (
    ContextTotals,
    FoldedContexts,
    context_totals,
    folded_contexts,
)
from sonde.instruments.memory.profile.memory_profile import NO_CALLER, NO_FUNCTION, MemoryContext, MemoryProfile
from sonde.instruments.memory.report.code_names import named_function, place_at
from sonde.instruments.memory.report.order import Order, amount_columns, amounts, miss_columns
from sonde.report import Cell, Column, FlameGraph, FrameWeights, LazyRows, Named, Row, Table

_LEAST_SHARE = 0.01
"""A context with less of what is sorted by is not listed."""
_SHORTEST_CHAIN = 3
"""Contexts that only call one other are drawn in one line when there are at least so many in a row."""


@dataclass(slots=True)
class _Branch:
    """A context that is listed. Not frozen: the tree grows from its heaviest context on."""

    context: int
    children: list["_Branch"] = field(default_factory=list["_Branch"])


def context_table(order: Order, contexts: Sequence[MemoryContext], is_shown: Sequence[bool], most: int) -> Table:
    """The heaviest contexts, callers above callees, each with all that it called.

    Args:
        contexts: those of the profile that are looked at.
        is_shown: of each function, whether it is looked at.
        most: about as many rows.
    Guarantee: no context that is not listed has more than one that is.
    Cost: O(n + most log n) for n contexts.
    """
    tree = folded_contexts(contexts, is_shown)
    totals = context_totals(tree.contexts)
    weight = sum(map(order.weight, tree.contexts))
    least = max(_LEAST_SHARE * weight, order.least_share * order.whole)
    top, listed = _heaviest(order, tree, totals, least, most)
    missing = weight - sum(order.weight(tree.contexts[each]) for each in listed)
    rest = len(tree.contexts) - len(listed)
    legend = f"not listed: {counted(rest, 'context')} with {format_share(missing, order.whole)}" if rest else ""
    own = Column(
        "own",
        "self",
        "count",
        whole=order.whole,
        shown="share",
        is_hot=True,
        meaning=f"share of the {order.noun} of the function itself, without what it called",
    )
    first, *others = amount_columns(order)
    return Table(
        "contexts",
        "calling contexts",
        (first, own, *others, Column("function", "function", "name"), Column("place", "", "place")),
        _rows(order, tree, totals, top, least),
        (order.words, "with what they called"),
        "context",
        legend=legend,
    )


def _heaviest(
    order: Order, tree: FoldedContexts, totals: Sequence[ContextTotals], least: float, most: int
) -> tuple[list[_Branch], set[int]]:
    """The heaviest contexts as a tree, and which these are."""
    below: dict[int, list[int]] = {}
    for number, each in enumerate(tree.contexts):
        below.setdefault(each.parent, []).append(number)
    top: list[_Branch] = []
    queue: list[tuple[int, int, list[_Branch]]] = []
    listed: set[int] = set()
    lines = 0

    def wait(above: int, siblings: list[_Branch]) -> int:
        """Returns the weight of the heaviest."""
        weights = [order.weight(totals[number]) for number in below.get(above, ())]
        for number, weight in zip(below.get(above, ()), weights, strict=True):
            heappush(queue, (-weight, number, siblings))
        return max(weights, default=0)

    wait(NO_CALLER, top)
    while queue and lines < most and -queue[0][0] >= max(least, 1):
        weight, number, siblings = heappop(queue)
        siblings.append(branch := _Branch(number))
        listed.add(number)
        lines += -weight - wait(number, branch.children) >= least  # what only leads to another has no line as a rule
    return top, listed


def _rows(
    order: Order, tree: FoldedContexts, totals: Sequence[ContextTotals], top: Sequence[_Branch], least: float
) -> list[Row]:
    """The rows of a tree. No recursion: trees of calls are deep."""
    functions = order.profile.functions

    def row(number: int, below: tuple[Row, ...]) -> Row:
        function, levels = functions[tree.contexts[number].function], tree.levels[number]
        name: Cell = named_function(function)
        if levels > 1:
            name = Named(f"{function.label} ×{format_count(levels)} levels", function)
        first, *others = amounts(order, totals[number])
        own = order.weight(tree.contexts[number])
        return Row((first, own, *others, name, place_at(function, function.first_line)), below)

    def led_to(row_below: Row, chain: Sequence[int]) -> Row:
        """A row, below the contexts that only lead to it, or with them in a line."""
        if len(chain) >= _SHORTEST_CHAIN:
            names = " → ".join(functions[tree.contexts[number].function].label for number in chain)
            return replace(row_below, led_to_by=f"⋮ {len(chain)} frames: {names}")
        for number in reversed(chain):
            row_below = row(number, (row_below,))
        return row_below

    branches = list(top)
    for branch in branches:  # the list grows while it is walked
        branches.extend(branch.children)
    made: dict[int, tuple[Row, tuple[int, ...]]] = {}
    """Of each context the row that it leads to, its own as a rule, and the contexts that only lead there."""
    for branch in reversed(branches):
        number, below = branch.context, [made.pop(child.context) for child in branch.children]
        if len(below) == 1 and order.weight(totals[number]) - order.weight(totals[branch.children[0].context]) < least:
            ((made_below, chain),) = below
            made[number] = (made_below, (number, *chain))
        else:
            made[number] = (row(number, tuple(led_to(*each) for each in below)), ())
    return [led_to(*made[branch.context]) for branch in top]


def all_contexts(profile: MemoryProfile) -> Table:
    """Every context, for programs: its own accesses and misses."""
    columns = (
        Column("context", "context", "count"),
        Column("caller", "caller", "count", meaning="the number of the context that it was called in"),
        Column("accesses", "accesses", "count", profile.accesses),
        *miss_columns(profile),
        *(Column("function", "function", "name"), Column("place", "", "place")),
    )

    def row(number: int) -> Row:
        each = profile.contexts[number]
        known = None if each.function == NO_FUNCTION else profile.functions[each.function]
        name = "(no Python function)" if known is None else named_function(known)
        place = None if known is None else place_at(known, known.first_line)
        caller = None if each.parent == NO_CALLER else each.parent
        return Row((number, caller, each.accesses, *each.misses, name, place))

    rows = LazyRows(range(len(profile.contexts)), row)
    return Table("all_contexts", "all calling contexts", columns, rows, noun="context", is_secondary=True)


def context_graph(order: Order, contexts: Sequence[MemoryContext]) -> FlameGraph:
    """All contexts as a flame graph, as wide as what they are sorted by; of those that a Python function runs in."""
    tree = folded_contexts(contexts, [True] * len(order.profile.functions), with_levels=True).contexts
    totals = context_totals(tree)
    weights = [_weights(order, tree, totals)]
    if order.level != ACCESSES_FIRST:
        weights.append(_weights(replace(order, level=ACCESSES_FIRST), tree, totals))
    return FlameGraph(
        "graph",
        "flame graph",
        order.profile.functions,
        [each.parent for each in tree],
        [each.function for each in tree],
        [0] * len(tree),
        tuple(weights),
    )


def _weights(order: Order, tree: Sequence[MemoryContext], totals: Sequence[ContextTotals]) -> FrameWeights:
    own, total = [order.weight(each) for each in tree], [order.weight(each) for each in totals]
    title = order.noun[0].upper() + order.noun[1:]
    return FrameWeights(order.noun.replace(" ", "_"), title, "count", own, total, order.whole)
