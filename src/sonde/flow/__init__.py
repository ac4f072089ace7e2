"""Graphs of control flow as numbers: blocks, the edges between them, and the paths through them.

It knows neither LLVM's IR nor Python's bytecode: both are numbered here. A path is acyclic: it begins at the entry, or
where a retreating edge leads to, and ends where nothing follows, or where a retreating edge is taken (`PathNumbering`).
"""

from sonde.flow.cutting import cuts_for_limit
from sonde.flow.graph import Edge, FlowGraph, reverse_post_order
from sonde.flow.loops import loop_bodies
from sonde.flow.path_numbering import Path, PathNumbering
from sonde.flow.probe_placement import ProbePlacement

__all__ = [
    "Edge",
    "FlowGraph",
    "Path",
    "PathNumbering",
    "ProbePlacement",
    "cuts_for_limit",
    "loop_bodies",
    "reverse_post_order",
]
