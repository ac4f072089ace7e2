"""The tree of differences: two trees laid over each other, pruned to what changed and the way there."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from sonde.instruments.contexts.analysis.folded_tree import FoldedNode, FoldedTree
from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge, JudgedChange
from sonde.instruments.contexts.analysis.tree_selection import Branch, shorten_chains
from sonde.instruments.contexts.profile import ContextProfile, Contexts
from sonde.instruments.contexts.profile.comparison import ContextDiff, Status


@dataclass(slots=True)
class NodeChange:
    """What changed in one folded node.

    Not frozen: filled in from the leaves up.
    """

    total_before: int = 0
    total_after: int = 0
    calls_before: int = 0
    calls_after: int = 0
    present_before: int = 0
    present_after: int = 0
    total: float = 0.0
    own: float = 0.0
    status: Status = "unchanged"
    is_looked_at: bool = True
    error_sums: tuple[float, float] = (0.0, 0.0)
    """Of both totals, as the judge adds them up."""
    judged: JudgedChange | None = None
    """What samples say of the total; None where nothing was sampled, or it is too light to have changed."""
    peak: float = 0.0
    """Size of the largest change that counts, here or below."""
    changed_below: int = 0
    """Nodes under this one with a change that counts."""


@dataclass(frozen=True, slots=True)
class ChangeTree:
    """The part of a tree of differences that is shown."""

    laid_over: ContextProfile
    """Both sides as one profile."""
    roots: list[Branch]
    changes: dict[int, NodeChange]
    """By the identity (`id`) of nodes."""
    hidden: int
    """Changed nodes that there was no room for; those below appeared and vanished ones do not count."""


def change_tree(diff: ContextDiff, *, rows: int, judge: ChangeJudge | None = None) -> ChangeTree:
    """The largest changes in their contexts.

    Args:
        rows: about how many lines to fill.
        judge: of profiles that are samples: what chance explains is no change then.
    Cost: O(n) for n contexts; no recursion.
    """
    laid_over = _laid_over(diff)
    nodes = FoldedTree(laid_over).grow_all()
    changes = _changes(diff, nodes, judge)
    roots = [node for node in nodes if not _has_caller(laid_over, node)]
    least = diff.yardstick.least_change
    top, hidden = _select(roots, changes, rows, least)
    shorten_chains(top, lambda branch: _is_plain(changes[id(branch.node)], least))
    return ChangeTree(laid_over, top, changes, hidden)


def _laid_over(diff: ContextDiff) -> ContextProfile:
    """Both sides as one profile, whose weights are the sums of both: only its shape is of interest."""
    before, after = diff.contexts.before, diff.contexts.after
    lines = [new or old for old, new in zip(before.call_line, after.call_line, strict=True)]
    summed = (
        array("q", map(int.__add__, ours, theirs))
        for ours, theirs in (
            (before.calls, after.calls),
            (before.total_calls, after.total_calls),
            (before.self_ns, after.self_ns),
            (before.total_ns, after.total_ns),
        )
    )
    return ContextProfile(
        functions=tuple(pair.either for pair in diff.contexts.functions.pairs),
        contexts=Contexts(before.parent, before.function, lines, *summed),
        run=diff.after.run,
    )


def _has_caller(laid_over: ContextProfile, node: FoldedNode) -> bool:
    return laid_over.contexts.parent[node.rows[0]] >= 0


def _changes(diff: ContextDiff, nodes: Sequence[FoldedNode], judge: ChangeJudge | None) -> dict[int, NodeChange]:
    """The change of each node, by its identity (`id`), callees before callers."""
    changes = _sums(diff, nodes, judge)
    if judge is not None:
        _judge(judge, [each for each in changes.values() if each.is_looked_at])
    for node in reversed(nodes):
        change = changes[id(node)]
        if change.is_looked_at:
            change.status = _status(diff, change, is_judged=judge is not None)
        below = [changes[id(child)] for child in node.children]
        size = 0.0 if change.status == "unchanged" else max(abs(change.total), abs(change.own))
        change.peak = max(size, max((child.peak for child in below), default=0.0))
        change.changed_below = sum(child.changed_below + (child.status != "unchanged") for child in below)
    return changes


def _status(diff: ContextDiff, change: NodeChange, *, is_judged: bool) -> Status:
    present = change.present_before, change.present_after
    if not is_judged:
        return diff.yardstick.status(change.total, change.own, *present)
    is_established = change.judged is not None and change.judged.verdict in ("more", "less")
    return diff.yardstick.status(change.total, 0.0, *present) if is_established else "unchanged"


def _judge(judge: ChangeJudge, changes: Sequence[NodeChange]) -> None:
    values = [(change.total_before, change.total_after) for change in changes]
    calls = [(change.calls_before, change.calls_after) for change in changes]
    for change, judged in zip(
        changes, judge.contexts(values, [change.error_sums for change in changes], calls), strict=True
    ):
        change.judged = judged


def _sums(diff: ContextDiff, nodes: Sequence[FoldedNode], judge: ChangeJudge | None) -> dict[int, NodeChange]:
    """What is in each node on both sides, callees before callers."""
    aligned, yardstick = diff.contexts, diff.yardstick
    before, after = aligned.before, aligned.after
    is_time = yardstick.metric == "time"
    own_before, own_after = (before.self_ns, after.self_ns) if is_time else (before.calls, after.calls)
    errors = None if judge is None else judge.errors_of_rows()
    changes: dict[int, NodeChange] = {}
    for node in reversed(nodes):
        change = NodeChange()
        changes[id(node)] = change
        ours = theirs = 0
        for row in node.members:
            ours += own_before[row]
            theirs += own_after[row]
            change.calls_before += before.calls[row]
            change.calls_after += after.calls[row]
            change.present_before += aligned.present_before[row]
            change.present_after += aligned.present_after[row]
        below = [changes[id(child)] for child in node.children]
        change.total_before = ours + sum(child.total_before for child in below)
        change.total_after = theirs + sum(child.total_after for child in below)
        if errors is not None:
            sums = (
                sum(side[row] for row in node.members) + sum(child.error_sums[number] for child in below)
                for number, side in enumerate(errors)
            )
            change.error_sums = next(sums), next(sums)
        calls = change.calls_before, change.calls_after
        change.total = yardstick.change(change.total_before, change.total_after, *calls)
        change.own = yardstick.change(ours, theirs, *calls)
        change.is_looked_at = _is_chosen(diff, node) and yardstick.has_share(
            change.total_before, change.total_after, diff.min_share
        )
    return changes


def _is_chosen(diff: ContextDiff, node: FoldedNode) -> bool:
    functions = diff.contexts.before.function
    return diff.chosen is None or any(functions[row] in diff.chosen for row in node.members)


def _select(
    roots: Sequence[FoldedNode], changes: dict[int, NodeChange], rows: int, least: float
) -> tuple[list[Branch], int]:
    """The nodes on the way to the largest changes; below what appeared or vanished nothing is news."""
    top: list[Branch] = []
    queue: list[tuple[float, int, FoldedNode, Branch | None]] = []
    number = 0
    for root in roots:
        heappush(queue, (-changes[id(root)].peak, number := number + 1, root, None))
    lines = 0
    while queue and lines < rows and queue[0][0] < 0:
        _, _, node, above = heappop(queue)
        branch = Branch(node)
        # Of a chain that only passes a change on, its first node pays for the line.
        is_in_chain = above is not None and _will_pass_on(above.node, changes, least)
        lines += not (is_in_chain and _will_pass_on(node, changes, least))
        (above.children if above else top).append(branch)
        if changes[id(node)].status in ("appeared", "vanished"):
            branch.hidden_contexts = node.below - len(node.members)
            continue
        for child in node.children:
            heappush(queue, (-changes[id(child)].peak, number := number + 1, child, branch))
    left = (changes[id(node)] for _, _, node, _ in queue)
    return top, sum(change.changed_below + (change.status != "unchanged") for change in left)


def _will_pass_on(node: FoldedNode, changes: dict[int, NodeChange], least: float) -> bool:
    """Whether the node has one child with a change below it and no own change worth a line."""
    return _is_plain(changes[id(node)], least) and sum(changes[id(child)].peak > 0 for child in node.children) == 1


def _is_plain(change: NodeChange, least: float) -> bool:
    is_one_sided = change.status in ("appeared", "vanished")
    return not is_one_sided and (abs(change.own) < least or change.own == 0 or not change.is_looked_at)
