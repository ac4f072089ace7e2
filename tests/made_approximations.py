"""Profiles in bounded memory and samples, from outlines: with errors, with what was not kept, with deviations."""

from array import array
from dataclasses import replace

from sonde.instruments.contexts.profile import Approximation, ContextProfile, Sampling
from tree_builder import profile_of

BUSY = """
main 10
  parse @101 20
    token @201 500 x1000
  write @102 170 x3
"""
MAIN, PARSE, TOKEN, WRITE = range(4)

PAIR_OF_BURSTS = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101)


def bounded(
    outline: str = BUSY,
    *,
    errors: dict[int, int] | None = None,
    not_kept: dict[int, int] | None = None,
    not_kept_at_top: int = 0,
    metric: str = "time",
    phi: float = 0.1,
    clock: str = "tsc",
) -> ContextProfile:
    """A profile of which some contexts were given up: by row of the context above, their time or calls."""
    whole = profile_of(outline, clock=clock)
    tree = whole.contexts
    error = array("q", ((errors or {}).get(row, 0) for row in range(len(tree))))
    totals = array("q", tree.total_ns if clock != "none" else tree.total_calls)
    for row, weight in (not_kept or {}).items():
        while row >= 0:
            totals[row] += weight
            row = tree.parent[row]
    column = "total_ns" if clock != "none" else "total_calls"
    profile = replace(
        whole,
        contexts=replace(tree, error=error, **{column: totals}),
        approximation=Approximation(
            metric=metric,  # type: ignore[arg-type]
            phi=phi,
            epsilon=phi / 5,
            floor=max([0, *(errors or {}).values()]),
            counters=round(5 / phi),
        ),
        **{"pruned_root_ns" if clock != "none" else "pruned_root_calls": not_kept_at_top},  # type: ignore[arg-type]
    )
    profile.check_valid()
    return profile


def sampled(outline: str = BUSY, **deviations: int) -> ContextProfile:
    """A sample with standard errors by name of function."""
    profile = profile_of(outline)
    names = [profile.functions[function].name for function in profile.contexts.function]
    column = array("q", (deviations.get(name, 0) for name in names))
    contexts = replace(profile.contexts, calls_deviation=column, ns_deviation=column)
    return replace(profile, contexts=contexts, sampling=PAIR_OF_BURSTS)


def looked_at(times: dict[str, tuple[int, int]], *, interval_ns: int = 1_000_000) -> ContextProfile:
    """A sample of stacks: functions that `main` calls, with their milliseconds and their standard errors."""
    outline = "main 0\n" + "\n".join(
        f"  {name} @{line} {ms * 10**6} x0" for line, (name, (ms, _)) in enumerate(times.items(), start=101)
    )
    profile = profile_of(outline.replace("main 0", "main 0 x0"), clock="sampled")
    deviations = array("q", [0, *(deviation * 10**6 for _, deviation in times.values())])
    profile = replace(
        profile,
        contexts=replace(profile.contexts, ns_deviation=deviations),
        run=replace(profile.run, time_kind="processor"),
        sampling=Sampling(interval_ns, 0, profile.total_ns // interval_ns, 1.0, has_calls=False),
    )
    profile.check_valid()
    return profile
