"""The text of trees that are not compared."""

from collections.abc import Iterator

from sonde.instruments.decisions.experiments import context_tree
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase, Trees
from sonde.instruments.decisions.profdiff.lines import Line
from sonde.instruments.decisions.profdiff.node_text import call_site_text, depth_below, detail_lines, optimization_text
from sonde.instruments.decisions.profdiff.options import ProfdiffOptions


def tree_lines(trees: Trees, level: int, options: ProfdiffOptions) -> Iterator[Line]:
    """Both trees of a compilation, or the tree of both; prepared already."""
    if options.context_tree:
        yield from _context_lines(context_tree(trees), level, options)
        return
    yield level, "Inlining tree"
    yield from _inlining_lines(trees.inlining, level + 1, options)
    yield level, "Optimization tree"
    yield from _optimization_lines(trees.optimizations, level + 1, options)


def _inlining_lines(root: CallSite, level: int, options: ProfdiffOptions) -> Iterator[Line]:
    waiting = [(level, root)]
    while waiting:
        at, site = waiting.pop()
        yield at, call_site_text(site)
        yield from detail_lines(site, at, reasons=options.inliner_reasoning)
        waiting.extend((at + 1, child) for child in reversed(site.children))


def _optimization_lines(root: Phase, level: int, options: ProfdiffOptions) -> Iterator[Line]:
    waiting: list[tuple[int, Phase | Decision]] = [(level, root)]
    while waiting:
        at, node = waiting.pop()
        yield at, optimization_text(node, long_bci=options.long_bci)
        if isinstance(node, Phase):
            waiting.extend((at + 1, child) for child in reversed(node.children))


def _context_lines(root: ContextNode, level: int, options: ProfdiffOptions) -> Iterator[Line]:
    waiting = [(level, root, 0)]
    while waiting:
        at, node, depth = waiting.pop()
        content = node.content
        if isinstance(content, Note):
            yield at, content.text
        elif isinstance(content, CallSite):
            yield at, call_site_text(content)
            yield from detail_lines(content, at, reasons=options.inliner_reasoning)
            depth = depth_below(content, depth)
        else:
            yield at, optimization_text(content, long_bci=options.long_bci, depth=depth)
        waiting.extend((at + 1, child, depth) for child in reversed(node.children))
