"""What a profile of phases tells: what is slow, why, and when."""

from collections.abc import Iterator

from sonde.base.units import format_duration, format_percent, format_share
from sonde.evidence import Loss, Remark, Reservation, cut_off
from sonde.instruments.phases.analysis import LEAST_EXPLAINED
from sonde.instruments.phases.options import PhaseViewOptions
from sonde.instruments.phases.profile import PhaseProfile
from sonde.instruments.phases.report.plan_report import plan_table
from sonde.instruments.phases.report.timeline import timeline_of
from sonde.instruments.phases.report.told_phases import ToldPhase, ToldProfile
from sonde.instruments.phases.report.why import phases_to_tell, sentence_of, waiting_share, why_table
from sonde.report import Block, Column, Fact, Facts, Findings, Notices, Report, Row, Table, short_name

_MOST_SENTENCES = 3
_MOST_REGION_PHASES = 2
_NS_PER_S = 1e9
_LEAST_RUNS = 2


def phase_report(profile: PhaseProfile, options: PhaseViewOptions) -> Report:
    """The answer for a profile.

    Cost: O(n) for n calls, times phases and counters.
    """
    told = ToldProfile.of(profile)
    blocks: list[Block] = [_facts(told)]
    if told.methods:
        blocks += [_phase_table(told, options.rows)]
        if advice := _advice(told):
            blocks += [Findings(advice, "advice", "what to look at")]
        blocks += [why_table(told, min(options.rows, _MOST_WHY))]
    blocks += [_parts_table(told)]
    if told.longest is not None and len(told.longest.calls):
        blocks += [timeline_of(told, options.rows), *_region_table(told, options.rows)]
    blocks += [_counter_table(told)]
    if profile.plans:
        blocks += [plan_table(profile.plans, options.rows, title="other thresholds", is_secondary=True)]
    blocks += [Notices(_notices(told))]
    return Report("phases", " ".join(profile.command), tuple(blocks), profile.sources, headline=_headline(told))


_MOST_WHY = 10


def _headline(told: ToldProfile) -> tuple[str, ...]:
    profile = told.profile
    if not told.methods:
        return (f"No phase ran in {format_duration(profile.whole_ns)}.",)
    parts = phases_to_tell(told)
    if not parts:
        most = max(told.methods, key=lambda each: each.sum.own_ns)
        share, own = (format_share(ns, profile.whole_ns) for ns in (most.sum.total_ns, most.sum.own_ns))
        name = short_name(most.phase.function)
        grain = format_duration(round(profile.thetas.grain * profile.whole_ns))
        return (
            f"{name} is the whole program: {share} of the time, {own} without the phases that it calls.",
            f"No other part takes {grain} a call, the grain of a phase; sonde contexts tells of shorter ones.",
        )
    return (sentence_of(parts[0], profile),)


def _advice(told: ToldProfile) -> tuple[str, ...]:
    """Sentences for the phases but the first, of which the headline tells."""
    return tuple(sentence_of(each, told.profile) for each in phases_to_tell(told)[1 : 1 + _MOST_SENTENCES])


def _facts(told: ToldProfile) -> Facts:
    profile = told.profile
    planned = next((plan.cost for plan in profile.plans if plan.thetas == profile.thetas), None)
    facts = [
        Fact(
            "whole_ns", profile.whole_ns, "duration", "{} in all threads" if len(profile.threads) > 1 else "{} elapsed"
        ),
        Fact("methods", len(told.methods), "count", "{} phases", "{} phase"),
        Fact("calls", sum(each.sum.calls for each in told.methods), "count", "{} calls", "{} call"),
        Fact("threads", len(profile.threads), "count", "{} threads", "{} thread"),
        Fact("cost", profile.taken_ns / max(profile.whole_ns, 1), "share", "{} taken by watching, left out"),
    ]
    if len(profile.runs) >= _LEAST_RUNS:
        facts.append(Fact("runs", len(profile.runs), "count", "{} runs, aligned by calls", ""))
    if planned is not None:
        facts.append(Fact("planned_cost", planned, "share", "{} estimated before"))
    if told.consistencies.explained is not None:
        explained = max(told.consistencies.explained, 0.0)
        facts.append(Fact("explained", explained, "share", "phases explain {} of the variance between calls"))
    return Facts(tuple(facts))


def _phase_table(told: ToldProfile, most: int) -> Table:
    whole = told.profile.whole_ns
    columns = (
        Column("time", "time", "duration", whole, "both", is_hot=True, meaning="with all that it calls"),
        Column("own", "own", "duration", whole, "share", priority=1, meaning="without other phases that it calls"),
        *_between_runs_column(told.profile),
        Column("calls", "calls", "count"),
        Column("per_call", "a call", "duration", priority=1),
        Column(
            "waits",
            "waits",
            "share",
            1,
            "share",
            priority=2,
            meaning="share of its time in which its thread did not run",
        ),
        Column(
            "alike",
            "alike",
            "share",
            1,
            "share",
            priority=2,
            meaning="share of the variance of calls that knowing the phase explains",
        ),
        Column("longest", "longest", "duration", shown="details"),
        Column("varies", "varies", "share", 1, "details", meaning="coefficient of variation of its calls' lengths"),
        Column("function", "phase", "name"),
    )
    rows = [_phase_row(each, told.profile) for each in told.methods]
    legend = (
        "own: without other phases in it.\n"
        "alike: variance between calls that the phase explains; below 20%, it is none."
    )
    return Table("phases", "what", columns, rows, ("by time",), "phase", most, legend=legend)


def _between_runs_column(profile: PhaseProfile) -> tuple[Column, ...]:
    if len(profile.runs) < _LEAST_RUNS:
        return ()
    meaning = "largest difference of its time in a run from the mean of all runs, as a share of that"
    return (Column("between_runs", "± runs", "share", 1, "share", meaning=meaning),)


def _between_runs(each: ToldPhase, profile: PhaseProfile) -> tuple[float | None, ...]:
    if len(profile.runs) < _LEAST_RUNS:
        return ()
    times = [run.total_ns[each.sum.phase] for run in profile.runs]
    mean = sum(times) / len(times)
    return (max(abs(time - mean) for time in times) / mean if mean else None,)


def _phase_row(each: ToldPhase, profile: PhaseProfile) -> Row:
    explained = each.consistency.explained
    cells = (
        each.sum.total_ns,
        each.sum.own_ns,
        *_between_runs(each, profile),
        each.sum.calls,
        each.sum.total_ns / each.sum.calls if each.sum.calls else None,
        waiting_share(each, profile),
        None if explained is None else max(explained, 0.0),
        each.sum.longest_ns,
        each.consistency.length_variation,
        each.phase.function,
    )
    return Row(cells, tone="" if each.is_phase else "faint", mark="" if each.is_phase else "no phase:")


def _parts_table(told: ToldProfile) -> Table:
    profile = told.profile
    columns = (
        Column("time", "time", "duration", profile.whole_ns, "both", is_hot=True),
        Column("part", "part", "text"),
        *(
            Column(f"count_{at}", counter.name, counter.known.unit, max(profile.total(at), 1), "share", priority=at + 1)
            for at, counter in enumerate(profile.counters)
            if counter.name != "task-clock" and profile.total(at)
        ),
    )
    kept = [at for at, counter in enumerate(profile.counters) if counter.name != "task-clock" and profile.total(at)]
    rows = [
        Row((part.time_ns, part.name, *(part.counts[at] if part.name != "waiting" else None for at in kept)))
        for part in told.parts
        if part.time_ns
    ]
    has_clock = any(counter.name == "task-clock" for counter in profile.counters)
    note = "processor time, and waiting" if has_clock else "elapsed time"
    has_machine = any(not phase.is_method for phase in profile.phases)
    title = "the program and its virtual machine" if has_machine else "the program, and what it waits for"
    return Table("parts", title, columns, rows, (note,), "part")


def _region_table(told: ToldProfile, most: int) -> Iterator[Table]:
    profile, regions, thread = told.profile, told.regions, told.longest
    if len(regions) < 2 or thread is None:
        return
    counter = regions[0].counter
    rate = () if counter is None else (Column("rate", f"{profile.counters[counter].name} a second", "number"),)
    columns = (
        Column("from", "from", "duration"),
        Column("to", "to", "duration"),
        *rate,
        Column("phases", "phases", "text"),
    )
    rows = []
    for region in regions:
        names = ", ".join(
            f"{short_name(profile.phases[phase].function)} {format_percent(round(share, 2))}"
            for phase, share in region.phases[:_MOST_REGION_PHASES]
        )
        amounts = () if counter is None else (region.rate * _NS_PER_S,)
        rows.append(Row((region.start_ns, region.end_ns, *amounts, names)))
    by = "where the phase changes" if counter is None else f"where the rate of {profile.counters[counter].name} changes"
    yield Table("regions", f"regions of the {thread.name}", columns, rows, (by,), "region", most)


def _counter_table(told: ToldProfile) -> Table:
    profile = told.profile
    columns = (
        Column("total", "in all", "number"),
        Column("rate", "a second", "number", priority=1),
        Column("counter", "counter", "text"),
        Column("source", "from", "text"),
    )
    rows = [
        Row(
            (
                profile.total(at),
                profile.total(at) / profile.whole_ns * _NS_PER_S if profile.whole_ns else None,
                counter.name,
                counter.source + (", shared with others (too low)" if counter.is_multiplexed else ""),
            )
        )
        for at, counter in enumerate(profile.counters)
    ]
    return Table("counters", "counters", columns, rows, (), "counter", is_detail=True)


def _notices(told: ToldProfile) -> tuple[Reservation, ...]:
    profile = told.profile
    said: list[Reservation] = [] if profile.is_complete else [cut_off()]
    said += profile.losses
    if shared := [counter.name for counter in profile.counters if counter.is_multiplexed]:
        detail = "counters had to share the hardware: what they counted is too little, and is not scaled"
        said.append(Loss("counters-shared", len(shared), detail, examples=", ".join(shared)))
    if none := [short_name(each.phase.function) for each in told.methods if not each.is_phase]:
        detail = f"no phases: {', '.join(none)}: knowing them explains less than {LEAST_EXPLAINED:.0%} of the variance"
        said.append(Remark("", detail))
    return tuple(said)
