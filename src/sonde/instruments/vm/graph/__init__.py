"""Control flow as a picture: as a list of blocks, as their text, and as an SVG; and any tree as an outline.

A `Graph` is neutral: blocks with a title, lines and perhaps a count, and labelled edges between them. What the
lines say, and where the counts come from, is no matter to the drawings. All of them return text and print nothing.
"""

from sonde.instruments.vm.graph.compact_text import compact_text
from sonde.instruments.vm.graph.flow_graph import Edge, Graph, Node, NodeKind
from sonde.instruments.vm.graph.full_text import full_text
from sonde.instruments.vm.graph.loop_order import LoopOrder, order_by_loops
from sonde.instruments.vm.graph.svg import svg
from sonde.instruments.vm.graph.tree_text import tree_text

__all__ = [
    "Edge",
    "Graph",
    "LoopOrder",
    "Node",
    "NodeKind",
    "compact_text",
    "full_text",
    "order_by_loops",
    "svg",
    "tree_text",
]
