"""Who carries out single invocations for a run."""

from typing import Protocol

from sonde.instruments.bench.measurements import Invocation
from sonde.instruments.bench.runs.plan import Alternative, Benchmark


class Invoker(Protocol):
    """Carries out invocations; of processes in life, of made-up values in tests."""

    def check(self, benchmark: Benchmark, alternative: Alternative) -> None:
        """See that an alternative can be started, before anything is measured.

        Raises:
            SondeError: it cannot.
        """

    def invoke(self, benchmark: Benchmark, alternative: Alternative) -> Invocation:
        """Run it once; a failure is an invocation with another outcome than `ok`.

        Raises:
            KeyboardInterrupt: the process has been ended.
        """
