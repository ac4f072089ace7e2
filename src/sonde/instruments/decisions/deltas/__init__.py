"""How one tree of decisions became another: the cheapest edits of whole subtrees, as a tree of what differs."""

from sonde.instruments.decisions.deltas.delta import DeltaNode, Edit, never, pruned
from sonde.instruments.decisions.deltas.difference import LARGEST_PRODUCT, difference, edit_distance, tree_size
from sonde.instruments.decisions.deltas.policy import CONTEXT, INLINING, OPTIMIZATIONS, EditPolicy

__all__ = [
    "CONTEXT",
    "INLINING",
    "LARGEST_PRODUCT",
    "OPTIMIZATIONS",
    "DeltaNode",
    "Edit",
    "EditPolicy",
    "difference",
    "edit_distance",
    "never",
    "pruned",
    "tree_size",
]
