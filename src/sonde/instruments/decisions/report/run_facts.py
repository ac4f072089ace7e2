"""What a run is: which compiler, what measured the time, how much of it is told, and what is doubtful."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sonde.base.units import counted, format_count
from sonde.evidence import Doubt, Reservation
from sonde.instruments.decisions.analysis.shares import total_share
from sonde.instruments.decisions.analysis.words import COMPILERS
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import TimeProfile
from sonde.report import Block, Column, Fact, Facts, Notices, Row, Table, Unit

_MOST_KINDS = 6
"""Kinds of doubts that are told; JSON has all."""


def run_facts(experiment: Experiment, key: str, *, side: str = "") -> Iterator[Facts]:
    """What a run is, and what only programs want to know of it.

    Args:
        side: what it is called in a comparison.
    """
    run = experiment.run
    profile = run.profile
    facts = [Fact("run", run.name, words=f"{side}: {{}}")] if side else []
    facts += [
        Fact("compiler", COMPILERS[run.kind], words=f"{{}} {run.compilation}" if run.compilation else "{}"),
        Fact("units", len(run.units), "count", "{} units", "{} unit"),
    ]
    if profile is None:
        facts.append(Fact("profile", None, words="no time profile"))
    else:
        facts += [Fact("profile", profile.source, words="time by {}"), _total(profile)]
        if profile.samples is not None and profile.unit != "samples":
            facts.append(Fact("samples", profile.samples, "count", "{} samples", "{} sample"))
        facts += [
            Fact(name, share, "share", f"{'-' if share is None else '{}'} in {units}")
            for name, units, share in (
                ("compiled_share", "these units", total_share(experiment, only_hot=False)),
                ("hot_share", counted(len(experiment.hot), "hot unit"), total_share(experiment, only_hot=True)),
            )
        ]
    if run.execution_id:
        facts.append(Fact("execution_id", run.execution_id, words="execution {}"))
    yield Facts(tuple(facts), key, is_detail=True)
    details = [
        Fact("name", run.name),
        Fact("kind", run.kind),
        Fact("compilation", run.compilation),
        Fact("offsets", run.offsets),
        Fact("lines_from", run.lines_from),
        Fact("hot_units", len(experiment.hot), "count"),
    ]
    if profile is not None:
        details += [
            Fact("profile_unit", profile.unit),
            Fact("profile_samples", profile.samples, "count"),
            Fact("profile_entries", len(profile.entries), "count"),
        ]
    yield Facts(tuple(details), f"{key}-details", is_secondary=True)


def period_unit(profile: TimeProfile) -> Unit:
    """In what the times of a run are told; those that are no durations are counts of `profile.unit`."""
    return "duration" if profile.unit == "nanoseconds" else "count"


def doubt_blocks(experiments: Sequence[Experiment], sides: Sequence[str]) -> Iterator[Notices | Table]:
    """What is missing or wrong: of each kind one, with how many there are; and all of them for programs."""
    notices: list[Reservation] = []
    rows: list[Row] = []
    for experiment, side in zip(experiments, sides, strict=True):
        before = f"{side}: " if side else ""
        kinds: dict[str, list[Doubt]] = {}
        for doubt in experiment.run.doubts:
            kinds.setdefault(doubt.kind, []).append(doubt)
            rows.append(Row((doubt.detail, doubt.kind, max(1, doubt.amount), side or None)))
        for slug, doubts in list(kinds.items())[:_MOST_KINDS]:
            count = sum(max(1, doubt.amount) for doubt in doubts)
            notices.append(Doubt(slug, f"{before}{doubts[0].detail}", amount=count if count > 1 else 0))
        if len(kinds) > _MOST_KINDS:
            more = f"{before}{format_count(len(kinds) - _MOST_KINDS)} more kinds of doubts: --json lists them"
            notices.append(Doubt("", more))
    if notices:
        yield Notices(tuple(notices))
        columns = (
            Column("text", "doubt"),
            Column("slug", "kind"),
            Column("count", "times", "count"),
            Column("side", "run"),
        )
        yield Table("all-doubts", "doubts", columns, rows, is_secondary=True)


def notices_last(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """All notices in one block at the end, which is where they are read: losses, doubts, remarks, each in order."""
    every = [notice for block in blocks if isinstance(block, Notices) for notice in block.notices]
    weights = ("loss", "doubt", "remark")
    ordered = tuple(sorted(every, key=lambda notice: weights.index(notice.weight)))
    others = tuple(block for block in blocks if not isinstance(block, Notices))
    return (*others, Notices(ordered)) if ordered else others


def page_blocks(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same for a page, which has room for what the runs are, and has remarks at its end, not at its head."""
    seen = [replace(block, is_detail=False) if isinstance(block, Facts) else block for block in notices_last(blocks)]
    told: list[Block] = []
    for block in seen:
        if isinstance(block, Notices):
            for key, weights in (("notices", ("loss", "doubt")), ("remarks", ("remark",))):
                if chosen := tuple(notice for notice in block.notices if notice.weight in weights):
                    told.append(Notices(chosen, key))
        else:
            told.append(block)
    return tuple(told)


def _total(profile: TimeProfile) -> Fact:
    unit = period_unit(profile)
    if unit == "duration":
        return Fact("total", profile.total, unit)
    return Fact("total", profile.total, unit, f"{{}} {profile.unit}", f"{{}} {profile.unit[:-1]}")
