"""How much of a run was looked at, when that was done in bursts."""

from pathlib import Path

from sonde.base.units import format_count
from sonde.evidence import Loss
from sonde.launch.burst_clock import read_looked_at


def unwatched(folder: Path) -> tuple[Loss, ...]:
    """What is told of a run that was looked at in bursts; nothing, of one that was looked at all the time.

    Args:
        folder: of the run.
    """
    looked_at = read_looked_at(folder)
    if looked_at is None:
        return ()
    share = looked_at.looked_ns / looked_at.elapsed_ns if looked_at.elapsed_ns else 1.0
    detail = (
        f"looked at in {format_count(looked_at.bursts)} bursts, {min(share, 1.0):.1%} of the time: counts"
        " are of these, and no sequence goes on across what lies between them"
    )
    return (Loss("paths-in-bursts", 0, detail),)
