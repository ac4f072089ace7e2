"""The optimization-context tree: the inlining tree, with every decision under the method whose code it changed."""

from sonde.instruments.decisions.experiments.inlining_path import PathElement, enclosing_path
from sonde.instruments.decisions.experiments.path_index import Found, PathIndex
from sonde.instruments.decisions.experiments.tree_order import decision_key, site_key
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Trees, decisions_in

TITLE = "Optimization-context tree"
"""Text of the note at the root."""
DUPLICATE_PATH = "Warning: Optimizations cannot be unambiguously attributed (duplicate path)"
"""Text of the note under methods that cannot be told apart by their paths."""


def context_tree(trees: Trees) -> ContextNode:
    """Build the tree.

    Args:
        trees: made ready by `prepared`; not changed.
    Returns:
        a note, below which is the inlining tree.
    Guarantee: the call sites are those of the inlining tree, each once; each decision is in the tree at least once:
        under every call site at the longest beginning of its path that leads to any, or under the root if none does.
        Under a call site stand notes, then decisions, then call sites, sorted.
    Cost: O(n log n), and for each decision the length of its position.
    Source: Bobek, Marek, Stancu et al., the paper's section 3.3 and Figure 5.
    Differs: the paper does not say what becomes of a decision whose path is not in the tree, or more than once; what
        is done with those is what Graal's own tool does.
    """
    index = PathIndex(trees.inlining)
    top = ContextNode(Note(TITLE))
    nodes = _copies(trees.inlining, top)
    _warn(trees.inlining, index, nodes)
    for decision in decisions_in(trees.optimizations):
        parents = [nodes[id(site)] for site in index.longest(enclosing_path(decision.position))] or [top]
        for parent in parents:
            parent.children.append(ContextNode(decision))
    for node in (top, *nodes.values()):
        node.children.sort(key=_order)
    return top


def _copies(root: CallSite, top: ContextNode) -> dict[int, ContextNode]:
    """The inlining tree as nodes of the context tree; by `id` of the call site."""
    nodes = {}
    waiting = [(root, top)]
    while waiting:
        site, parent = waiting.pop()
        node = nodes[id(site)] = ContextNode(site)
        parent.children.append(node)
        waiting.extend((child, node) for child in reversed(site.children))
    return nodes


def _warn(root: CallSite, index: PathIndex, nodes: dict[int, ContextNode]) -> None:
    """Mark inlined methods that share their path with another call site."""
    waiting: list[tuple[CallSite, Found | None]] = [(root, index.start)]
    while waiting:
        site, above = waiting.pop()
        here = above
        if not site.indirect and above is not None:
            here = index.step(above, PathElement(site.method, site.at))
        if site.inlined and here is not None and len(here.sites) > 1:
            nodes[id(site)].children.append(ContextNode(Note(DUPLICATE_PATH)))
        waiting.extend((child, here) for child in site.children)


def _order(node: ContextNode) -> tuple[object, ...]:
    if isinstance(node.content, Note):
        return (0,)
    if isinstance(node.content, Decision):
        return (1, *decision_key(node.content))
    return (2, *site_key(node.content))
