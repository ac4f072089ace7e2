"""What differs most: the differences of all pairs of compilations, said once each, by the time in their code."""

from collections.abc import Iterator, Sequence
from functools import cache

from sonde.instruments.decisions.analysis.causes import Causes
from sonde.instruments.decisions.analysis.code_times import CodeTimes
from sonde.instruments.decisions.analysis.comparison import ComparedUnits, Comparison
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.analysis.pair_findings import findings_of_pair
from sonde.instruments.decisions.analysis.shares import share_of_run

_PER_METHOD = 4
"""Differences in the compilations of one method that are told before those of others are, too."""


def findings(comparison: Comparison) -> list[Finding]:
    """All differences of pairs that are closest to each other, most important first.

    A difference in the code that was inlined for a call follows from the difference of that call, and is counted there.
    So does what differs between a method that was inlined on one side and the unit it is on the other, whose time is
    the call's, too. What one cause explains in a loop is one difference, with the others in `Finding.with_it`
    (`dependence.explained`).

    Guarantee: sorted by the larger of the shares of time on both sides; then by kind; then by how much follows.
    Cost: O(n) for n nodes of differences.
    """
    every = [
        (place, units, findings_of_pair(comparison.methods[place[0]], units)) for place, units in _told(comparison)
    ]
    causes: Causes[Finding] = Causes()
    for _, units, found in every:
        for finding in found:
            if finding.call is not None:
                causes.add(units.pair, finding.call, finding)
    gathered: dict[tuple[object, ...], Finding] = {}
    times = cache(CodeTimes)
    following: list[tuple[Finding, ComparedUnits, list[Finding]]] = []
    for place, units, found in every:
        if found and (cause := causes.of(units.pair)) is not None:
            following.append((cause, units, found))
            continue
        for finding in found:
            known = gathered.setdefault(finding.cause, finding)
            if place not in known.pairs[-1:]:
                known.pairs.append(place)
            for difference in finding.differences():
                known.add_code(units, times, difference)
            if known is not finding:
                known.take_in(finding)
    for cause, units, found in following:
        known = gathered[cause.cause]
        known.follows += sum(1 + finding.follows for finding in found)
        known.size += sum(finding.size for finding in found)
        known.add_code(units, times, None)
    return sorted(gathered.values(), key=lambda finding: _order(comparison, finding))


def finding_shares(comparison: Comparison, finding: Finding) -> tuple[float | None, float | None]:
    """On either side the share of the run's time in the code that it is about; where samples do not tell more, in the
    units that have it."""
    first, second = (
        share_of_run(experiment.run, time)
        for experiment, time in zip(comparison.experiments(), finding_times(finding), strict=True)
    )
    return first, second


def finding_times(finding: Finding) -> tuple[int, int]:
    """On either side the time in that code."""
    first, second = (sum(each.time for each in code.values()) for code in finding.code)
    return first, second


def spread(found: Sequence[Finding], room: int) -> list[Finding]:
    """The first ones, at most `room`, but not all of one method."""
    shown: list[Finding] = []
    told: dict[int, int] = {}
    for finding in found:
        if len(shown) == room:
            break
        method = finding.pairs[0][0]
        told[method] = told.get(method, 0) + 1
        if told[method] <= _PER_METHOD:
            shown.append(finding)
    return shown or list(found[:room])


def _order(comparison: Comparison, finding: Finding) -> tuple[float, int, int]:
    weight = max((share for share in finding_shares(comparison, finding) if share is not None), default=0.0)
    return (-weight, finding.rank, -finding.size)


def _told(comparison: Comparison) -> Iterator[tuple[tuple[int, int], ComparedUnits]]:
    """The closest pairs, with their places in the comparison."""
    for number, method in enumerate(comparison.methods):
        for place in sorted(method.closest):
            yield (number, place), method.units[place]
