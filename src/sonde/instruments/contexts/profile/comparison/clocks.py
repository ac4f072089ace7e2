"""Which times can be compared."""

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile.clock_text import KINDS_OF_TIME
from sonde.instruments.contexts.profile.context_profile import ContextProfile


def check_clocks(one: ContextProfile, other: ContextProfile, *, hint: str) -> None:
    """See to it that times of both profiles are of one kind.

    Raises:
        InputError: `different-clocks`, one has wall-clock time, say, the other processor time.
    """
    if one.run.time_kind != other.run.time_kind:
        kinds = {one.run.time_kind, other.run.time_kind}
        first, second = (name for kind, name in KINDS_OF_TIME.items() if kind in kinds)
        raise InputError(
            f"cannot compare times: one profile has {first}, the other {second}",
            slug="different-clocks",
            hint=hint,
        )
