"""Options of `sonde phases`, and of looking at profiles of phases and comparing them."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sonde.base.near_names import near_hint
from sonde.base.units import format_percent
from sonde.instruments.phases.known_counters import DEFAULT_COUNTERS, KNOWN_COUNTERS
from sonde.options.declared import Option
from sonde.options.numbers import positive, share

COUNTERS = tuple(each.name for each in KNOWN_COUNTERS)
SHORT_NAMES = {"l1d": "l1d-misses", "llc": "llc-misses", "dtlb": "dtlb-misses", "faults": "page-faults"}


def counter_names(text: str) -> tuple[str, ...]:
    """Read names of counters for argparse.

    >>> counter_names("page-faults,l1d")
    ('page-faults', 'l1d-misses')
    """
    names = [SHORT_NAMES.get(word.strip(), word.strip()) for word in text.split(",") if word.strip()]
    for name in names:
        if name not in COUNTERS:
            known = near_hint(name, (*COUNTERS, *SHORT_NAMES), f"known are {', '.join(COUNTERS)}")
            raise ArgumentTypeError(f"'{name}' is not a counter: {known}")
    if not names:
        raise ArgumentTypeError(f"'{text}' names no counter")
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class PhaseOptions:
    """Which methods are phases, and what is counted while they run."""

    theta_weight: Annotated[
        float,
        Option(
            "a phase takes at least this share of the program's time, all its calls together",
            parse=share,
            metavar="SHARE",
            show=format_percent,
        ),
    ] = 0.01
    theta_grain: Annotated[
        float,
        Option(
            "a call of a phase takes at least this share of the program's time, on average",
            parse=share,
            metavar="SHARE",
            show=format_percent,
        ),
    ] = 0.001
    counters: Annotated[
        tuple[str, ...],
        Option(
            "the counters, separated by commas; allocations and allocated-bytes cost some percent",
            parse=counter_names,
            metavar="NAMES",
            show=",".join,
            suggested=COUNTERS,
        ),
    ] = DEFAULT_COUNTERS
    runs: Annotated[
        int,
        Option(
            "count in so many runs, after one that finds the phases, and report how much they vary; more runs where the"
            " hardware cannot count all counters at a time",
            parse=positive,
            metavar="N",
        ),
    ] = 1
    steps: Annotated[
        bool,
        Option("run the program twice: time every call, then count in the methods that are phases"),
    ] = False
    times: Annotated[
        Path | None,
        Option(
            "use this profile of sonde contexts --exact -o as the first of the two steps",
            parse=Path,
            metavar="FILE",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class PhaseViewOptions:
    """How much of a profile is shown."""

    rows: Annotated[int, Option("rows of each table", parse=positive, metavar="N")] = 20


@dataclass(frozen=True, slots=True)
class PhaseDiffOptions:
    """How much of a comparison is shown."""

    rows: Annotated[int, Option("rows of each table", parse=positive, metavar="N")] = 20
    min_change: Annotated[
        float,
        Option(
            "leave out phases whose time changed by less than this share of the program's",
            parse=share,
            metavar="SHARE",
            show=format_percent,
        ),
    ] = 0.01


@dataclass(frozen=True, slots=True)
class PhasePlanOptions:
    """How much of a plan is shown."""

    rows: Annotated[int, Option("rows of each table", parse=positive, metavar="N")] = 40
