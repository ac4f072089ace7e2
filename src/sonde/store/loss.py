"""What a profile does not hold, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """Something the profile does not hold, said aloud."""

    kind: str
    """Kebab-case name, e.g. `contexts-not-stored`."""
    amount: int
    """How many events, contexts or processes are concerned."""
    detail: str
    """One sentence for a person."""
