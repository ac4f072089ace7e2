"""The activation-bias plot: what each profiler adds to functions' shares, by how often they are called."""

import numpy as np

from sonde.instruments.audit.analysis import comparable_functions, shares_of
from sonde.instruments.audit.profile import DENSE, AuditProfile
from sonde.report import Plot, Sample, short_name

_MOST_FUNCTIONS = 30
"""The most called ones: the others lie on one spot."""


def bias_plot(profile: AuditProfile) -> Plot | None:
    """One colour for each profiler, one dot for each function; None where calls were not counted."""
    among = comparable_functions(profile)
    dense = shares_of([run.own for run in profile.answers_of(DENSE)], among)
    calls = shares_of([{number: float(count) for number, count in profile.calls.items()}], among)
    if not len(dense) or not len(calls):
        return None
    numbers = np.argsort(-calls[0], kind="stable")[:_MOST_FUNCTIONS][::-1]
    samples = []
    for profiler in profile.profilers:
        answers = shares_of([run.own for run in profile.answers_of(profiler.name)], among)
        if not len(answers):
            continue
        added = answers - dense.mean(axis=0)
        samples += [
            Sample(
                short_name(profile.functions[number]),
                tuple(float(each) for each in added[:, number]),
                "1",
                mean=float(added[:, number].mean()),
                group=profiler.name,
                at=float(calls[0, number]),
            )
            for number in numbers
        ]
    if not samples:
        return None
    return Plot(
        "bias",
        "scatter",
        "what each profiler adds to a function's share, by its share of all calls",
        tuple(samples),
        legend="one dot for each function; a profiler whose dots rise to the right counts calls in place of time",
        axis="share of all calls",
        is_detail=True,
    )
