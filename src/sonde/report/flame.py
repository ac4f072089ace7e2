"""Flame graphs: a tree that is too large for rows, in columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.errors import InternalError
from sonde.code import Function
from sonde.report.cells import Amount, Unit


@dataclass(frozen=True, slots=True, eq=False)
class FrameWeights:
    """What may decide how wide frames are. Columns have shape (n_frames,), or are empty where nothing is known."""

    key: str
    title: str
    unit: Unit
    own: Sequence[int]
    """What each frame has itself."""
    total: Sequence[int]
    """The same with all below it: also with what is in no frame that is here."""
    whole: int
    """What shares are of; at least the totals of all roots together."""
    around: Sequence[int] = ()
    """Half of a 95 % interval around `own`."""
    above: Sequence[int] = ()
    """`own` may be so much larger, at most."""
    hot_from: int = 0
    """From which amount of its own on a frame is hot; 0 when nobody has said so."""
    not_kept: Sequence[int] = ()
    """The part of `total` that is known to be in no frame at all, because they were given up."""
    not_kept_at_top: int = 0
    """The part of `whole` that is."""


@dataclass(frozen=True, slots=True, eq=False)
class FlameGraph:
    """A tree of frames, for pages. Other renderings say nothing of it: a report that has one has a table, too.

    Frames stand behind those that called them. There may be millions: a page takes the heaviest, and says how many it
    leaves out.

    >>> weights = FrameWeights("calls", "Calls", "count", own=(1, 2), total=(3, 2), whole=3)
    >>> main, work = Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5)
    >>> len(FlameGraph("graph", "contexts", (main, work), (-1, 0), (0, 1), (0, 2), (weights,)).parent)
    2

    Raises:
        InternalError: `invalid-report`, columns of different lengths.
    """

    key: str
    title: str
    functions: Sequence[Function]
    parent: Sequence[int]
    """(n_frames,) the frame that each is below; -1: none."""
    function: Sequence[int]
    """(n_frames,) which of `functions` each runs."""
    call_line: Sequence[int]
    """(n_frames,) the line of the caller's file that it was called from; 0 when that is not known."""
    weights: tuple[FrameWeights, ...]
    """The first decides widths until another is chosen; at least one."""
    change: Sequence[Amount] = ()
    """(n_frames,) how much more the total is than it was; frames are coloured by it. Empty: by whose code they are."""
    change_unit: Unit = "count"
    noun: str = "context"
    left_out: int = 0
    """Frames that are not even here."""
    not_kept: str = ""
    """What is known of frames that were given up."""

    def __post_init__(self) -> None:
        of_weights = ((each.own, each.total, each.around, each.above, each.not_kept) for each in self.weights)
        columns = [self.function, self.call_line, self.change, *(column for each in of_weights for column in each)]
        needed = [
            self.function,
            self.call_line,
            *(column for each in self.weights for column in (each.own, each.total)),
        ]
        wrong = [len(column) for column in columns if len(column) and len(column) != len(self.parent)]
        if wrong or not self.weights or any(len(column) != len(self.parent) for column in needed):
            raise InternalError(
                f"cannot make flame graph '{self.key}': its columns are not all of {len(self.parent)} frames",
                slug="invalid-report",
            )
