"""Colours that say where to look first."""

HOT_SELF_SHARE = 0.2
WARM_SELF_SHARE = 0.05
"""Own shares of the run from which a number is red, or yellow: where to look first."""


def heat(self_weight: int, whole: int) -> tuple[str, ...]:
    """How to paint a weight that is a function's or context's own."""
    if self_weight >= HOT_SELF_SHARE * whole:
        return ("red", "bold")
    return ("yellow",) if self_weight >= WARM_SELF_SHARE * whole else ()
