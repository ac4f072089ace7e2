"""Why phases take their time, in rows and in sentences that somebody can act on."""

from collections.abc import Iterator

from sonde.base.units import format_percent, format_share
from sonde.instruments.phases.analysis import LEAST_VARIATION, Reason, telling_reason
from sonde.instruments.phases.profile import PhaseProfile
from sonde.instruments.phases.report.told_phases import ToldPhase, ToldProfile
from sonde.report import Column, Row, Table, short_name

LEAST_EXPLAINED = 0.2
"""Of the variance of lengths; less is not worth a word."""
LEAST_WAITING = 0.3
"""Of a phase's time, for its waiting to be told of."""
LEAST_TIMES_WAITING = 2.0
"""As much as the rest of the program: where all of it waits, the machine is busy with something else."""
_NS_PER_S = 1e9


def sentence_of(told: ToldPhase, profile: PhaseProfile) -> str:
    """One sentence: how much of the time, what it has more of than the rest of the program, what to do about it."""
    name, whole = short_name(told.phase.function), profile.whole_ns
    beginning = f"{name}: {format_share(told.sum.total_ns, whole)} of the time"
    if _waits(told, profile):
        share = format_percent(round(waiting_share(told, profile) or 0.0, 3))
        return f"{beginning}, of which it waits {share}: for input, output, a lock or a processor."
    reason = _reason_of(told, profile)
    if reason is None:
        return f"{beginning}; it has no more of any counter than the rest of the program."
    known = profile.counters[reason.counter].known
    per = "an instruction" if reason.is_per_instruction else "a second"
    more = f"{times_words(reason)} the {known.words} {per} of the rest"
    variation = told.consistency.length_variation
    if reason.explained is None or (reason.explained < LEAST_EXPLAINED and (variation or 0.0) < LEAST_VARIATION):
        explains = " (by this rate alone)"  # its calls are too few, or too much alike, to tell
    elif reason.explained < LEAST_EXPLAINED:
        return f"{beginning}, with {more}, which hardly explain how its calls vary."
    else:
        explains = f" ({reason.explained:.0%} of how its calls vary)"
    return f"{beginning}, with {more}{explains}: {known.advice}."


def phases_to_tell(all_of: ToldProfile) -> list[ToldPhase]:
    """The phases to look at, each of which says something of its own: of two that are one, and take their time for the
    same reason, only that with more time of its own is told of."""
    told: list[ToldPhase] = []
    causes: list[str] = []
    for each in all_of.parts_to_look_at():
        cause = _cause_of(each, all_of.profile)
        if not any(cause == other and all_of.are_one(each, one) for one, other in zip(told, causes, strict=True)):
            told.append(each)
            causes.append(cause)
    return told


def _cause_of(told: ToldPhase, profile: PhaseProfile) -> str:
    """What its sentence names: a counter, waiting, or nothing."""
    if _waits(told, profile):
        return "waiting"
    reason = _reason_of(told, profile)
    return "" if reason is None else profile.counters[reason.counter].name


def _waits(told: ToldPhase, profile: PhaseProfile) -> bool:
    share = waiting_share(told, profile)
    return share is not None and share >= max(LEAST_WAITING, LEAST_TIMES_WAITING * waiting_of_rest(told, profile))


def _reason_of(told: ToldPhase, profile: PhaseProfile) -> Reason | None:
    return telling_reason(profile, told.reasons, told.consistency.length_variation)


def times_words(reason: Reason) -> str:
    """How many times as much as in the rest."""
    times = reason.times or 0.0
    return "more than 100 times" if times > 100 else f"{times:.1f} times"


def waiting_share(told: ToldPhase, profile: PhaseProfile) -> float | None:
    """The share of a phase's time in which its thread did not run; None where that was not counted."""
    clock = _task_clock(profile)
    if clock is None or not told.sum.total_ns:
        return None
    return max(1 - told.sum.totals[clock] / told.sum.total_ns, 0.0)


def waiting_of_rest(told: ToldPhase, profile: PhaseProfile) -> float:
    """The same of the rest of the program."""
    clock, rest_ns = _task_clock(profile), profile.whole_ns - told.sum.total_ns
    if clock is None or rest_ns <= 0:
        return 0.0
    return min(max(1 - (profile.total(clock) - told.sum.totals[clock]) / rest_ns, 0.0), 1.0)


def _task_clock(profile: PhaseProfile) -> int | None:
    return next((at for at, counter in enumerate(profile.counters) if counter.name == "task-clock"), None)


def why_table(all_of: ToldProfile, most: int) -> Table:
    """A row for each counter of each phase, those first that explain most."""
    columns = (
        Column("times", "× rest", "ratio", meaning="its rate, as a multiple of that of the rest of the program"),
        Column(
            "explains",
            "explains",
            "share",
            whole=1,
            shown="share",
            meaning="share of the variance of its calls' lengths",
        ),
        Column("rate", "a second", "number", priority=2),
        Column("counter", "counter", "text"),
        Column(
            "variation",
            "varies",
            "share",
            whole=1,
            shown="share",
            priority=3,
            meaning="coefficient of variation of the rate among its calls",
        ),
        Column("function", "phase", "name"),
        Column("source", "from", "text", shown="details"),
    )
    rows = sorted(_rows(all_of), key=lambda pair: -pair[0])
    legend = (
        "× rest: against the program without the phase. explains: of the variance of how long its calls take (squared"
        " correlation)."
    )
    return Table(
        "why",
        "why",
        columns,
        [row for _, row in rows],
        ("by the time that they explain",),
        "reason",
        most,
        legend=legend,
    )


def _rows(all_of: ToldProfile) -> Iterator[tuple[float, Row]]:
    profile = all_of.profile
    for told in all_of.methods:
        if not told.is_phase or told.is_wrapper:
            continue
        for reason in told.reasons:
            counter = profile.counters[reason.counter]
            if (reason.times is None and not reason.explained) or counter.name == "task-clock":
                continue
            rate = told.sum.rate(reason.counter) * _NS_PER_S
            variation = told.consistency.variations[reason.counter]
            cells = (reason.times, reason.explained, rate, counter.name, variation, told.phase.function, counter.source)
            weight = (reason.explained or 0.0) * told.sum.total_ns
            yield weight, Row(cells, tone="strong" if (reason.times or 0) >= 1.5 else "")
