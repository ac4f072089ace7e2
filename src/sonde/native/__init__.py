"""The fast core, and the choice between it and its slow twin.

`SONDE_CORE=python` runs the analyses on the readable Python twins in `reference*.py`; the
answers are the same.
"""

from sonde._native import Spool, ticks_now
from sonde.native.choice import ContextTree, HotTree, change_points, new_context_tree, new_hot_tree

__all__ = ["ContextTree", "HotTree", "Spool", "change_points", "new_context_tree", "new_hot_tree", "ticks_now"]
