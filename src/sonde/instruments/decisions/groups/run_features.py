"""The features of one run: what was decided for each call and place in its hot code, weighed by time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b

from sonde.base.errors import InputError
from sonde.instruments.decisions.experiments import decision_count, without_detailed
from sonde.instruments.decisions.groups.feature_table import NOTHING, FeatureTable, Whole
from sonde.instruments.decisions.groups.subject import (
    CallSubject,
    DecisionSubject,
    MethodSubject,
    PhaseSubject,
    ReceiverSubject,
    TimeSubject,
)
from sonde.instruments.decisions.model import (
    CallSite,
    Decision,
    Phase,
    ReceiverProfile,
    Trees,
    Unit,
    Value,
    decisions_in,
)

VOLATILE = frozenset({"failedAttempts", "seen", "instructions"})
"""Properties that say how often, not what."""
LARGEST_NUMBER = 64
"""Larger integers in properties are sizes, identifiers or counts, which say little of what was decided."""
DEEPEST_CONTEXT = 100
"""Calls that are nested deeper than that are looked at as calls only, not as contexts: paths that long are not read by
people, and all of a deep tree together would have the square of its depth."""
_UNKNOWN = "unknown"
_PRESENT = "present"


def add_run(
    table: FeatureTable,
    run: int,
    units: Iterable[Unit],
    weights: Mapping[int, float],
    hot: set[int],
    name: Callable[[str], str],
    *,
    with_detailed: bool = True,
) -> tuple[list[Unit], int]:
    """Add the features of a run's units; returns those that could be read, and how many decisions were left out.

    Args:
        run: column of the table.
        units: those to be read.
        weights: unit's number -> share of the run's time, of all units.
        hot: numbers of the hot units.
        name: what methods are called so that all runs agree.
        with_detailed: look at detailed phases, too, and at what was decided in them.
    """
    compiled: set[str] = set()
    within: set[str] = set()
    read: list[Unit] = []
    left_out = 0
    for unit in units:
        try:
            trees = unit.load()
        except InputError:
            continue
        read.append(unit)
        weight = weights[unit.number]
        method = name(unit.method)
        table.add(run, TimeSubject(method), "share of time", weight)
        if unit.number in hot:
            compiled.add(method)
        phases = trees.optimizations if with_detailed else without_detailed(trees.optimizations)
        left_out += decision_count(trees.optimizations) - decision_count(phases)
        _Walk(table, run, weight, name, within).unit(method, Trees(trees.inlining, phases))
    for method in compiled:
        table.add(run, MethodSubject(method), "compiled by itself", 1.0)
    for method in within - compiled:
        table.add(run, MethodSubject(method), "inlined only", 1.0)
    return read, left_out


class _Walk:
    """Through the trees of one unit."""

    def __init__(
        self, table: FeatureTable, run: int, weight: float, name: Callable[[str], str], within: set[str]
    ) -> None:
        self.table = table
        self.run = run
        self.weight = weight
        self.name = name
        self.within = within
        self.root: Whole = NOTHING

    def unit(self, method: str, trees: Trees) -> None:
        self.root = ("root", method)
        self.table.add_whole(self.run, self.root, self.weight)
        methods = self.calls(method, trees.inlining)
        self.decisions(methods, trees.optimizations)
        self.phases(method, trees.optimizations)

    def calls(self, root: str, tree: CallSite) -> set[str]:
        """Add all calls; returns the methods whose code is in the unit."""
        table, run = self.table, self.run
        methods = {root}
        # Each: an inlined method's node, its context and depth.
        stack = [(tree, root, table.context(-1, root, -1), 0)]
        while stack:
            node, enclosing, context, depth = stack.pop()
            table.add_whole(run, ("in", enclosing), self.weight)
            seen: dict[tuple[int, str], list[CallSite]] = {}
            for site in _calls_of(node):
                callee = self.name(site.method) if site.method is not None else _UNKNOWN
                seen.setdefault((site.at, callee), []).append(site)
            for (at, callee), sites in seen.items():
                if depth < DEEPEST_CONTEXT:
                    below = table.context(context, callee, at)
                else:
                    below = context
                    table.deeper.setdefault(context, set()).add(callee)
                self.call(CallSubject(enclosing, at, callee), below, depth, sites)
                for site in sites:
                    if site.inlined:
                        methods.add(callee)
                        stack.append((site, callee, below, depth + 1))
        self.within |= methods - {root}
        return methods

    def call(self, subject: CallSubject, context: int, depth: int, sites: list[CallSite]) -> None:
        # A call that was duplicated, e.g. by peeling its loop, counts once: each copy its part.
        part = self.weight / len(sites)
        table, run = self.table, self.run
        whole = ("in", subject.enclosing)
        for site in sites:
            label = site.kind.value
            table.add(run, subject, label, part, whole)
            if depth < DEEPEST_CONTEXT:
                table.add(run, context, label, part, self.root)
        for key in (subject, context) if depth < DEEPEST_CONTEXT else (subject,):
            if depth < table.depths.get(key, depth + 1):
                table.depths[key] = depth
        profile = next((site.receivers for site in sites if site.receivers is not None), None)
        if profile is not None and profile.types:
            self.receivers(ReceiverSubject(subject.enclosing, subject.at, subject.callee), profile, whole)

    def receivers(self, subject: ReceiverSubject, profile: ReceiverProfile, whole: Whole) -> None:
        first = max(profile.types, key=lambda each: (each.probability, each.type_name))
        self.table.add(self.run, subject, f"mostly {self.name(first.type_name)}", self.weight, whole)
        self.table.add(self.run, subject, "types", self.weight * len(profile.types), whole)

    def decisions(self, methods: set[str], tree: Phase) -> None:
        """Add each decision once for the unit, however often it was taken."""
        found: set[DecisionSubject] = set()
        for decision in decisions_in(tree):
            if decision.position:
                place = decision.position[0]
                enclosing, at = self.name(place.method), place.at
            else:
                enclosing, at = self.root[1], -1
            found.add(
                DecisionSubject(enclosing, at, decision.name, decision.event, self.stable(decision), decision.outcome)
            )
        # A method that decisions name but the inlining tree does not: it is in the code all the same.
        for method in {subject.enclosing for subject in found} - methods:
            self.table.add_whole(self.run, ("in", method), self.weight)
        for subject in found:
            self.table.add(self.run, subject, _PRESENT, self.weight, ("with", subject.enclosing))
        for method in methods | {subject.enclosing for subject in found}:
            self.table.add_whole(self.run, ("with", method), self.weight)

    def stable(self, decision: Decision) -> tuple[tuple[str, Value], ...]:
        return tuple(
            sorted(
                (key, self.name(value) if isinstance(value, str) else value)
                for key, value in decision.properties
                if key not in VOLATILE and not isinstance(value, float) and not _is_large(value)
            )
        )

    def phases(self, root: str, tree: Phase) -> None:
        order = [child.name for child in tree.children if isinstance(child, Phase)]
        digest = blake2b("\0".join(order).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        names: set[str] = set()
        stack: list[Phase] = [tree]
        while stack:
            for child in stack.pop().children:
                if isinstance(child, Phase):
                    names.add(child.name)
                    stack.append(child)
        for name in names:
            self.table.add(self.run, PhaseSubject(root, name), _PRESENT, self.weight, self.root)
        self.table.add(self.run, PhaseSubject(root, f"order {digest}"), _PRESENT, self.weight, self.root)


def _is_large(value: Value) -> bool:
    return isinstance(value, int) and abs(value) > LARGEST_NUMBER


def _calls_of(node: CallSite) -> Iterator[CallSite]:
    """The calls in the code of an inlined node; what an indirect call was resolved to is called there too."""
    waiting = list(reversed(node.children))
    while waiting:
        site = waiting.pop()
        yield site
        if not site.inlined:
            waiting.extend(reversed(site.children))
