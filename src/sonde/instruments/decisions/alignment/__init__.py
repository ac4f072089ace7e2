"""What is called otherwise in a second run: lambdas that got new names, and code that moved within its method.

An `Alignment` says what methods and places of the second run are called in the first; `aligned_run` and
`aligned_trees` tell the second run in those words, so that whatever compares runs needs to know of nothing else.
"""

from sonde.instruments.decisions.alignment.aligning import Alignment, align
from sonde.instruments.decisions.alignment.names import normalised_name
from sonde.instruments.decisions.alignment.rewriting import aligned_run, aligned_trees

__all__ = ["Alignment", "align", "aligned_run", "aligned_trees", "normalised_name"]
