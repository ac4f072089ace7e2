"""A metric that programs print themselves: its name and unit, and the pattern by which its values are found."""

import math
import re
from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.instruments.bench.directions import Direction, direction_of
from sonde.instruments.bench.time_units import SECONDS_PER

_DEFINITION = re.compile(r"\s*(?P<name>[^=()]*[^=()\s])\s*(?:\((?P<unit>[^()]+)\))?\s*=(?P<pattern>.+)", re.DOTALL)
_HINT = "NAME=PATTERN or NAME(UNIT)=PATTERN, such as 'score(ops/s)=score: ([0-9.]+)'"


@dataclass(frozen=True, slots=True)
class PrintedMetric:
    """What is found in the standard output of a command; each match is a value of one iteration.

    >>> PrintedMetric("score", "score: ([0-9.]+)").values_in("score: 5\\nscore: 7.5\\n")
    [5.0, 7.5]
    """

    name: str
    pattern: str
    """A regular expression of Python; the group in it is the number. ^ and $ are the ends of lines."""
    unit: str = "1"
    """In which numbers are printed."""
    better: Direction = "lower"

    def __post_init__(self) -> None:
        try:
            groups = re.compile(self.pattern).groups
        except re.error as error:
            raise _refused(f"{error}", self.pattern) from error
        if groups != 1:
            raise _refused(f"it has {groups} groups, and one of them has to be the number", self.pattern)
        if not self.name.strip():
            raise _refused("it has no name", self.pattern)

    @classmethod
    def parse(cls, text: str, better: Direction | None = None) -> "PrintedMetric":
        """The metric that a definition on the command line means.

        Args:
            text: `NAME=PATTERN` or `NAME(UNIT)=PATTERN`.
            better: which way is better; None: as the unit has it, or the name where there is no unit.
        Raises:
            UsageError: `bad-pattern`.

        >>> PrintedMetric.parse("throughput(MB/s)=([0-9]+) MB/s").better
        'higher'
        """
        found = _DEFINITION.fullmatch(text)
        if found is None:
            raise UsageError(f"cannot read '{text}': it does not define a metric", slug="bad-pattern", hint=_HINT)
        name, unit = found["name"].strip(), (found["unit"] or "").strip()
        return cls.of(name, found["pattern"], unit, better)

    @classmethod
    def of(cls, name: str, pattern: str, unit: str, better: Direction | None) -> "PrintedMetric":
        """A metric of which the unit, or else the name, says which way is better, unless somebody does.

        Raises:
            UsageError: `bad-pattern`.
        """
        return cls(name, pattern, unit or "1", better or direction_of(unit or name))

    @property
    def stored_unit(self) -> str:
        """In which values are: times in seconds, all else as it is printed."""
        return "s" if self.unit in SECONDS_PER else self.unit

    def values_in(self, printed: str) -> list[float]:
        """All values, in their order, in the unit that is stored; none where nothing matches.

        Raises:
            ValueError: what stands for a value is no number; with what it is.
        """
        found = []
        for match in re.finditer(self.pattern, printed, re.MULTILINE):
            if not match[0]:  # (.*) also matches the end
                continue
            try:
                value = float(match[1] or "")
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                raise ValueError(f"the '{self.name}' that was printed is no number: '{(match[1] or '')[:40]}'")
            found.append(value * SECONDS_PER.get(self.unit, 1.0))
        return found


def _refused(fact: str, pattern: str) -> UsageError:
    hint = "put the number into ( ), and what else has to be in brackets into (?: ): 'score: ([0-9.]+) (?:ops|calls)'"
    return UsageError(f"cannot find a metric by '{pattern}': {fact}", slug="bad-pattern", hint=hint)
