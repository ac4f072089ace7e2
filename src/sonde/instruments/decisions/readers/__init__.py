"""Readers of what compilers leave behind: one package per compiler, told apart by what is in the files.

`read_run` is the way in. It reads an index at most: the trees of a unit are read when `Unit.load` is called, so that of
a folder of hundreds of megabytes only what is hot is ever parsed.
"""

from sonde.instruments.decisions.readers.known_readers import READERS, read_run, reader_named
from sonde.instruments.decisions.readers.manifest import MANIFEST, Manifest, write_manifest
from sonde.instruments.decisions.readers.place import RunPlace, unreadable
from sonde.instruments.decisions.readers.reader import DecisionReader

__all__ = [
    "MANIFEST",
    "READERS",
    "DecisionReader",
    "Manifest",
    "RunPlace",
    "read_run",
    "reader_named",
    "unreadable",
    "write_manifest",
]
