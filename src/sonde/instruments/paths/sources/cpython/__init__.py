"""CPython programs: run one whose functions count their paths, and read what they counted."""

from sonde.instruments.paths.sources.cpython.counted_run import read_counted_run
from sonde.instruments.paths.sources.cpython.running import PathRun, run_with_probes

__all__ = ["PathRun", "read_counted_run", "run_with_probes"]
