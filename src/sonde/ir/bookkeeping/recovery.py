"""How many values of the original are found again."""

from collections import Counter
from dataclasses import dataclass

from sonde.ir.bookkeeping.locations import Computed, Constant, Held
from sonde.ir.bookkeeping.mapping import Mapping


@dataclass(frozen=True, slots=True)
class Recovery:
    """Values of a marked module, each counted once: as what is best known of it anywhere."""

    values: int
    """Parameters and results that records follow."""
    held: int
    """Some value of the optimised module is the same."""
    constant: int
    """It is a constant, wherever it is known."""
    computed: int
    """It can be computed."""
    lost: int
    """Records say that it is lost, or say what is not believed."""
    absent: int
    """No record is left: the code is gone, or a pass dropped it."""

    @property
    def found(self) -> int:
        return self.held + self.constant + self.computed


def recovery(mapping: Mapping) -> Recovery:
    """Count the values that are found again in any of the optimised functions, inlined copies included.

    Cost: reading back every function.
    """
    best: dict[tuple[str, int], int] = {}
    for name in mapping.functions():
        found = mapping.function(name)
        for _, origin, location in found.records():
            match location:
                case Held():
                    rank = 3
                case Constant():
                    rank = 2
                case Computed():
                    rank = 1
                case _:
                    rank = 0
            key = (found.instances[origin.instance].function, origin.number)
            best[key] = max(best.get(key, 0), rank)
    values = sum(each.is_recorded for marked in mapping.marks.functions.values() for each in marked.places)
    ranks = Counter(best.values())
    return Recovery(values, ranks[3], ranks[2], ranks[1], ranks[0], values - len(best))
