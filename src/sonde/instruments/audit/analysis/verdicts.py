"""What is found of each profiler: its cost, how far it can be believed, and what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from sonde.evidence import rank_overlap, stability, weighted_overlap
from sonde.instruments.audit.analysis.accounting import NO_TIME, ToldTime, ratio_of, told_time
from sonde.instruments.audit.analysis.biases import NO_BIASES, Biases, biases
from sonde.instruments.audit.analysis.halves import apart_by_halves
from sonde.instruments.audit.analysis.movement import Movement, movement
from sonde.instruments.audit.analysis.resampling import estimated, within
from sonde.instruments.audit.analysis.shares import (
    Shares,
    comparable_functions,
    shares_of,
    told_functions,
)
from sonde.instruments.audit.profile import CONTROL, DENSE, EMPTY, PLAIN, AuditProfile, ProfiledRun, Profiler
from sonde.report import Estimated

FaultKind = Literal[
    "missing", "fails", "changes-program", "counts-calls", "charges-callers", "loses-time", "differs", "blind"
]

NotCompared = Literal["answers", "length", "functions", "looks"]
"""What there is too little of: runs that said anything, time that the program runs, functions that are told of, looks
at the program for a difference to be seen that matters."""

NOTABLE_BIAS = 0.05
"""Weight of call counts or callers that an answer has to have for sure, before it is called a fault: what a tracer adds
to a program that seldom calls is less."""
_LITTLE_LOST = 0.03
"""Share of the time that may be missing: starts and ends of programs lie outside of what profilers watch."""
_LITTLE_APART = 0.05
"""Total variation from the dense sample, beyond what runs differ by chance, that is not worth a word."""
_BLURRED = 0.15
"""Total variation from the dense sample that chance alone may make, above which it cannot be said that nothing is
wrong: an answer would have to be apart by a fifth of the time to be seen."""
_FEWEST_FUNCTIONS = 2
"""Of a single one all profilers say that it has everything."""
_SEEN_AT_ALL = 0.01
"""Total variation by which the dense sample must move for it to matter who sees it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a profiler, for sure."""

    kind: FaultKind
    size: Estimated | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one profiler."""

    profiler: Profiler
    answers: int
    """Runs in which it said anything."""
    cost: Estimated | None = None
    """Time of the program under it, from start to end, against the time without it."""
    building: Estimated | None = None
    """Of a compiled program: the rest of a run, its start and compilation, against runs without a profiler."""
    accuracy: Estimated | None = None
    """Weighted overlap with the dense sample."""
    ranks: float | None = None
    """How many of the first ten functions are the same, as a share."""
    precision: float | None = None
    """Mean weighted overlap of each two of its runs."""
    biases: Biases = NO_BIASES
    told: ToldTime = NO_TIME
    movement: Movement | None = None
    """When the optimisation is turned off."""
    faults: tuple[Fault, ...] = ()
    not_compared: NotCompared | None = None
    """What is missing for its answers to be compared; None: they were."""

    @property
    def looked_at(self) -> bool:
        """Whether there is enough to say that nothing was found."""
        return self.accuracy is not None and self.not_compared is None


@dataclass(frozen=True, slots=True)
class Audit:
    """All that was found."""

    verdicts: tuple[Verdict, ...]
    control: Estimated | None
    """Time of runs without a profiler against others without one: what chance does to costs."""
    dense: Verdict
    """The dense sample, as if it were a profiler; its accuracy is that of one half of its runs against the other."""
    needed: float | None
    """How many times as long the program should run, for answers to be compared; None: it is long enough, or too little
    is known to say."""
    dense_runs: int
    """With the dense sample, whether it saw anything or not."""

    @property
    def is_too_short(self) -> bool:
        """Whether the dense sample differs from itself by so much that nothing can be compared with it."""
        if self.dense_runs < _FEWEST_DENSE:
            return False  # nobody has looked for long
        return self.dense.answers < 2 or (self.needed is not None and self.needed > _MUCH_TOO_SHORT)


_ENOUGH = 0.95
"""Weighted overlap that two halves of the dense sample should have."""
_MUCH_TOO_SHORT = 25.0
"""Times: those halves have less than three quarters in common, and what an answer has with them says little of it."""
_FEWEST_DENSE = 4
"""Dense samples: of fewer, halves say nothing."""


def audit_of(profile: AuditProfile) -> Audit:
    """Judge all profilers of an audit.

    Guarantee: the same for the same profile: what is drawn at random is drawn from fixed seeds.
    """
    among = comparable_functions(profile)
    dense_runs = profile.answers_of(DENSE)
    dense = shares_of([run.own for run in dense_runs], among)
    halves = _halves(dense)
    plain, control = profile.runs_of(PLAIN), profile.runs_of(CONTROL)
    moved = _movement(profile, DENSE, among)
    of_dense = Verdict(
        Profiler(DENSE),
        len(dense),
        cost=_cost(profile.runs_of(DENSE), plain, is_compiled=profile.is_compiled),
        accuracy=within(estimated(_overlap, *halves), 0.0, 1.0) if halves is not None else None,
        precision=stability(dense.tolist()),
        movement=moved,
    )
    audit = Audit(
        (),
        _cost(control, plain, is_compiled=profile.is_compiled),
        of_dense,
        _needed(apart_by_halves(dense)),
        len(profile.runs_of(DENSE)),
    )
    verdicts = tuple(
        _verdict(profile, each, among, moved, is_too_short=audit.is_too_short) for each in profile.profilers
    )
    return replace(audit, verdicts=verdicts)


def _verdict(
    profile: AuditProfile,
    profiler: Profiler,
    among: npt.NDArray[np.bool_],
    moved: Movement | None,
    *,
    is_too_short: bool,
) -> Verdict:
    runs, answered = profile.runs_of(profiler.name), profile.answers_of(profiler.name)
    if profiler.missing:
        return Verdict(profiler, 0, faults=(Fault("missing", words=profiler.missing),))
    faults = _failures([*runs, *profile.runs_of(profiler.name, is_without=True)])
    plain = profile.runs_of(PLAIN)
    cost, told = (
        _cost(runs, plain, is_compiled=profile.is_compiled),
        told_time(
            answered,
            [*plain, *profile.runs_of(CONTROL)],
            profile.runs_of(EMPTY),
            profile.runs_of_nothing(profiler.name),
            profiler.clock,
        ),
    )
    if profiler.tells_program_only:
        among = among & told_functions(answered, profile)
    dense_runs = [run for run in profile.answers_of(DENSE) if any(among[number] for number in run.own)]
    dense = shares_of([run.own for run in dense_runs], among)
    charged = shares_of([run.charged for run in dense_runs], among)
    answers = shares_of([run.own for run in answered], among)
    why = _why_not_compared(answers, dense, is_too_short=is_too_short)
    if why:
        return Verdict(profiler, len(answers), cost, told=told, faults=tuple(faults), not_compared=why)
    accuracy = within(estimated(_overlap, answers, dense), 0.0, 1.0)
    found = biases(answers, dense, charged, _call_shares(profile, among))
    own_movement = _movement(profile, profiler.name, among)
    faults += _biased(found)
    faults += _loses(told)
    apart = movement(dense, answers)
    if not faults and apart is not None and apart.distance - apart.largest_by_chance > _LITTLE_APART:
        faults.append(Fault("differs", accuracy))
    if _is_blind(own_movement, moved):
        faults.append(Fault("blind", words=profile.turned_off))
    is_blurred = not faults and apart is not None and apart.largest_by_chance > _BLURRED
    return Verdict(
        profiler,
        len(answers),
        cost,
        _building(runs, plain) if profile.is_compiled else None,
        accuracy,
        rank_overlap(*_means(dense, answers)),
        stability(answers.tolist()),
        found,
        told,
        own_movement,
        tuple(faults),
        "looks" if is_blurred else None,
    )


def _why_not_compared(answers: Shares, dense: Shares, *, is_too_short: bool) -> NotCompared | None:
    if is_too_short:
        return "length"
    if not len(answers) or not len(dense):
        return "answers"
    return "functions" if _functions_in(dense, answers) < _FEWEST_FUNCTIONS else None


def _functions_in(*several: Shares) -> int:
    """How many functions any of them tells of."""
    return int(np.any([(shares > 0).any(axis=0) for shares in several], axis=0).sum())


def _failures(runs: Sequence[ProfiledRun]) -> list[Fault]:
    failures = [run.failure for run in runs if run.failure]
    changes = [run.changed for run in runs if run.changed]
    faults = []
    if failures:
        faults.append(Fault("fails", words=_most_often(failures, len(runs))))
    if changes:
        faults.append(Fault("changes-program", words=_most_often(changes, len(runs))))
    return faults


def _most_often(words: list[str], runs: int) -> str:
    first = max(sorted(set(words)), key=words.count)
    return f"{first} ({words.count(first)} of {runs} runs)"


def _biased(found: Biases) -> list[Fault]:
    kinds: list[tuple[FaultKind, Estimated | None]] = [
        ("counts-calls", found.calls),
        ("charges-callers", found.callers),
    ]
    return [Fault(kind, weight) for kind, weight in kinds if weight is not None and weight.low > NOTABLE_BIAS]


def _loses(told: ToldTime) -> list[Fault]:
    """Against both clocks: what a profiler does to write its answer is in its own run's time; but then
    it tells more than there is without it. What it takes whatever the program is taken out before."""
    own, plain = told.of_own_run, told.of_plain
    if own is None or plain is None or own.high >= 1 - _LITTLE_LOST or plain.amount >= 1:
        return []
    return [Fault("loses-time", own)]


def _is_blind(own: Movement | None, dense: Movement | None) -> bool:
    """Whether a profile stays as it is though the program changed by more than what chance moves the profile by."""
    if own is None or dense is None or not dense.is_seen or own.is_seen:
        return False
    moved = dense.distance - dense.by_chance
    return moved > max(_SEEN_AT_ALL, own.largest_by_chance)


def _movement(profile: AuditProfile, name: str, among: npt.NDArray[np.bool_]) -> Movement | None:
    with_it = shares_of([run.own for run in profile.answers_of(name)], among)
    without = shares_of([run.own for run in profile.answers_of(name, is_without=True)], among)
    return movement(with_it, without)


def _overlap(one: Shares, other: Shares) -> float:
    return weighted_overlap(*_means(one, other))


def _means(one: Shares, other: Shares) -> tuple[list[float], list[float]]:
    """Of the runs of each."""
    return one.mean(axis=0).tolist(), other.mean(axis=0).tolist()


def _call_shares(profile: AuditProfile, among: npt.NDArray[np.bool_]) -> Shares | None:
    found = shares_of([{number: float(count) for number, count in profile.calls.items()}], among)
    return found[0] if len(found) else None


def _time_ns(run: ProfiledRun, *, is_compiled: bool) -> int:
    """From the start of the profiler to its end; of a program that is compiled first, its own."""
    return run.program_wall_ns if is_compiled else run.wall_ns


def _cost(runs: Sequence[ProfiledRun], plain: Sequence[ProfiledRun], *, is_compiled: bool) -> Estimated | None:
    """Runs of the same rounds: what the machine does meanwhile, it does to both."""
    at = {run.round: _time_ns(run, is_compiled=is_compiled) for run in plain}
    both = [
        (_time_ns(run, is_compiled=is_compiled), at[run.round]) for run in runs if run.round in at and not run.failure
    ]
    both = [(one, other) for one, other in both if one and other]
    return ratio_of([each for each, _ in both], [each for _, each in both], paired=True)


def _building(runs: Sequence[ProfiledRun], plain: Sequence[ProfiledRun]) -> Estimated | None:
    at = {run.round: run.wall_ns - run.program_wall_ns for run in plain if run.program_wall_ns}
    both = [
        (run.wall_ns - run.program_wall_ns, at[run.round])
        for run in runs
        if run.round in at and run.program_wall_ns and not run.failure
    ]
    return ratio_of([one for one, _ in both], [other for _, other in both], paired=True)


def _halves(dense: Shares) -> tuple[Shares, Shares] | None:
    return (dense[::2], dense[1::2]) if len(dense) >= 2 else None


def _needed(apart: float | None) -> float | None:
    """Differences by chance shrink with the root of the time that is looked at."""
    if apart is None:
        return None
    ratio = (apart / (1 - _ENOUGH)) ** 2
    return ratio if ratio > 1 else None
