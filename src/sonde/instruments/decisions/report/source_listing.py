"""Lines of source, with what the compiler decided at each, or otherwise than in another run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sonde.evidence import Doubt
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.analysis.source_texts import SourceTexts, source_texts
from sonde.instruments.decisions.analysis.words import decision_name
from sonde.instruments.decisions.model import CallSite, DecisionRun, Trees, decisions_in
from sonde.render.name_text import bare_name
from sonde.report import Block, Cell, Column, Listing, Notices

_COLUMNS = (
    Column("inlined", "inlined", "count", meaning="calls at this line that became part of the function"),
    Column("calls", "calls", "count", meaning="calls at this line that are in the compiled code"),
    Column("optimized", "optimized", "count"),
    Column("missed", "missed", "count", meaning="optimizations that could not be applied"),
    Column("decided", "", shown="below"),
)
_DIFFERENCE_COLUMNS = (Column("decisions", "only here", "count"), Column("decided", "", shown="below"))
_NAME = 40
"""Columns of a method's name."""
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
        counts = (self.inlined, self.calls, self.optimized, self.missed)
        return (*(count or None for count in counts), _named(self.said))


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
        for decision in decisions_in(trees.optimizations):
            if decision.position and (line := line_of(*decision.position[0][:2])) is not None:
                line.optimized += decision.outcome == "applied"
                line.missed += decision.outcome == "missed"
                line.said[decision_name(decision)] += 1
    sources = source_texts([run], {file: max(lines) for file, lines in files.items()})
    for number, (file, text) in enumerate(sources.texts.items()):
        cells = {line: made.cells() for line, made in sorted(files[file].items())}
        title = file.replace("\\", "/").rpartition("/")[2]
        yield Listing(f"source-{number}", f"decisions in {title}", file, text, _COLUMNS, cells, most=most)
    yield from _doubts(sources)


def differing_listings(comparison: Comparison, found: Sequence[Finding], *, most: int) -> Iterator[Block]:
    """Of both runs the files with what was decided otherwise than in the other, or only here, line by line."""
    for side, (experiment, name) in enumerate(zip(comparison.experiments(), SIDES, strict=True)):
        run = experiment.run
        files: dict[str, dict[int, Counter[str]]] = {}
        for method, at, words in _of_side(found, side):
            if method is not None and at >= 0 and (place := run.source_line(method, at)) is not None:
                files.setdefault(place[0], {}).setdefault(place[1], Counter())[words] += 1
        sources = source_texts([run], {file: max(lines) for file, lines in files.items()})
        for number, (file, text) in enumerate(sources.texts.items()):
            lines = sorted(files[file].items())
            cells: dict[int, tuple[Cell, ...]] = {line: (said.total(), _named(said)) for line, said in lines}
            title = f"only in {name}: {file.replace(chr(92), '/').rpartition('/')[2]}"
            key = f"source-{name.lower()}-{number}"
            yield Listing(key, title, file, text, _DIFFERENCE_COLUMNS, cells, most=most)
        yield from _doubts(sources, f"{name}: ")


def _of_side(found: Sequence[Finding], side: int) -> Iterator[tuple[str | None, int, str]]:
    """Method, place and words of what is on one side only."""
    for finding in (each for lead in found for each in (lead, *lead.with_it)):
        if finding.decisions is not None:
            for decision in (finding.decisions.left, finding.decisions.right)[side]:
                if decision.position:
                    yield (*decision.position[0][:2], decision_name(decision))
        elif finding.call is not None:
            call = (finding.call.left, finding.call.right)[side]
            if call is not None:
                words = f"{call.kind.value} {bare_name(call.method, _NAME)}"
                yield from ((place.caller, place.at, words) for place in finding.places)


def _named(said: Counter[str]) -> str | None:
    """Those of a line that occur most."""
    words = [f"{name} ×{count}" if count > 1 else name for name, count in said.most_common(_NAMED)]
    more = len(said) - _NAMED
    return ", ".join([*words, *([f"{more} more"] if more > 0 else [])]) or None


def _doubts(sources: SourceTexts, before: str = "") -> Iterator[Notices]:
    told = [("that could not be read", sources.missing), ("that changed since the run", sources.changed)]
    doubts = tuple(Doubt("", f"{before}sources {words}: {', '.join(names[:_NAMED])}") for words, names in told if names)
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
