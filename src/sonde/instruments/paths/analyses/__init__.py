"""What is made of streams of paths."""

from sonde.instruments.paths.analyses.path_forests import NODE_BYTES, PathForests

__all__ = ["NODE_BYTES", "PathForests"]
