"""Lines of source, with what the compiler decided at each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sonde.evidence import Doubt
from sonde.instruments.decisions.analysis.source_texts import source_texts
from sonde.instruments.decisions.analysis.words import decision_name
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Phase, Trees
from sonde.report import Block, Cell, Column, Listing, Notices

_COLUMNS = (
    Column("inlined", "inlined", "count", meaning="calls at this line that became part of the function"),
    Column("calls", "calls", "count", meaning="calls at this line that are in the compiled code"),
    Column("optimized", "optimized", "count"),
    Column("missed", "missed", "count", meaning="optimizations that could not be applied"),
    Column("decided", "", shown="below"),
)
_NAMED = 3
"""Decisions of a line that are named."""


@dataclass(slots=True)
class _Line:
    inlined: int = 0
    calls: int = 0
    optimized: int = 0
    missed: int = 0
    said: Counter[str] = field(default_factory=Counter)

    def cells(self) -> tuple[Cell, ...]:
        """Those of the columns; what was missed or explained is named first."""
        words = [f"{name} ×{count}" if count > 1 else name for name, count in self.said.most_common(_NAMED)]
        more = len(self.said) - _NAMED
        told = ", ".join([*words, *([f"{more} more"] if more > 0 else [])])
        counts = (self.inlined, self.calls, self.optimized, self.missed)
        return (*(count or None for count in counts), told or None)


def source_listings(run: DecisionRun, every: Sequence[Trees], *, most: int) -> Iterator[Block]:
    """The files in which something was decided, line by line; those whose texts are not known are told.

    Args:
        every: trees of the units that are shown.
        most: lines of each file on paper, those with most decisions.
    Cost: O(n) for n nodes, and of reading the files.
    """
    files: dict[str, dict[int, _Line]] = {}

    def line_of(method: str | None, at: int) -> _Line | None:
        found = None if method is None or at < 0 else run.source_line(method, at)
        return None if found is None else files.setdefault(found[0], {}).setdefault(found[1], _Line())

    for trees in every:
        for caller, call in _calls(trees.inlining):
            if (line := line_of(caller, call.at)) is not None:
                line.inlined += call.inlined
                line.calls += call.alive and not call.inlined
        for decision in _decisions(trees.optimizations):
            if decision.position and (line := line_of(*decision.position[0][:2])) is not None:
                line.optimized += decision.outcome == "applied"
                line.missed += decision.outcome == "missed"
                line.said[decision_name(decision)] += 1
    sources = source_texts([run], {file: max(lines) for file, lines in files.items()})
    for number, (file, text) in enumerate(sources.texts.items()):
        cells = {line: made.cells() for line, made in sorted(files[file].items())}
        title = file.replace("\\", "/").rpartition("/")[2]
        yield Listing(f"source-{number}", f"decisions in {title}", file, text, _COLUMNS, cells, most=most)
    told = [("that could not be read", sources.missing), ("that changed since the run", sources.changed)]
    doubts = tuple(Doubt("", f"sources {words}: {', '.join(names[:_NAMED])}") for words, names in told if names)
    if doubts:
        yield Notices(doubts)


def _calls(root: CallSite) -> Iterator[tuple[str | None, CallSite]]:
    """Calls, each with the method whose code it is in."""
    pending: list[tuple[str | None, CallSite]] = [(root.method, child) for child in root.children]
    while pending:
        caller, call = pending.pop()
        yield caller, call
        inside = call.method if call.inlined else caller
        pending.extend((inside, child) for child in call.children)


def _decisions(root: Phase) -> Iterator[Decision]:
    pending: list[Phase | Decision] = [root]
    while pending:
        each = pending.pop()
        if isinstance(each, Decision):
            yield each
        else:
            pending.extend(reversed(each.children))
