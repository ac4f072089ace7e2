"""Which method of the second run is which of the first, where names hold addresses or counters."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

from sonde.instruments.decisions.alignment.evidence import MethodEvidence
from sonde.instruments.decisions.alignment.names import normalised_name

MOST_ROUNDS = 8
"""What was paired tells more of what calls it, and what that calls; seldom further than this."""

Features = set[Hashable]


def renamed(first: Mapping[str, MethodEvidence], second: Mapping[str, MethodEvidence]) -> dict[str, str]:
    """Methods of the second run that the first has under another name, with that name.

    Guarantee: no name that is in both runs is in the answer; no two methods have the same answer; names of a pair are
        equal but for what changes from run to run. Where only one method of each run could be meant, they are a pair;
        of several, those that are more alike in their callers, what they call, and what was decided in them.
    Cost: O(g^2) comparisons for g methods that share what is left of their names.
    """
    names: dict[str, str] = {}
    groups = [_Group(ours, theirs) for ours, theirs in _grouped(first, second)]
    for group in groups:
        if len(group.ours) == len(group.theirs) == 1:
            group.pair(group.ours[0], group.theirs[0], names)
    for _ in range(MOST_ROUNDS):
        before = len(names)
        for group in groups:
            group.pair_clear(first, second, names)
        if len(names) == before:
            break
    for group in groups:
        group.pair_rest(first, second, names)
    return names


def certain(first: Mapping[str, object], second: Mapping[str, object]) -> dict[str, str]:
    """Of what `renamed` finds that for which only one method of each run could be meant."""
    return {theirs[0]: ours[0] for ours, theirs in _grouped(first, second) if len(ours) == len(theirs) == 1}


class _Group:
    """Methods that could be each other; in the order in which they occur."""

    def __init__(self, ours: list[str], theirs: list[str]) -> None:
        self.ours, self.theirs = ours, theirs

    def pair(self, ours: str, theirs: str, names: dict[str, str]) -> None:
        names[theirs] = ours
        self.ours.remove(ours)
        self.theirs.remove(theirs)

    def scores(
        self, first: Mapping[str, MethodEvidence], second: Mapping[str, MethodEvidence], names: Mapping[str, str]
    ) -> dict[tuple[str, str], float]:
        """How alike each two are, 0 to 1; those that are not are left out. Each of ours with each of theirs."""
        holders = {_holder(theirs): _holder(ours) for theirs, ours in names.items()}
        known = set(names.values())
        ours = {
            name: _features(name, first[name], lambda other: _shared(other, second, known), lambda holder: holder)
            for name in self.ours
        }
        theirs = {
            name: _features(
                name,
                second[name],
                lambda other: names.get(other) or _shared(other, first, ()),
                lambda holder: holders.get(holder, holder),
            )
            for name in self.theirs
        }
        found = {}
        for one, of_one in ours.items():
            for other, of_other in theirs.items():
                common = len(of_one & of_other)
                if common:
                    found[one, other] = common / len(of_one | of_other)
        return found

    def pair_clear(
        self, first: Mapping[str, MethodEvidence], second: Mapping[str, MethodEvidence], names: dict[str, str]
    ) -> None:
        """Pair those that are more alike than either is like any other."""
        if not self.ours or not self.theirs:
            return
        scores = self.scores(first, second, names)
        rows: dict[str, list[float]] = {}
        columns: dict[str, list[float]] = {}
        for (one, other), score in scores.items():
            rows.setdefault(one, []).append(score)
            columns.setdefault(other, []).append(score)
        for (one, other), score in scores.items():
            if all(score == max(line) and line.count(score) == 1 for line in (rows[one], columns[other])):
                self.pair(one, other, names)

    def pair_rest(
        self, first: Mapping[str, MethodEvidence], second: Mapping[str, MethodEvidence], names: dict[str, str]
    ) -> None:
        """Pair those that are most alike, the first of equals; then, if none is too many, in the order of the runs."""
        if not self.ours or not self.theirs:
            return
        scores = self.scores(first, second, names)
        for one, other in sorted(scores, key=lambda pair: -scores[pair]):  # stable: the order of the runs
            if one in self.ours and other in self.theirs:
                self.pair(one, other, names)
        if len(self.ours) == len(self.theirs):
            for one, other in list(zip(self.ours, self.theirs, strict=True)):
                self.pair(one, other, names)


def _grouped(first: Mapping[str, object], second: Mapping[str, object]) -> Iterable[tuple[list[str], list[str]]]:
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for side, (run, other) in enumerate(((first, second), (second, first))):
        for name in run:
            if name not in other:
                groups.setdefault(normalised_name(name), ([], []))[side].append(name)
    return [group for group in groups.values() if group[0] and group[1]]


def _holder(name: str) -> str:
    """The class of a method: one that was paired says which class the others of it are of."""
    return name.partition("(")[0].rpartition(".")[0]


def _shared(name: str, other_run: Mapping[str, object], known: Collection[str]) -> str:
    """The name as both runs have it, as far as that is known."""
    return name if name in other_run or name in known else normalised_name(name)


def _features(
    name: str, evidence: MethodEvidence, shared: Callable[[str], str], shared_holder: Callable[[str], str]
) -> Features:
    """What could tell a method from another, in words that both runs have. Places count, but not alone: code moves."""
    found: Features = {("in", shared_holder(_holder(name)))}
    for caller, at in evidence.callers:
        found.add(("called by", shared(caller)))
        found.add(("called by", shared(caller), at))
    for at, callee in evidence.calls:
        found.add(("calls", shared(callee)))
        found.add(("calls", shared(callee), at))
    for at, decision in evidence.decisions:
        found.add(("decides", decision))
        found.add(("decides", decision, at))
    return found
