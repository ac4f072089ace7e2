"""Samples by the hundred thousand as a page holds them: two bytes for a value, and fewer values of very many."""

import math
import sys
from array import array
from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any, Final

from sonde.render.html.fair_share import fair_share
from sonde.report import Plot, Sample

MAX_PACKED = 500_000
"""Values of all members in a page: 1.3 MB of it."""

LEAST_PACKED = 8
"""Values of a sample that is still worth a drawing: of four stretches the least and the greatest one."""

_LEVELS: Final = 65_535
"""A plot is a few hundred pixels high: two bytes are enough for a value."""


class PackedSamples:
    """Writes the members of samples, with as many of their values as there is room for."""

    def __init__(self, plots: Sequence[Plot]) -> None:
        lengths = [len(member.values) for plot in plots for sample in plot.samples for member in sample.members]
        fair = fair_share(lengths, MAX_PACKED)
        self._most = max(fair - fair % 2, LEAST_PACKED)
        self._room = MAX_PACKED
        self._packed: dict[int, dict[str, Any] | None] = {}
        """By the `id` of the sample: pages that turn out too large are made anew."""
        self.left_out = 0
        """Samples whose members had no room."""

    def packed(self, sample: Sample, number: Callable[[str], int]) -> dict[str, Any] | None:
        """Members of a sample for the page's script.

        Args:
            sample: members that are longer than there is room for are cut into stretches, of which the least and the
                greatest value are kept, so that no outlier is lost.
            number: of a text in the page.
        Returns:
            `low` and `high` of all values; of each member its `names`, `lengths`, `steps` (values in a stretch; 1: all
            are there), and where those that count begin and end (`from`, `to`), a single number where all are alike;
            and `data`, base64 of little-endian 16-bit numbers from 0 at `low` to 65535 at `high`. None without values
            that can be drawn, or room.
        """
        if id(sample) not in self._packed:
            self._packed[id(sample)] = self._values_of(sample.members)
        packed = self._packed[id(sample)]
        return packed and {**packed, "names": [number(member.name) for member in sample.members]}

    def _values_of(self, members: Sequence[Sample]) -> dict[str, Any] | None:
        drawn = [[value for value in member.values if math.isfinite(value)] for member in members]
        if not any(len(values) > 1 for values in drawn):
            return None
        steps = [1 if len(values) <= self._most else -(-len(values) // (self._most // 2)) for values in drawn]
        kept = [_stretched(values, step) for values, step in zip(drawn, steps, strict=True)]
        count = sum(map(len, kept))
        if count > self._room:
            self.left_out += 1
            return None
        self._room -= count
        low, high = min(map(min, filter(None, kept))), max(map(max, filter(None, kept)))
        unit = _LEVELS / (high - low) if high > low else 0.0
        levels = array("H", [round((value - low) * unit) for values in kept for value in values])
        if sys.byteorder == "big":
            levels.byteswap()
        data: dict[str, Any] = {
            "low": low,
            "high": high,
            "lengths": _told_once([len(values) for values in drawn]),
            "steps": _told_once(steps),
            "data": b64encode(levels.tobytes()).decode("ascii"),
        }
        ends = [member.counted or (0, len(values)) for member, values in zip(members, drawn, strict=True)]
        if any(start for start, _ in ends):
            data["from"] = _told_once([start for start, _ in ends])
        if any(stop < len(values) for (_, stop), values in zip(ends, drawn, strict=True)):
            data["to"] = _told_once([stop for _, stop in ends])
        return data


def _stretched(values: list[float], step: int) -> list[float]:
    """The least and the greatest value of each stretch, one after the other."""
    if step == 1:
        return values
    stretches = (values[start : start + step] for start in range(0, len(values), step))
    return [end for stretch in stretches for end in (min(stretch), max(stretch))]


def _told_once(numbers: list[int]) -> int | list[int]:
    return numbers[0] if len(set(numbers)) == 1 else numbers
