"""The results file: one SQLite database that grows by one invocation at a time, readable by any SQL client.

It is a file of the store, of the kind `results`; its own tables are in `schema.sql`, see docs/results-file.md. What was
measured is in the file before the next process starts: each invocation is one transaction with a rollback journal. A
kill loses the invocation that was running and nothing else; the next reader rolls back what was half written. There is
no write-ahead log, so that the one file is all there is, at any time, to be copied and looked at. The digest is made
when the writer closes the file, and dropped when a run is resumed.
"""

from sonde.instruments.bench.results_file.event import Event
from sonde.instruments.bench.results_file.reader import is_results_file, read_events, read_meta, read_results
from sonde.instruments.bench.results_file.writer import ResultsWriter, write_results

__all__ = [
    "Event",
    "ResultsWriter",
    "is_results_file",
    "read_events",
    "read_meta",
    "read_results",
    "write_results",
]
