"""How accurate an approximate profile is, at one threshold and over many."""

from collections.abc import Sequence

from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.profile.comparison import Accuracy, accuracy, accuracy_curve


def judged(
    exact: ContextProfile, approximate: ContextProfile, phis: Sequence[float] | None
) -> tuple[Accuracy, list[Accuracy]]:
    """The accuracy at the first phi, and a curve over all given, or over the usual ones.

    Args:
        phis: None for that of the profile, and the usual curve.
    Raises:
        InputError: it cannot be judged.
    """
    found = accuracy(exact, approximate, phi=phis[0] if phis else None)
    if phis is None:  # nothing is to be learnt where phi is so large that nothing is hot
        curve = [point for point in accuracy_curve(exact, approximate) if point.hot_contexts or point.tree_contexts]
    else:
        curve = list(accuracy_curve(exact, approximate, phis)) if len(phis) > 1 else []
    return found, curve
