"""Which line is hottest, in a sentence, where lines were sampled."""

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_share
from sonde.code import origins_of
from sonde.instruments.contexts.analysis.line_costs import LineCost
from sonde.instruments.contexts.profile import ContextProfile
from sonde.render.place_text import fitting_place

_NOTABLE = 0.01
"""Share of the whole from which a line of the project is named before others."""
_LONGEST_NAME, _LONGEST_PLACE = 24, 24


def line_headline(profile: ContextProfile, costs: list[LineCost], missing: int) -> tuple[str, ...]:
    """The hottest line with its share and the interval of it.

    Args:
        profile: as it is shown.
        costs: its lines, heaviest first.
        missing: weight that is in none of them: all of it may be of one line.
    Guarantee: a line that is said to be hottest is so, at the confidence of its interval; where the order of the first
        two is not known, both are named. Nothing is said where no lines were sampled, or the first is a function whose
        lines are not told apart.
    """
    whole = profile.whole
    if not whole or all(cost.around is None for cost in costs):
        return ()
    origins = origins_of(profile.functions)
    own = [cost for cost in costs if cost.place.function is not None and origins[cost.place.function] == "own"]
    candidates = own if own and own[0].alone >= _NOTABLE * whole else costs
    first = candidates[0]
    if first.alone <= 0 or first.around is None:
        return ()
    among = " of this project" if candidates is own and first is not costs[0] else ""
    least = first.alone - first.around
    rivals = [cost for cost in candidates[1:] if cost.alone + (cost.around or 0) + missing > least]
    if missing > least:
        return ()
    if rivals:
        shares = f"{format_share(first.alone, whole)} and {format_share(rivals[0].alone, whole)}"
        more = " or another" if len(rivals) > 1 else ""
        joint = ", " if more else " or "
        names = f"{_place(first)}{joint}{_place(rivals[0])}{more}"
        return (f"{names} is the hottest line{among}: about {shares} of the time.",)
    low, high = (format_share(min(max(0, first.alone + sign * first.around), whole), whole) for sign in (-1, 1))
    return (f"{_place(first)} in {_name(first)} is the hottest line{among}: {low} to {high} of the time.",)


def _place(cost: LineCost) -> str:
    return fitting_place(cost.place, _LONGEST_PLACE)


def _name(cost: LineCost) -> str:
    assert cost.place.function is not None  # lines that were sampled are a function's
    return keep_both_ends(cost.place.function.label, _LONGEST_NAME)
