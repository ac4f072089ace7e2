"""Which calls can be compared."""

from collections.abc import Sequence

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile.context_profile import ContextProfile


def check_calls(profiles: Sequence[ContextProfile], names: Sequence[str]) -> None:
    """See to it that calls were counted in all profiles.

    Raises:
        InputError: `no-calls`, one is a sample of stacks.
    """
    for profile, name in zip(profiles, names, strict=True):
        if not profile.has_calls:
            raise InputError(
                f"cannot compare calls: {name} has none, as stacks were looked at from time to time",
                slug="no-calls",
                hint="compare times: leave out --metric and --normalise, and record all with times",
            )
