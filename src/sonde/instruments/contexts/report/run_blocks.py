"""What was run and by which means, how far that can be trusted, and what is missing, as blocks of a report."""

from dataclasses import asdict
from shlex import join

from sonde.base.units import counted, format_share
from sonde.evidence import Doubt, Loss, cut_off
from sonde.instruments.contexts.analysis.uncertainty import largest_error, not_kept_below
from sonde.instruments.contexts.analysis.unseen_waiting import unseen_waiting
from sonde.instruments.contexts.profile import (
    ContextProfile,
    MeasuredProcess,
    clock_text,
    time_name,
    watching_cost_text,
)
from sonde.instruments.contexts.report.exactness import doubt_text, exactness, metric_amount, not_kept_share
from sonde.report import Block, Column, Fact, Facts, Notices, Row, Table, Unit

_NOTABLE = 0.1
"""Share of the time from which it is worth saying that it was waited."""

_IN = {"wall": "{} in threads", "tasks": "{} in tasks"}
"""What time was spent in, by its kind."""
_PROCESS_COLUMNS = (
    Column("pid", "process", "number"),
    Column("parent_pid", "started by", "number"),
    Column("command", "command"),
    Column("python", "Python"),
    Column("mechanism", "mechanism"),
    Column("threads", "threads", "count"),
    Column("calls", "calls", "count"),
    Column("ended", "ended"),
    Column("taken_ns", "taken out", "duration", meaning="what it cost to watch the calls"),
)
"""Keys are the fields of `MeasuredProcess`."""

_COST_COLUMNS = (
    Column("call_cost", "cost of a call", "duration", meaning="of seeing it begin and end"),
    Column("builtin_cost", "cost of a builtin", "duration", meaning="of seeing a call of a C function begin and end"),
)


def command_text(profile: ContextProfile) -> str:
    """What was run, as a title."""
    return " ".join(profile.run.command) or "(command not recorded)"


def head(profile: ContextProfile) -> Facts:
    """What was run, how long, how much."""
    return Facts(_totals(profile), "run")


def doubt(profile: ContextProfile, shown: ContextProfile) -> Facts:
    """How far what is shown can be trusted, in a line."""
    return Facts((Fact("doubt", doubt_text(profile, shown)),), "doubt")


def means(profile: ContextProfile) -> tuple[Facts, ...]:
    """By which means it was measured, and how far that can be trusted, at length."""
    watching = watching_cost_text(profile)
    said = exactness(profile)
    if profile.left_something_out and not profile.pruned_contexts:
        said[-1] += f", together {not_kept_share(profile)}"
    return (
        Facts(tuple(Fact(f"exactness_{i}", text) for i, text in enumerate(said, 1)), "exactness", is_detail=True),
        Facts(_means(profile), "means", is_detail=True),
        *([Facts((Fact("watching", watching),), "watching", is_detail=True)] if watching else ()),
    )


def summary(profile: ContextProfile) -> str:
    """What is in a profile, and how far it may be off, in a line."""
    calls = f", {counted(profile.total_calls, 'call')}" if profile.has_calls else ""
    contents = f"{counted(len(profile.contexts), 'context')}{calls}"
    bounds = profile.approximation
    most = 0 if bounds is None else max(bounds.floor, max(profile.errors(), default=0))
    if bounds is None or not most:
        return f"{contents}, {'sampled' if profile.sampling else 'exact'}"
    amount = metric_amount(bounds.metric, most)
    share = 100 * most / profile.metric_total if profile.metric_total else 0.0
    of_what = "time in threads" if bounds.metric == "time" else "calls"
    sampled = " of what was sampled" if profile.sampling else ""
    return f"{contents}; no context has more than {amount}{sampled} beyond its value ({share:.2g}% of the {of_what})"


def reservations(profile: ContextProfile, hottest: int) -> Notices:
    """What the profile does not hold, and how much of its time may be waiting.

    Args:
        hottest: own weight of the hottest function.
    """
    notices: list[Loss | Doubt] = [Loss(loss.kind, loss.amount, loss.detail) for loss in profile.losses]
    if not profile.run.complete:
        notices.insert(0, cut_off())
    unseen = unseen_waiting(profile)
    if unseen and unseen >= max(_NOTABLE * profile.total_ns, hottest / 2):
        are_c_functions_seen = any(function.kind == "builtin" for function in profile.functions)
        hint = "" if are_c_functions_seen else "--builtins tells which C functions wait; "
        hint += "--clock cpu leaves waiting out"
        share = format_share(unseen, profile.total_ns)
        notices.append(
            Doubt("waiting-unseen", f"at least {share} of the time was waiting that counts as work", hint=hint)
        )
    return Notices(tuple(notices))


def details(profile: ContextProfile, before: str = "") -> tuple[Block, ...]:
    """What programs may want to know of a run, and paper has no room for.

    Args:
        before: of two profiles, what the keys of this one's blocks begin with.
    """
    run = profile.run
    facts = (
        Fact("command", join(run.command)),
        Fact("machine", run.machine),
        Fact("sonde_version", run.sonde_version),
        Fact("complete", run.complete),
        *([Fact("unseen_wait", run.unseen_wait_ns, "duration")] if profile.is_processor_time else ()),
    )
    blocks: list[Block] = [Facts(facts, f"{before}details", is_secondary=True)]
    if before:
        blocks.append(Facts((*_totals(profile), *_means(profile)), f"{before}run", is_secondary=True))
    if profile.processes:
        rows = [
            Row((*(getattr(each, column.key) for column in _PROCESS_COLUMNS), *(*each.costs_ns, None, None)[:2]))
            for each in profile.processes
        ]
        columns = (*_PROCESS_COLUMNS, *_COST_COLUMNS)
        blocks.append(Table(f"{before}processes", "processes", columns, rows, is_secondary=True))
    blocks += [
        Facts(facts, f"{before}{key}", is_secondary=True)
        for key, facts in (("approximation", _approximation(profile)), ("sampling", _sampling(profile)))
        if facts
    ]
    return tuple(blocks)


def _totals(profile: ContextProfile) -> tuple[Fact, ...]:
    run = profile.run
    contexts = len(profile.contexts) + profile.pruned_contexts
    return (
        *([Fact("elapsed", run.duration_ns, "duration", "{} elapsed")] if run.duration_ns else ()),
        *(
            [
                Fact(
                    "in_threads",
                    profile.total_ns,
                    "duration",
                    _IN.get(profile.run.time_kind, f"{{}} of {time_name(profile)}"),
                )
            ]
            if profile.has_time
            else ()
        ),
        *([Fact("calls", profile.total_calls, "count", "{} calls", "{} call")] if profile.has_calls else ()),
        Fact("contexts", contexts, "count", "{} contexts", "{} context"),
        *([Fact("ended", run.ended)] if run.ended else ()),
    )


def _means(profile: ContextProfile) -> tuple[Fact, ...]:
    processes = profile.processes
    facts = []
    if processes:
        threads = sum(process.threads for process in processes)
        interpreters = dict.fromkeys(map(_seen_by, processes))
        facts = [
            Fact("processes", len(processes), "count", "{} processes", "{} process"),
            *([Fact("threads", threads, "count", "{} threads", "{} thread")] if threads else ()),
            *(Fact(f"interpreter_{i}", text) for i, text in enumerate(interpreters, 1)),
        ]
    facts.append(Fact("clock", profile.run.clock, words=clock_text(profile, "{}")))
    if profile.run.started_at:
        facts.append(Fact("started_at", profile.run.started_at))
    return tuple(facts)


def _seen_by(process: MeasuredProcess) -> str:
    return f"Python {process.python}, {process.mechanism}" if process.python else f"compiled code, {process.mechanism}"


def _approximation(profile: ContextProfile) -> tuple[Fact, ...]:
    bounds = profile.approximation
    if bounds is None:
        return ()
    unit: Unit = "duration" if bounds.metric == "time" else "count"
    known = asdict(bounds)
    facts = [
        Fact("metric", bounds.metric),
        *(Fact(key, known[key], "share") for key in ("phi", "epsilon")),
        *(Fact(key, known[key], unit) for key in ("floor", "whole")),
        Fact("counters", bounds.counters, "count"),
        Fact("hot_threshold", profile.hot_threshold, unit),
        Fact("largest_error", largest_error(profile), unit),
    ]
    if not profile.pruned_contexts:  # else what was not kept cannot be told from what was only not read
        tree = profile.contexts
        calls = profile.pruned_root_calls + sum(not_kept_below(tree.parent, tree.calls, tree.total_calls))
        facts.append(Fact("not_kept_calls", calls, "count"))
        if profile.has_time:
            ns = profile.pruned_root_ns + sum(not_kept_below(tree.parent, tree.self_ns, tree.total_ns))
            facts.append(Fact("not_kept_time", ns, "duration"))
    return tuple(facts)


def _sampling(profile: ContextProfile) -> tuple[Fact, ...]:
    sampling = profile.sampling
    if sampling is None:
        return ()
    return (
        Fact("interval", sampling.interval_ns, "duration"),
        Fact("burst", sampling.burst_ns, "duration"),
        Fact("bursts", sampling.bursts, "count"),
        Fact("fraction", sampling.fraction, "share"),
        Fact("adaptive", sampling.adaptive, "share"),
        *(
            []
            if sampling.has_calls
            else [
                Fact("asked_interval", sampling.asked_ns, "duration"),
                Fact("late", sampling.late, "count"),
                Fact("has_calls", False),
            ]
        ),
    )
