"""Where a profile comes from and what it lacks, for formats that have room to say it."""

import shlex
from collections import Counter
from dataclasses import asdict

from sonde import __version__
from sonde.formats.frame_name import NOT_LISTED, plain_text
from sonde.formats.metric import Metric
from sonde.instruments.contexts.profile import Approximation, ContextProfile, Sampling, clock_text, watching_cost_text

EXPORTER = f"sonde {__version__}"


def title(profile: ContextProfile) -> str:
    """The command that was measured, or what stands for it."""
    return plain_text(shlex.join(profile.run.command)) or "sonde profile"


def statements(profile: ContextProfile) -> list[str]:
    """One sentence per fact: what was run, how it was measured, how exactly, and everything that is missing."""
    run = profile.run
    said = [f"written by {EXPORTER} from: {title(profile)}"]
    for mechanism, processes in Counter(process.mechanism for process in profile.processes).items():
        said.append(f"measured by {mechanism} in {processes} process{'es' if processes != 1 else ''}")
    if profile.has_time and profile.run.time_kind != "wall":
        said.append(clock_text(profile))
    else:
        said.append(f"clock: {run.clock}" if profile.has_time else "clock: none, calls were counted but not timed")
    if cost := watching_cost_text(profile):
        said.append(cost)
    if not run.complete:
        said.append("incomplete: the run was cut off and this is what could be recovered")
    if profile.approximation is not None and not profile.left_something_out:
        said += _bounds(profile, profile.approximation)
    said += doubts(profile)
    said += [f"missing: {loss.kind}: {loss.amount}: {loss.detail}" for loss in profile.losses]
    if profile.pruned_contexts:
        said.append(
            f"missing: {profile.pruned_contexts} lighter contexts were not read; what is known of their weight"
            f" is in '{NOT_LISTED}' below their callers, or at the top"
        )
    return [plain_text(sentence) for sentence in said]


def doubts(profile: ContextProfile) -> list[str]:
    """How far values may be from the truth, and why: one sentence each; none for a profile with all that was counted.

    >>> from sonde.instruments.contexts.profile import contexts_from_self
    >>> nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    >>> bounds = Approximation(metric="calls", phi=0.1, epsilon=0.02, floor=3, counters=50)
    >>> doubts(ContextProfile((), nothing, approximation=bounds))[1]
    'approximate: call counts of listed contexts are at most 0 calls too low, no context given up has more than 3 calls'
    """
    said = []
    if profile.sampling is not None:
        said += [f"sampled: {fact}" for fact in _sampled(profile, profile.sampling)]
    if profile.approximation is not None and profile.left_something_out:
        said += [f"approximate: {fact}" for fact in _bounds(profile, profile.approximation)]
    return said


def record(profile: ContextProfile, metric: Metric) -> dict[str, object]:
    """The same as fields, for formats that hold JSON."""
    run = profile.run
    return {
        "exporter": EXPORTER,
        "metric": metric,
        "aggregate": "one box per calling context, callees packed left to right: widths are sums over the"
        " whole run, positions are not moments in time",
        "command": [plain_text(word) for word in run.command],
        "started_at": run.started_at,
        "duration_ns": run.duration_ns,
        "ended": plain_text(run.ended),
        "clock": run.clock,
        "time_kind": run.time_kind,
        "unseen_wait_ns": run.unseen_wait_ns,
        "taken_ns": profile.taken_ns,
        "complete": run.complete,
        "mechanisms": sorted({process.mechanism for process in profile.processes}),
        "losses": [
            {"kind": loss.kind, "amount": loss.amount, "detail": plain_text(loss.detail)} for loss in profile.losses
        ],
        "pruned_contexts": profile.pruned_contexts,
        "pruned_root_calls": profile.pruned_root_calls,
        "pruned_root_ns": profile.pruned_root_ns,
        "approximation": profile.approximation and asdict(profile.approximation),
        "sampling": profile.sampling and asdict(profile.sampling),
        "doubts": doubts(profile),
    }


def _sampled(profile: ContextProfile, sampling: Sampling) -> list[str]:
    bursts = f"{sampling.bursts} burst{'' if sampling.bursts == 1 else 's'} of {sampling.burst_ns} ns"
    looked = f"{_share(sampling.fraction)} of the run was watched, in {bursts}, {sampling.interval_ns} ns apart"
    if sampling.adaptive is not None:
        looked += f" (where much was seen before, {_share(sampling.adaptive)} of the bursts took place)"
    said = [f"{looked}; values are scaled up to the whole run"]
    if not sampling.has_calls:
        samples = f"{sampling.bursts} samples of its stacks, {sampling.interval_ns} ns apart on average"
        said = [f"{samples}; times are estimates, and calls were not counted"]
    tree = profile.contexts
    largest = [f"{max(tree.calls_deviation)} calls"] if len(tree.calls_deviation) else []
    if profile.has_time and len(tree.ns_deviation):
        largest.append(f"{max(tree.ns_deviation)} ns")
    if largest:
        most = " and ".join(largest)
        said.append(
            f"standard errors of a listed context's own values are at most {most}; each is in the profile alone"
        )
    return said


def _bounds(profile: ContextProfile, bounds: Approximation) -> list[str]:
    """What counting in bounded memory kept, and what that cost."""
    own, other = ("self times", "call counts") if bounds.metric == "time" else ("call counts", "self times")
    unit = "ns" if bounds.metric == "time" else "calls"
    # Bounds tell what bounded memory cost. What a sample never saw is not in them.
    seen = ", scaled up from what was watched" if profile.sampling is not None else ""
    of = "" if bounds.whole is None else "run's "
    least = f"{_share(bounds.phi)} of the {of}{bounds.metric}, that is {profile.hot_threshold} {unit}"
    said = [f"hot contexts have at least {least}; {bounds.counters} were monitored at once"]
    if not profile.left_something_out:
        return [*said, f"no context was given up, {own} are what was counted{seen}"]
    largest_error = max(profile.contexts.error, default=0)
    said.append(
        f"{own} of listed contexts are at most {largest_error} {unit} too low, no context given up has more than"
        f" {bounds.floor} {unit}{seen}"
    )
    if profile.has_time:
        said.append(f"{other} are lower bounds{seen}")
    return [*said, f"what contexts given up had is in '{NOT_LISTED}' below their callers, or at the top"]


def _share(share: float) -> str:
    return f"{100 * share:.3g}%"
