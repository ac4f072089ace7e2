"""What stands in a results file besides measurements."""

from typing import NamedTuple


class Event(NamedTuple):
    """Something that befell a run."""

    at: float
    """Seconds since the epoch."""
    kind: str
    """`began`, `resumed`, `interrupted`, `given up`, `ended`."""
    text: str
