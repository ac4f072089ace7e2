"""The time of each unit: a profile is read and its entries are linked, and what does not fit is said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sonde.evidence import Doubt
from sonde.instruments.decisions.model import Spread, TimeProfile
from sonde.instruments.decisions.readers.graal.linking import Links, link_by_id, link_by_name, link_samples
from sonde.instruments.decisions.readers.graal.log_index import LogLine
from sonde.instruments.decisions.time_profiles import is_proftool, profile_head, read_proftool, read_time_profile

_NAMED = 3
"""As many ids are named in a doubt."""


@dataclass(frozen=True, slots=True)
class UnitTimes:
    """What is known of the time of a run."""

    periods: Sequence[int]
    """Of each unit."""
    profile: TimeProfile | None = None
    compilation: Literal["JIT", "AOT"] | None = None
    execution_id: str | None = None
    loop_ids: frozenset[str] = frozenset()
    spreads: Mapping[int, Spread] = field(default_factory=dict)
    """Of units, by their places, how the time is spread."""
    doubts: list[Doubt] = field(default_factory=list)


def link_times(path: Path | None, units: Sequence[LogLine]) -> UnitTimes:
    """Read a profile of any kind, and say how long each unit ran.

    Args:
        path: None: there is none, and every unit has time 0.
    Raises:
        InputError: as reading the profile does.
    """
    if path is None:
        doubt = Doubt("no-time-profile", "no profile says where the time went: nothing is hot, nothing is weighed")
        return UnitTimes([0] * len(units), doubts=[doubt])
    if not is_proftool(profile_head(path)):
        return _link_other(path, units)
    read = read_proftool(path)
    link = link_by_id if read.compilation == "JIT" else link_by_name
    links = link(units, read.times.entries)
    same_run = read.compilation == "JIT" and not links.lost and read.times.total > 0
    doubts = [*_lost(links, read.times), *(_no_time(path, links) if same_run else _nothing_linked(path, links))]
    return UnitTimes(
        links.periods, read.times, read.compilation, read.execution_id, read.loop_ids, links.spreads, doubts
    )


def _link_other(path: Path, units: Sequence[LogLine]) -> UnitTimes:
    """Times of other tools: of compilations where they tell them, else of methods."""
    times = read_time_profile(path)
    links = link_by_id(units, times.entries)
    by_method = link_samples(units, (entry for entry in times.entries if entry.id is None))
    periods = [first + second for first, second in zip(links.periods, by_method.periods, strict=True)]
    links.found += by_method.found
    doubts = [*_lost(links, times), *_nothing_linked(path, links)]
    if by_method.found:
        guessed = sum(by_method.periods)
        share = f"{100 * guessed / times.total:.1f} % of the time" if times.total else "time"
        doubts.append(
            Doubt(
                "times-by-method",
                f"{times.source} in '{path}' does not say in which compilation {share} was spent: of each method the"
                " last unit gets it",
            )
        )
    for place, spread in by_method.spreads.items():
        links.spreads[place] += spread
    return UnitTimes(periods, times, spreads=links.spreads, doubts=doubts)


def _lost(links: Links, times: TimeProfile) -> list[Doubt]:
    if not links.lost or not links.found:
        return []
    heaviest = sorted(links.lost, key=lambda entry: -entry.period)[:_NAMED]
    shown = ", ".join(f"{entry.id} ({entry.name})" for entry in heaviest)
    more = ", ..." if len(links.lost) > _NAMED else ""
    period = sum(entry.period for entry in links.lost)
    share = f" ({100 * period / times.total:.1f} % of the time)" if times.total > 0 else ""
    text = f"compilations of Graal that the profile has{share} are not in the log: {shown}{more}"
    return [Doubt("compilations-not-in-log", text, len(links.lost))]


def _no_time(path: Path, links: Links) -> list[Doubt]:
    """Graal takes a while until it compiles, and until its code is there C1's runs."""
    if links.found:
        return []
    text = f"by the profile '{path}' no time was spent in code of Graal, all of it in code of C1 or in no compiled code"
    return [Doubt("no-time-in-units", text)]


def _nothing_linked(path: Path, links: Links) -> list[Doubt]:
    if links.found:
        return []
    return [
        Doubt(
            "profile-of-another-run",
            f"nothing in the profile '{path}' is about a unit of this log: is it of another run?",
        )
    ]
