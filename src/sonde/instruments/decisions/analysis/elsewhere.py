"""Where a method's code is on the side on which it is not hot by itself: in which units, or nowhere."""

from sonde.instruments.decisions.analysis.shares import share_of_run, share_text
from sonde.instruments.decisions.experiments import Experiment, Fragment
from sonde.render.name_text import short_name

_MOST_UNITS = 3
"""Units that are named."""

_NAME = 40


def whereabouts(experiment: Experiment, method: str) -> str:
    """Where the method is, in words, most time first: compiled by itself, inlined into hot units, or neither."""
    parts: list[str] = []
    compilations = experiment.compilations(method)
    own = [one for one in compilations if not isinstance(one, Fragment)]
    into: dict[int, Fragment] = {one.parent.number: one for one in compilations if isinstance(one, Fragment)}
    if own:
        hot = [one for one in own if experiment.is_hot(one)]
        share = share_of_run(experiment.run, sum(one.period for one in own))
        times = "" if len(own) == 1 else f" {len(own)} times"
        parts.append(f"compiled by itself{times} ({share_text(share)}{'' if hot else ', cold'})")
    if into:
        parents = sorted((one.parent for one in into.values()), key=lambda unit: -unit.period)
        named = [
            f"{short_name(unit.method, _NAME)} ({share_text(share_of_run(experiment.run, unit.period))})"
            for unit in parents[:_MOST_UNITS]
        ]
        if len(parents) > _MOST_UNITS:
            named.append(f"{len(parents) - _MOST_UNITS} more")
        parts.append(f"inlined into {', '.join(named)}")
    if not parts:
        return "not compiled, and not inlined into a hot unit"
    return "; ".join(parts)
