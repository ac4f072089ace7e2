"""How many examples a property is tried on: as multiples of what the profile has (`conftest.py`)."""

from collections.abc import Sequence

from hypothesis import HealthCheck, settings


def examples(times: float, *, unlike: Sequence[HealthCheck] = ()) -> settings:
    """`times` as many examples as the profile has, 3 at least: less where one is slow, more where most are dull.

    Args:
        unlike: health checks that the test does not pass, and need not.
    """
    profile = settings()
    return settings(
        max_examples=max(3, round(times * profile.max_examples)),
        suppress_health_check=[*profile.suppress_health_check, *unlike],
    )
