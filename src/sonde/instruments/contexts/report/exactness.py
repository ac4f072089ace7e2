"""How far the values of a profile can be trusted, in words."""

from sonde.base.units import counted, format_count, format_duration, format_share
from sonde.instruments.contexts.analysis.uncertainty import largest_error
from sonde.instruments.contexts.profile import ESTIMATE, SAMPLES, Approximation, ContextProfile, Sampling

_DURATION_STEPS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


def exactness(profile: ContextProfile) -> list[str]:
    """Say what the values of a profile are, as phrases for one line.

    >>> from sonde.instruments.contexts.profile import contexts_from_self
    >>> nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    >>> exactness(ContextProfile((), nothing))
    ['exact: every call in its context']
    >>> sample = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101)
    >>> exactness(ContextProfile((), nothing, sampling=sample))
    ['watched 10.1% of the run in 37 bursts of 2 ms', 'values scaled up', '± is a 95% interval']
    """
    if profile.has_units:
        return _of_units(profile)
    said = [] if profile.sampling is None else _sampled(profile.sampling)
    if profile.approximation is not None:
        said += _approximated(profile, profile.approximation)
    if not said:
        return ["exact: every call in its context" + (", but for the warnings below" if profile.losses else "")]
    return said


def doubt_text(counted: ContextProfile, shown: ContextProfile) -> str:
    """How far values can be trusted, in a line of at most 80 columns.

    Args:
        counted: the contexts as they were counted.
        shown: the same as they are shown: what was not kept in imports is known to be imports.
    """
    sampling, bounds = counted.sampling, counted.approximation
    has_lost = counted.left_something_out
    lost_calls = _share_of_lost_calls(shown)
    said = []
    if counted.has_units:
        return _of_units_in_short(counted)
    if sampling is not None and not sampling.has_calls:
        said.append(f"times estimated from {sampling.bursts:,} samples; ± is a 95% interval")
    elif sampling is not None and sampling.is_of_times_only:
        looks = f"times from {sampling.bursts:,} samples"
        said.append(f"{looks} (±: 95%)" if lost_calls else f"calls all counted; {looks}; ± is a 95% interval")
    elif sampling is not None:
        said.append(f"sampled: {100 * sampling.fraction:.3g}% of the run; ± is a 95% interval")
    if bounds is not None and has_lost:
        error, what = largest_error(counted), "self times" if bounds.metric == "time" else "call counts"
        if error and not said:
            said.append(f"{what} up to {metric_amount(bounds.metric, error)} too low")
        if not counted.pruned_contexts:  # else what was not read cannot be told from it
            lost = not_kept_share(shown)
            said.append(f"not kept: {lost}, {lost_calls} of calls" if lost_calls else f"{lost} was not kept")
    return "; ".join(said) or exactness(counted)[-1]


def _share_of_lost_calls(profile: ContextProfile) -> str:
    """What was called in contexts that were not kept, where times say which are: `96%`; empty: next to none."""
    bounds = profile.approximation
    if bounds is None or bounds.metric != "time" or not profile.has_calls or profile.pruned_contexts:
        return ""
    lost = profile.total_calls - sum(profile.contexts.calls)
    return format_share(lost, profile.total_calls) if lost >= _TOLD_FROM * profile.total_calls > 0 else ""


_TOLD_FROM = 0.001
"""Of all calls, of which it is said that they were not kept."""


def rounded_duration(duration_ns: int) -> str:
    """Write a duration that somebody chose: `2 ms`, `1.5 s`."""
    for step, unit in _DURATION_STEPS:
        if duration_ns >= step:
            return f"{duration_ns / step:.3g} {unit}"
    return f"{duration_ns} ns"


def small_share(share: float) -> str:
    """Write a share that may be tiny: `0.01%`, `2.3e-05%`, or not: `100%`."""
    return f"{100 * share:.2g}%" if share < 0.1 else f"{100 * share:.0f}%"


def metric_amount(metric: str, value: int) -> str:
    """Write a value of the approximation's metric: `199 us`, `1 call`."""
    return format_duration(value) if metric == "time" else counted(value, "call")


def _of_units(profile: ContextProfile) -> list[str]:
    calls = "entries of compiled functions all counted, whoever called them"
    is_corrected = SAMPLES in profile.run.clock.split(", ")
    split = f"divided among inlined functions and lines by {'samples and ' if is_corrected else ''}estimated costs"
    others = "Python functions, libraries" if _is_of_python(profile) else "libraries"
    outside = f"what {others} and the system do is not in the times"
    if profile.run.clock == SAMPLES and profile.sampling is not None:
        every = f"{profile.sampling.interval_ns / 1e3:.0f} us"
        looks = counted(profile.sampling.bursts, "sample")
        said = [f"processor time by {looks}, every {every}, of compiled functions", "± is a 95% interval", outside]
        return [calls, *said] if profile.total_calls else said
    if profile.run.clock == ESTIMATE:
        return [calls, "times not measured: estimated by kinds of instructions and guessed branches", split]
    if profile.sampling is None:
        return [calls, "times measured always", split, outside]
    share = small_share(profile.sampling.fraction)
    measured = f"times measured {profile.sampling.bursts:,} times, {share} of those that functions ran by themselves"
    return [calls, measured, "± is a 95% interval of what was measured, without the division", split, outside]


def _of_units_in_short(profile: ContextProfile) -> str:
    if profile.run.clock == SAMPLES and profile.sampling is not None:
        looks = counted(profile.sampling.bursts, "sample")
        counts = "" if profile.total_calls else "; calls not counted"
        return f"times by {looks} of compiled code{counts}; ± is a 95% interval"
    if profile.run.clock == ESTIMATE:
        left_out = "; Python functions left out" if _is_of_python(profile) else ""
        return f"calls all counted; times estimated, not measured{left_out}"
    how = "" if profile.sampling is None else " (± is a 95% interval)"
    inlined = "sampled" if SAMPLES in profile.run.clock.split(", ") else "estimated"
    if _is_of_python(profile):
        how = "" if profile.sampling is None else " (±: 95%)"
        return f"compiled functions measured{how}, inlined ones {inlined}; Python's left out"
    return f"times of compiled functions measured{how}, what is inlined {inlined}"


def _is_of_python(profile: ContextProfile) -> bool:
    """Whether compiled functions ran in a Python program."""
    return any(process.python for process in profile.processes)


def _sampled(sampling: Sampling) -> list[str]:
    if not sampling.has_calls:
        return _of_stacks(sampling)
    if sampling.is_of_times_only:
        every = rounded_duration(sampling.interval_ns)
        return [
            f"times from {counted(sampling.bursts, 'sample')}, every {every}",
            "± is a 95% interval",
            "calls all counted",
        ]
    bursts = counted(sampling.bursts, "burst")
    looked = f"watched {100 * sampling.fraction:.3g}% of the run in {bursts} of {rounded_duration(sampling.burst_ns)}"
    said = [looked, "values scaled up", "± is a 95% interval"]
    if sampling.adaptive:
        said.insert(1, f"where much was seen before, 1 burst in {1 / sampling.adaptive:.3g}")
    return said


def _of_stacks(sampling: Sampling) -> list[str]:
    rate = f"{1e9 / sampling.interval_ns:,.0f} a second"
    if sampling.asked_ns:
        rate += f" ({1e9 / sampling.asked_ns:,.0f} asked for)"
    late = f", {sampling.late:,} of them late" if sampling.late else ""
    return [
        f"estimates: {counted(sampling.bursts, 'sample')}, {rate}{late}",
        "± is a 95% interval",
        "no calls are counted",
    ]


def _approximated(profile: ContextProfile, bounds: Approximation) -> list[str]:
    what = bounds.metric
    is_part = bounds.whole is not None
    of_run = "run's " if is_part else ""
    said = [f"hot contexts: from {small_share(bounds.phi)} of the {of_run}{what} on"]
    of_all = " of what was seen" if profile.sampling else ""
    if not profile.left_something_out:
        kept = "nothing was left out" + of_all
        return [*said, kept if profile.sampling or profile.losses else f"{kept}: values are exact"]
    error, whole = largest_error(profile), profile.metric_total if bounds.whole is None else bounds.whole
    own, amount = ("self times", format_duration) if what == "time" else ("call counts", format_count)
    if error:
        share = f" ({small_share(error / whole)}{' of the run' if is_part else ''})" if whole else ""
        said.append(f"{own} at most {amount(error)}{share} too low")
    else:
        said.append(f"{own} of contexts kept are not too low")
    if profile.has_time:
        said.append(f"{'call counts' if what == 'time' else 'times'} are lower bounds")
    said.append(f"contexts not kept: at most {metric_amount(what, bounds.floor)}{of_all}")
    return said


def not_kept_share(profile: ContextProfile) -> str:
    """What contexts that were not kept hold together: `8.4% of the time`."""
    own = profile.contexts.self_ns if profile.has_time else profile.contexts.calls
    return f"{format_share(profile.whole - sum(own), profile.whole)} of the {'time' if profile.has_time else 'calls'}"
