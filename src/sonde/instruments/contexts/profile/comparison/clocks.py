"""Which times can be compared."""

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile.clock_text import KINDS_OF_TIME, same_clock_hint
from sonde.instruments.contexts.profile.context_profile import ContextProfile


def check_clocks(one: ContextProfile, other: ContextProfile, *, calls_will_do: bool = False) -> None:
    """See to it that times of both profiles are of one kind.

    Args:
        calls_will_do: whether the verb can compare calls instead, where both have them.
    Raises:
        InputError: `different-clocks`, one has wall-clock time, say, the other processor time.
    """
    if one.run.time_kind != other.run.time_kind:
        kinds = {one.run.time_kind, other.run.time_kind}
        instead = "--metric calls, or " if calls_will_do and one.has_calls and other.has_calls else ""
        first, second = (name for kind, name in KINDS_OF_TIME.items() if kind in kinds)
        raise InputError(
            f"cannot compare times: one profile has {first}, the other {second}",
            slug="different-clocks",
            hint=instead + same_clock_hint(one, other),
        )
