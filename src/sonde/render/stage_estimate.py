"""Which stage long work is in, and about how long it takes to the end."""

from collections.abc import Mapping

from sonde.render.progress_line import FIRST_S, rough_duration

_ESTIMATED_FROM_S = 0.5
"""Seconds that what is done must have taken to say how long the rest will."""


class StageEstimate:
    """Work in stages, each with a known part of the time; parts of a stage may be counted.

    Times are of the monotonic clock, in seconds.

    Args:
        what: is done, as the text begins: `sonde: comparing`.
        shares: name of each stage, in order -> about its part of the time, in any unit.
        began: when.
        before: share and seconds of what is done already.

    >>> estimate = StageEstimate("comparing", {"reading": 2.0, "judging": 8.0}, 0.0)
    >>> estimate.done(1, 2, 3.0)
    >>> estimate.text(3.0)
    'comparing: reading, 1 of 2, step 1 of 2, about 27 s left'
    """

    def __init__(
        self, what: str, shares: Mapping[str, float], began: float, before: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        self._what, self._shares, self._names = what, dict(shares), list(shares)
        self._began = self._known_at = began
        self._share_done, self._took = before
        self._at = 0
        self._counted = 0.0
        self._parts = ""

    def begin(self, name: str, now: float) -> None:
        """A stage begins, and those before it are done."""
        number = self._names.index(name)
        if number > self._at:
            finished = sum(self._shares[each] for each in self._names[self._at : number])
            self._know(finished - self._counted, now)
            self._at, self._counted, self._parts = number, 0.0, ""

    def done(self, count: int, total: int, now: float) -> None:
        """So many parts of this stage are done."""
        share = self._shares[self._names[self._at]] * count / total
        self._know(share - self._counted, now)
        self._counted = share
        self._parts = f", {count:,} of {total:,}" if total > 1 else ""

    def left_s(self, now: float) -> float | None:
        """Seconds to the end, about; None: nothing is known of that.

        Estimated by what is done; what takes longer than that makes all that comes after it longer, too.
        """
        if self._took < _ESTIMATED_FROM_S or not self._share_done:
            return None
        elapsed, share = now - self._known_at, self._shares[self._names[self._at]] - self._counted
        later = sum(self._shares[each] for each in self._names[self._at + 1 :])
        rate = self._took / self._share_done
        if elapsed > share * rate:
            rate = (self._took + elapsed) / (self._share_done + share)
        return max(0.0, share * rate - elapsed) + later * rate

    def text(self, now: float) -> str | None:
        """What is to be seen at a moment; None: nothing yet."""
        if now - self._began < FIRST_S:
            return None
        return self.told(self.left_s(now))

    def told(self, left_s: float | None) -> str:
        """The text for so many seconds to the end."""
        steps = f", step {self._at + 1} of {len(self._names)}" if len(self._names) > 1 else ""
        text = f"{self._what}: {self._names[self._at]}{self._parts}{steps}"
        return text if left_s is None or left_s < 0.5 else f"{text}, about {rough_duration(left_s)} left"

    def _know(self, share: float, now: float) -> None:
        self._share_done += share
        self._took += now - self._known_at
        self._known_at = now
