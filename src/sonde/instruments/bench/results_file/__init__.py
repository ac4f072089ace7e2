"""The results file: one SQLite database that grows by one invocation at a time, readable by any SQL client.

The schema is `schema.sql`; docs/results-file.md describes it. What was measured is in the file before the next process
starts: each invocation is one transaction with a rollback journal. A kill loses the invocation that was running and
nothing else; the next reader rolls back what was half written. There is no write-ahead log, so that the one file is all
there is, at any time, to be copied and looked at.
"""

from sonde.instruments.bench.results_file.opening import is_results_file
from sonde.instruments.bench.results_file.reader import read_events, read_meta, read_results
from sonde.instruments.bench.results_file.tables import APPLICATION_ID, SCHEMA_VERSION, Event
from sonde.instruments.bench.results_file.writer import ResultsWriter, write_results

__all__ = [
    "APPLICATION_ID",
    "Event",
    "ResultsWriter",
    "SCHEMA_VERSION",
    "is_results_file",
    "read_events",
    "read_meta",
    "read_results",
    "write_results",
]
