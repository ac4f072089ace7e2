"""Graal's optimization log: every version of it since August 2022, and proftool's profile beside it."""

from sonde.instruments.decisions.readers.graal.log_index import LogIndex, LogLine, index_file
from sonde.instruments.decisions.readers.graal.log_reader import GRAAL, indexed_run
from sonde.instruments.decisions.readers.graal.method_names import split_variant
from sonde.instruments.decisions.readers.graal.unit_trees import read_unit

__all__ = ["GRAAL", "LogIndex", "LogLine", "index_file", "indexed_run", "read_unit", "split_variant"]
