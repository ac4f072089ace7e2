"""What profdiff warns of, on standard output, before it sums up a run."""

from collections.abc import Iterator

from sonde.instruments.decisions.profdiff.lines import Line
from sonde.instruments.decisions.profdiff.log import GraalLog

_GRAAL_LEVEL = 4
"""The tier of code that Graal compiles; less is C1's."""


def warning_lines(log: GraalLog, number: int) -> Iterator[Line]:
    """Lines of the log that are no units, then compilations that were profiled, but are not in the log.

    Args:
        number: of the experiment.
    """
    for where, fact in log.skipped:
        yield 0, f"Warning: Invalid compilation unit: Failed to parse experiment {number} in {where}: {fact}"
    run = log.run
    if run.profile is None or run.compilation == "AOT":
        return
    ids = {unit.id for unit in run.units}
    for entry in run.profile.entries:
        if entry.level == _GRAAL_LEVEL and entry.id is not None and entry.id not in ids:
            yield 0, f"Warning: Compilation ID {entry.id} not found in the optimization log"
