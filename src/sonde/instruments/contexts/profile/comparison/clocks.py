"""Which times can be compared."""

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile.context_profile import ContextProfile


def check_clocks(one: ContextProfile, other: ContextProfile, *, hint: str) -> None:
    """See to it that times of both profiles are of one kind.

    Raises:
        InputError: `different-clocks`, one has wall-clock time, the other processor time.
    """
    if one.run.time_kind != other.run.time_kind:
        raise InputError(
            "cannot compare times: one profile has wall-clock time, the other processor time",
            slug="different-clocks",
            hint=hint,
        )
