"""Plots as the page gets them: values in the order in which they were measured, fewer of them where there are many."""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from sonde.render.html.fair_share import fair_share
from sonde.render.html.packed_samples import PackedSamples
from sonde.render.quantity import Scale, scale_for
from sonde.report import Estimated, Plot, Sample

_DIGITS = 6
"""Of a value that is drawn: more than a screen has pixels."""

LEAST_VALUES = 20
"""Of a sample that is drawn; it takes as much room if it has fewer. Samples for which there is no room are left out."""


_MOST_GAPS = 50
"""Of a sample that say why they are there."""


def plot_data(
    plot: Plot, most: int, letters: int, members: PackedSamples, number: Callable[[str], int]
) -> dict[str, Any]:
    """The samples of a plot, those without values at their end.

    Args:
        most: values of all samples together.
        letters: of a name.
        members: what writes the members of samples.
        number: of a text in the page.
    Returns:
        `samples`, whose quantities are measured in `scale[0]` and written in `scale[1]`; `without`: how many samples
        have no values; `left_out`: for how many there was no room.
    Cost: O(n log n) for n values.
    """
    drawn = [(sample, finite) for sample in plot.samples if (finite := _finite(sample.values))]
    each = max(fair_share((len(places) for _, places in drawn), most), LEAST_VALUES)
    room = accumulate(max(min(len(places), each), LEAST_VALUES) for _, places in drawn)
    kept = drawn[: max(sum(taken <= most for taken in room), 1)]
    return {
        "samples": [
            _sample(sample, places, each, letters, plot.kind in _IN_ORDER) | _beyond_values(sample, members, number)
            for sample, places in kept
        ],
        "without": len(plot.samples) - len(drawn),
        "left_out": len(drawn) - len(kept),
    }


_IN_ORDER = ("sequence", "overview")
"""Kinds that draw values in their order."""


def _beyond_values(sample: Sample, members: PackedSamples, number: Callable[[str], int]) -> dict[str, Any]:
    """What a sample has besides its values: where there is none, and what each was computed from."""
    data: dict[str, Any] = {}
    if sample.gaps:
        told = sorted((place, why) for place, why in sample.gaps.items() if why)
        data["gaps"] = [[place, number(why)] for place, why in told[:_MOST_GAPS]]
        data["gaps_left_out"] = max(len(told) - _MOST_GAPS, 0)
        data["missing"] = len(sample.gaps)
        data["count"] = len(sample.values) + len(sample.gaps)
    if sample.members:
        packed = members.packed(sample, number)
        if packed is not None:
            data["members"] = packed
    return data


def _scale(sample: Sample) -> Scale:
    least = sample.least
    if least is None:
        least = min(value for value in sample.values if math.isfinite(value))
    return scale_for(sample.unit, [least])


def _finite(values: Sequence[float]) -> list[int]:
    """Places of the values that can be drawn."""
    return [place for place, value in enumerate(values) if math.isfinite(value)]


def _sample(sample: Sample, places: Sequence[int], most: int, letters: int, is_sequence: bool) -> dict[str, Any]:
    values = sample.values
    scale = _scale(sample)
    chosen = places
    if len(places) > most:
        chosen = _extremes(values, places, most) if is_sequence else _ranks(values, places, most)
    far = set(sample.outliers)
    data: dict[str, Any] = {
        "name": sample.name[:letters],
        "group": sample.group[:letters],
        "scale": [scale.size, scale.unit[:letters]],
        "count": len(values),
        "values": [_rounded(values[place]) for place in chosen],
        "outliers": [number for number, place in enumerate(chosen) if place in far],
        "far": len(far),
    }
    if len(chosen) < len(values):
        data["at"] = list(chosen)
    if sample.gaps:
        stands = sample.places
        data["at"] = [stands[place] for place in chosen]
    amount, *ends = _mean(sample.mean)
    if amount is not None:
        data["mean"] = [amount, *ends]
    if sample.median is not None and math.isfinite(sample.median):
        data["median"] = sample.median
    if sample.at is not None and math.isfinite(sample.at):
        data["x"] = sample.at
    if sample.counted is not None:
        data["counted"] = list(sample.counted)
    return data


def _mean(mean: Estimated | float | None) -> tuple[float | None, ...]:
    """A mean and the ends of its interval; None for what is not finite, or not known."""
    told = (mean.amount, mean.low, mean.high) if isinstance(mean, Estimated) else (mean, None, None)
    return tuple(None if each is None or not math.isfinite(each) else each for each in told)


def _extremes(values: Sequence[float], places: Sequence[int], most: int) -> list[int]:
    """The least and the greatest value of each stretch of the sequence, in their order."""
    length = -(-2 * len(places) // most)
    chosen: set[int] = set()
    for start in range(0, len(places), length):
        stretch = places[start : start + length]
        chosen |= {min(stretch, key=values.__getitem__), max(stretch, key=values.__getitem__)}
    return sorted(chosen)


def _ranks(values: Sequence[float], places: Sequence[int], most: int) -> list[int]:
    """Values at even distances of their ranks, with the least and the greatest: they are spread as all of them are."""
    ranked = sorted(places, key=values.__getitem__)
    return sorted(ranked[number * (len(ranked) - 1) // (most - 1)] for number in range(most))


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
