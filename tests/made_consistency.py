"""What tells groups of runs apart, written by hand: every kind of subject, conclusive and by chance."""

from made_decisions import GET, HASH, WORK
from sonde.instruments.decisions.groups import (
    CallSubject,
    Consistency,
    ConsistencyOptions,
    ContextSubject,
    DecisionSubject,
    Difference,
    Finding,
    GroupReason,
    MethodSubject,
    PathStep,
    PhaseSubject,
    ReceiverSubject,
    Subject,
    TimeSubject,
)

SUBJECTS: list[Subject] = [
    CallSubject(WORK, 5, GET),
    ContextSubject((PathStep("a.Main.main()", -1), PathStep(WORK, 3), PathStep(GET, 5))),
    DecisionSubject(HASH, 1, "PartialEscapeLog", "AllocationVirtualization", (("materializations", 0),)),
    MethodSubject(WORK),
    PhaseSubject(WORK, "LoopPeelingPhase"),
    ReceiverSubject(HASH, 9, "java.lang.Object.hashCode()"),
    TimeSubject(WORK),
]


def found(
    subject: Subject,
    *,
    weight: float = 0.5,
    fast: tuple[float, ...] = (1.0, 0.75),
    slow: tuple[float, ...] = (0.0, 0.25),
    q_value: float = 0.01,
    label: str = "inlined",
) -> Finding:
    return Finding(subject, (Difference(label, fast, slow, 0, q_value / 2, q_value),), weight)


def consistency(*findings: Finding, remarks: tuple[str, ...] = ()) -> Consistency:
    return Consistency(
        tuple(f"fast-{number}" for number in range(5)),
        tuple(f"slow-{number}" for number in range(5)),
        ConsistencyOptions(),
        findings,
        features=1234,
        tested=56,
        units_read=78,
        remarks=remarks,
    )


def everything() -> Consistency:
    first = found(SUBJECTS[0], weight=0.6)
    first.fast_reasons = (GroupReason("relevance-based", 3, 3),)
    first.slow_reasons = (GroupReason("too big", 2, 3), GroupReason("cold", 1, 3))
    first.followers = [found(subject) for subject in SUBJECTS[1:6]]
    chance = found(SUBJECTS[6], q_value=0.3, fast=(0.1,), slow=(0.2,), label="share of time")
    return consistency(first, chance, remarks=("1 of 10 runs have no times",))
