"""Where paths come from: so far, from a stream of their ids that another tool has written."""

from sonde.instruments.paths.sources.path_stream import PathStream

__all__ = ["PathStream"]
