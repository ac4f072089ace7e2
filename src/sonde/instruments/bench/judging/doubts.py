"""What makes a judgement less trustworthy, told by the measurements themselves."""

from collections.abc import Mapping, Sequence

from sonde.evidence import Doubt
from sonde.instruments.bench.judging.baseline import baseline_of
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.policy import Policy

MEASURED_APART = Doubt(
    "measured-apart",
    "old and new were measured one after the other: what changed on the machine in between looks like a change of the"
    " program",
    hint="sonde bench 'OLD COMMAND' 'NEW COMMAND' measures them in turns",
)

_LISTED = 3
"""Names that a doubt lists."""
_MACHINE = ("cpu", "governor", "virtual machine", "kernel")
"""What makes two machines different ones to a benchmark."""


def skipped(measurements: Measurements) -> list[Doubt]:
    """What a file holds and could not be used."""
    return [Doubt("skipped-measurements", text) for text in measurements.skipped]


def not_alternating(by_benchmark: Mapping[str, Sequence[Sample]]) -> list[Doubt]:
    """Alternatives that ran one after the other."""
    apart = [
        benchmark
        for benchmark, group in by_benchmark.items()
        if len(group) > 1 and any(None in sample.rounds for sample in group)
    ]
    if not apart:
        return []
    which = f"'{apart[0]}'" + (f" and of {len(apart) - 1} more benchmarks" if len(apart) > 1 else "")
    return [
        Doubt(
            "not-alternating",
            f"the alternatives of {which} did not take turns: what changed on the machine meanwhile looks like a"
            " difference between them",
            hint="sonde bench measures them in turns",
        )
    ]


def without_baseline(names: Mapping[str, Sequence[str]], asked: str) -> list[Doubt]:
    """Benchmarks that do not have the baseline that was asked for.

    Args:
        names: of the alternatives of each benchmark.
    """
    lacking = [benchmark for benchmark, found in names.items() if len(found) > 1 and baseline_of(found, asked) is None]
    if not lacking:
        return []
    more = f" and of {len(lacking) - 1} more benchmarks" if len(lacking) > 1 else ""
    text = f"no alternative of '{lacking[0]}'{more} is '{asked}': they are compared with their first"
    return [Doubt("other-baseline", text)]


def not_settled(samples: Sequence[Sample], policy: Policy) -> list[Doubt]:
    """What the rule of the coefficient of variation took although nothing fulfils it."""
    found = [sample for sample in samples if sample.unsettled]
    if not found:
        return []
    unsettled, counted = sum(sample.unsettled for sample in found), sum(len(sample.counted) for sample in samples)
    names = ", ".join(dict.fromkeys(f"'{sample.series.benchmark}'" for sample in found[:_LISTED]))
    more = ", ..." if len(found) > _LISTED else ""
    return [
        Doubt(
            "not-settled",
            f"{unsettled:,} of {counted:,} invocations (of {names}{more}) never varied by less than"
            f" {100.0 * policy.threshold:g}% over {policy.window} iterations: of each, the {policy.window} that vary"
            " least count",
            hint="--steady-by change-points looks at the whole invocation",
        )
    ]


def other_machine(old: Measurements, new: Measurements) -> list[Doubt]:
    """What differs between the machines of two files, as far as they say."""
    before, after = old.provenance.environment, new.provenance.environment
    differing = [
        f"{name} was '{before[name]}', is '{after[name]}'"
        for name in _MACHINE
        if name in before and name in after and before[name] != after[name]
    ]
    if not differing:
        return []
    return [Doubt("other-machine", f"old and new come from different machines: {'; '.join(differing)}")]
