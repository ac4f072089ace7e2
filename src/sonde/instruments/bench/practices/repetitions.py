"""An experiment and its repetitions in thought: whole invocations drawn anew from those that were measured."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench.judging import Sample

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Repetitions:
    """Repetitions of an experiment: of each invocation, in the order in which they ran, all that practices look at.

    Every array is (repetitions, invocations); repetition 0 of what was measured is the only one.
    """

    first: Array
    """The first iteration, warm-up or not."""
    last: Array
    least: Array
    second_least: Array
    """Infinite where there is one value only."""
    greatest: Array
    total: Array
    """Sum of the values behind the warm-up that the tool recorded; so are those below."""
    size: Array
    squares: Array
    """Sum of squares around the mean of the invocation."""
    middle: Array
    """The median."""

    @property
    def means(self) -> Array:
        """The mean of each invocation."""
        return self.total / self.size

    @property
    def count(self) -> int:
        """Invocations in a repetition."""
        return int(self.first.shape[1])

    def draw(self, random: np.random.Generator, repetitions: int) -> npt.NDArray[np.int64]:
        """(repetitions, invocations) which of the invocations of this one to take, with replacement."""
        return random.integers(0, self.count, size=(repetitions, self.count))

    def drawn(self, which: npt.NDArray[np.int64]) -> "Repetitions":
        """Repetitions of this one, of the invocations that were drawn."""
        return Repetitions(*(getattr(self, name)[0][which] for name in Repetitions.__slots__))


def repetitions_of(sample: Sample) -> Repetitions:
    """What was measured. Where values are not known to come from processes of their own, each is taken for one."""
    rows = []
    invocations = [sample.series.invocations[index] for index in dict.fromkeys(sample.counted)]
    if sample.metric.name != sample.series.metric.name:
        pieces = [(np.array([value]), 0) for value in sample.values]
    elif sample.series.separate:
        pieces = [(each.values, each.warmups or 0) for each in invocations]
    else:
        pieces = [(np.array([value]), 0) for each in invocations for value in each.values[each.warmups or 0 :]]
    for values, warmups in pieces:
        kept = values[warmups:] if warmups < len(values) else values
        two = np.partition(kept, 1)[:2] if len(kept) > 1 else (kept[0], np.inf)
        mean = kept.mean()
        rows.append(
            (
                values[0],
                kept[-1],
                two[0],
                two[1],
                kept.max(),
                kept.sum(),
                len(kept),
                ((kept - mean) ** 2).sum(),
                np.median(kept),
            )
        )
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), len(Repetitions.__slots__)).T
    return Repetitions(*(column[np.newaxis, :] for column in columns))
