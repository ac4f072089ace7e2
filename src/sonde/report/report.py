"""An answer as a value: what was asked of, what was found, in blocks; no layout."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sonde.evidence import Reservation
from sonde.report.flame import FlameGraph
from sonde.report.flow_chart import FlowChart
from sonde.report.plot import Plot
from sonde.report.side_by_side import SideBySide
from sonde.report.table import Listing, Table
from sonde.report.timeline import Timeline
from sonde.report.words import Facts, Findings, Note, Notices

Block: TypeAlias = (
    Facts | Notices | Findings | Note | Table | SideBySide | Listing | Plot | FlameGraph | FlowChart | Timeline
)


@dataclass(frozen=True, slots=True)
class Report:
    """One answer, for all renderers.

    >>> Report("toy", "app.py", ()).title
    'app.py'
    """

    kind: str
    """Which instrument answers, as it is called in the registry; with what it did: `memory`, `memory-diff`."""
    title: str
    """What was looked at: a command, or two files."""
    blocks: tuple[Block, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    """Texts of files that places are in, by path, for pages."""
    changed: bool | None = None
    """Of a comparison: whether there is a difference that counts."""
    is_undecided: bool = False
    """Of a comparison: whether there is too little to say that anything differs; then `changed` is None."""
    outcome: str = ""
    """What pages call that, if not `differs` and `no difference`."""
    headline: tuple[str, ...] = ()
    """One to three sentences with the figures that answer the question: what is read first."""

    def with_notices(self, told: Sequence[Reservation]) -> "Report":
        """The same, of which more is to be known: that is told before what it says itself.

        >>> from sonde.evidence import Doubt
        >>> [block.notices[0].detail for block in Report("toy", "a", ()).with_notices([Doubt("", "so so")]).blocks]
        ['so so']
        """
        if not told:
            return self
        own = next((block for block in self.blocks if isinstance(block, Notices) and block.key == "notices"), None)
        all_of_them = Notices((*told, *(own.notices if own is not None else ())))
        others = tuple(all_of_them if block is own else block for block in self.blocks)
        return replace(self, blocks=others if own is not None else (*others, all_of_them))

    def tables(self) -> Iterator[Table]:
        """The tables among the blocks."""
        return (block for block in self.blocks if isinstance(block, Table))
