"""Two runs compared: every pair of hot compilations with what differs in it, read once for all views."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from sonde.base.errors import InputError
from sonde.instruments.decisions.analysis.filtered_units import is_chosen
from sonde.instruments.decisions.deltas import DeltaNode, Edit, pruned
from sonde.instruments.decisions.experiments import (
    CompareOptions,
    Differences,
    Experiment,
    Fragment,
    MethodPair,
    RecentTrees,
    TooBig,
    UnitPair,
    differences,
    method_pairs,
)
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase
from sonde.instruments.decisions.options import DiffOptions, UnitFilter

AnyDelta = DeltaNode[CallSite] | DeltaNode[Phase | Decision] | DeltaNode[ContextNode]

_FEW_ALIKE = 0.15
"""Where fewer nodes than this are the same, two compilations have little to do with each other."""

_SMALL = 20
"""Nodes of trees of which nothing is said about their likeness."""

_COLD_PARTNERS = 3
"""Cold units of a method that is hot on the other side: a whole one, an OSR one, and one that was thrown away, say."""


@dataclass(frozen=True, slots=True)
class EditCounts:
    """How many nodes of both trees are what."""

    same: int = 0
    deleted: int = 0
    inserted: int = 0
    changed: int = 0

    @property
    def edits(self) -> int:
        """Nodes that are not the same."""
        return self.deleted + self.inserted + self.changed

    def __add__(self, other: "EditCounts") -> "EditCounts":
        return EditCounts(
            self.same + other.same,
            self.deleted + other.deleted,
            self.inserted + other.inserted,
            self.changed + other.changed,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ComparedUnits:
    """Two compilations with what differs between them."""

    pair: UnitPair
    whole: Differences
    """With everything that is the same."""
    pruned: Differences
    """With what differs and the way there."""
    counts: EditCounts
    failure: str = ""
    """Why they could not be compared."""

    @property
    def differs(self) -> bool:
        """Whether anything is known to differ."""
        return self.counts.edits > 0

    @property
    def is_too_big(self) -> bool:
        """Whether a tree was too big to be compared."""
        trees = (self.whole.inlining, self.whole.optimizations, self.whole.context)
        return any(isinstance(tree, TooBig) for tree in trees)

    @property
    def is_another(self) -> bool:
        """Whether next to nothing is the same: other compilations of the method."""
        counts = self.counts
        total = counts.same + counts.edits
        return total >= _SMALL and counts.same < _FEW_ALIKE * total


@dataclass(slots=True, eq=False)
class ComparedMethod:
    """A method that is hot on either side, and each of its pairs of compilations."""

    pair: MethodPair
    units: list[ComparedUnits] = field(default_factory=list)
    closest: set[int] = field(default_factory=set)
    """Places in `units`: of each unit the partner that differs least. Others differ, too, because they are other
    compilations: an OSR compilation against a whole one."""

    @property
    def method(self) -> str:
        """Its name."""
        return self.pair.method

    @property
    def told(self) -> list[ComparedUnits]:
        """The closest pairs."""
        return [units for number, units in enumerate(self.units) if number in self.closest]

    @property
    def is_of_one_run(self) -> bool:
        """Whether it is nowhere on one side, neither compiled nor in a hot unit."""
        pair = self.pair
        return not pair.first.compilations(pair.method) or not pair.second.compilations(pair.method)

    @property
    def is_missing(self) -> bool:
        """Whether that counts as a difference: of a cold method only if time was measured in it, for what a compiler
        did with code that hardly ran is chance."""
        pair = self.pair
        is_hot = pair.is_hot_in(1) or pair.is_hot_in(2)
        return self.is_of_one_run and (is_hot or pair.total_period > 0)

    @property
    def is_one_sided(self) -> bool:
        """Whether there is no hot compilation, not even a fragment, to compare with."""
        return self.pair.is_hot_in(1) != self.pair.is_hot_in(2)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs, compared."""

    first: Experiment
    second: Experiment
    methods: list[ComparedMethod]
    options: DiffOptions

    @property
    def has_differences(self) -> bool:
        """Whether compilations that are closest to each other differ, or a method was compiled in one run only."""
        return any(
            method.is_missing or any(units.differs or units.is_too_big or units.failure for units in method.told)
            for method in self.methods
        )

    @property
    def left_out(self) -> int:
        """Decisions of detailed phases in the closest pairs that were not compared."""
        return sum(units.whole.left_out for method in self.methods for units in method.told)

    def experiments(self) -> tuple[Experiment, Experiment]:
        """Both sides."""
        return self.first, self.second


def compare_runs(
    first: Experiment,
    second: Experiment,
    options: DiffOptions | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare every hot compilation of one run with those of the same method in the other; with `DiffOptions.cold_too`
    every compilation.

    Where a method is hot in one run only, and compiled in the other, too, its compilations with most time there take
    part: what was decided may be why they are cold, or they missed being hot by little.

    Args:
        first, second: with their hot units marked, and their fragments created if these are wanted.
        progress: is told how many pairs of how many are done.
    Guarantee: a unit whose record is damaged is not compared, and its pair says so.
    Cost: of `differences` for each pair; all trees of differences are in memory.
    """
    options = options or DiffOptions()
    whole = replace(options.compare, prune=False)
    methods = _chosen(method_pairs(first, second, cold_too=options.cold_too), options.filter)
    paired = [(pair, [*pair.unit_pairs(), *_cold_pairs(pair)]) for pair in methods]
    total = sum(len(units) for _, units in paired)
    done = 0
    recent = RecentTrees()
    compared = []
    for pair, unit_pairs in paired:
        method = ComparedMethod(pair)
        for units in unit_pairs:
            method.units.append(_compared(units, whole, recent))
            done += 1
            if progress is not None:
                progress(done, total)
        method.closest = _closest(method.units)
        compared.append(method)
    return Comparison(first, second, compared, options)


def _chosen(pairs: list[MethodPair], filter_: UnitFilter) -> list[MethodPair]:
    if filter_ == UnitFilter():
        return pairs
    return [
        pair
        for pair in pairs
        if is_chosen(
            filter_, [(side.run, side.total_period(pair.method)) for side in (pair.first, pair.second)], pair.method
        )
    ]


def walk(root: AnyDelta) -> Iterator[AnyDelta]:
    """All nodes of a tree of differences, parents first. No recursion."""
    pending: list[AnyDelta] = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def _cold_pairs(pair: MethodPair) -> Iterator[UnitPair]:
    """Hot units with cold ones, where the other side has no hot compilation, not even a fragment."""
    hot = [side.hot_compilations(pair.method) for side in (pair.first, pair.second)]
    if pair.cold_too or bool(hot[0]) == bool(hot[1]):
        return
    first, second = (
        ours or side.compilations(pair.method)[:_COLD_PARTNERS]
        for ours, side in zip(hot, (pair.first, pair.second), strict=True)
    )
    for one in first:
        for other in second:
            if not (isinstance(one, Fragment) and isinstance(other, Fragment)):
                yield UnitPair(one, other)


def _compared(pair: UnitPair, options: CompareOptions, recent: RecentTrees) -> ComparedUnits:
    try:
        whole = differences(pair, options, recent)
    except InputError as error:
        return ComparedUnits(pair, Differences(), Differences(), EditCounts(), str(error).partition("\n")[0])
    counts = EditCounts()
    for tree in (whole.inlining, whole.optimizations, whole.context):
        if tree is not None and not isinstance(tree, TooBig):
            counts += _counted(tree)
    return ComparedUnits(
        pair,
        whole,
        Differences(
            inlining=whole.inlining if isinstance(whole.inlining, TooBig | None) else pruned(whole.inlining),
            optimizations=(
                whole.optimizations if isinstance(whole.optimizations, TooBig | None) else pruned(whole.optimizations)
            ),
            context=whole.context if isinstance(whole.context, TooBig | None) else pruned(whole.context, _is_note),
        ),
        counts,
    )


def _counted(root: AnyDelta) -> EditCounts:
    counts = dict.fromkeys(Edit, 0)
    for node in walk(root):
        counts[node.edit] += 1
    return EditCounts(counts[Edit.SAME], counts[Edit.DELETED], counts[Edit.INSERTED], counts[Edit.CHANGED])


def _is_note(node: ContextNode) -> bool:
    return isinstance(node.content, Note)


def _closest(units: list[ComparedUnits]) -> set[int]:
    """Of each unit on either side the pair with fewest edits; the one with most time among equals. Pairs of the same
    version come before all others, and those of the same compiler before those of different ones.

    A fragment counts only as a partner: its code is compared in its parent, too, if that is hot on both sides. And a
    pair of different versions counts only if it is the closest for both: an OSR compilation differs from a whole one by
    what it is.
    """
    best: dict[tuple[int, int], tuple[tuple[int, bool, int, int, int], int]] = {}
    for number, one in enumerate(units):
        unknown = one.is_too_big or bool(one.failure)
        time = one.pair.first.period + one.pair.second.period
        rank = (_unlikeness(one.pair), unknown, one.counts.edits, -time, number)
        for side, compilation in enumerate((one.pair.first, one.pair.second)):
            key = (side, id(compilation))
            if not isinstance(compilation, Fragment) and (key not in best or rank < best[key][0]):
                best[key] = (rank, number)
    chosen = Counter(number for _, number in best.values())
    return {number for number, sides in chosen.items() if sides == 2 or _is_one_version(units[number].pair)}


def _unlikeness(pair: UnitPair) -> int:
    """0: of one version; 1: of one compiler (`C2` and `C2 OSR @ 4`); 2: of two."""
    first, second = pair.first.version or "", pair.second.version or ""
    if first == second:
        return 0
    return 1 if first.partition(" ")[0] == second.partition(" ")[0] else 2


def _is_one_version(pair: UnitPair) -> bool:
    has_fragment = isinstance(pair.first, Fragment) or isinstance(pair.second, Fragment)
    return has_fragment or pair.first.version == pair.second.version
