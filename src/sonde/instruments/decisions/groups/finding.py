"""What is consistently different between fast and slow runs."""

from dataclasses import dataclass, field
from math import comb
from typing import Literal, NamedTuple

from sonde.instruments.decisions.groups.options import ConsistencyOptions
from sonde.instruments.decisions.groups.subject import Subject
from sonde.instruments.decisions.model import Offsets


class Difference(NamedTuple):
    """One value of a subject that separates the groups."""

    label: str
    """What is counted: `inlined`, `present`, `compiled by itself`, `share of time`, `types`, ..."""
    fast: tuple[float, ...]
    """Of each fast run in which it is defined; mostly a share of the time in the code that has the subject, 0 to 1."""
    slow: tuple[float, ...]
    exceptions: int
    p_value: float
    q_value: float

    @property
    def gap(self) -> float:
        """Distance of the means, with sign: positive where fast runs have more."""
        return sum(self.fast) / len(self.fast) - sum(self.slow) / len(self.slow)


class GroupReason(NamedTuple):
    """What runs of a group say of a subject, and in how many of those that were asked."""

    text: str
    runs: int
    asked: int


@dataclass(slots=True)
class Finding:
    """A subject that is one way in all fast runs and another in all slow ones."""

    subject: Subject
    differences: tuple[Difference, ...]
    """Largest gap first."""
    weight: float
    """Share of a run's time in the code that the subject is in, 0 to 1: the mean in the group in which it is more."""
    followers: list["Finding"] = field(default_factory=list)
    """What separates the groups as well, in code below this subject, or at the same call."""
    fast_reasons: tuple[GroupReason, ...] = ()
    slow_reasons: tuple[GroupReason, ...] = ()

    @property
    def score(self) -> float:
        """Weight times gap; of what follows if that is more."""
        own = self.weight * min(1.0, abs(self.differences[0].gap))
        return max([own, *(follower.score for follower in self.followers)])

    @property
    def p_value(self) -> float:
        """The smallest of its differences."""
        return min(difference.p_value for difference in self.differences)

    @property
    def q_value(self) -> float:
        """Adjusted for all tests."""
        return min(difference.q_value for difference in self.differences)


@dataclass(frozen=True, slots=True)
class Consistency:
    """The answer."""

    fast: tuple[str, ...]
    """Names of the runs."""
    slow: tuple[str, ...]
    options: ConsistencyOptions
    findings: tuple[Finding, ...]
    """Conclusive ones first, then by score; what follows from another is in `Finding.followers`."""
    features: int
    """Values that were looked at."""
    tested: int
    """Those that could have separated groups of these sizes; the rest says nothing of any split."""
    units_read: int
    remarks: tuple[str, ...]
    """What limits the answer, for people."""
    offsets: Offsets = "bytecode index"
    """What `at` of subjects counts, and with "line" from where: as in `DecisionRun`."""
    lines_from: Literal["file", "method"] = "file"
    left_out: int = 0
    """Decisions of detailed phases, in all runs together, that were not looked at."""

    def is_conclusive(self, finding: Finding) -> bool:
        """Whether it is more than chance may bring."""
        return finding.q_value <= self.options.false_discovery_rate

    @property
    def smallest_p_value(self) -> float:
        """What complete separation of groups of these sizes can reach at best."""
        count = len(self.fast) + len(self.slow)
        ways = comb(count, len(self.fast))
        return min(1.0, (2 if len(self.fast) == len(self.slow) else 1) / ways)
