"""Making profiles of different Python versions comparable: comprehension frames, which 3.12 abolished.

Up to 3.11 a list, set or dict comprehension runs in a frame of its own; from 3.12 on (PEP 709) it is part
of the function around it. Dissolving those frames gives a profile the shape that it would have had.
"""

from array import array
from dataclasses import replace
from operator import sub

from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile
from sonde.instruments.contexts.profile.deviations import are_independent, regrouped_deviations

FIRST_WITHOUT_FRAMES = (3, 12)


def dissolve_comprehensions(profile: ContextProfile) -> tuple[ContextProfile, int]:
    """Give the time of comprehension frames, and the calls made from them, to the function around them.

    Returns:
        the profile, and how many calls vanished with the frames.
    Guarantee: the total time is unchanged; the total calls shrink by the second result.
    Cost: O(n).
    """
    tree = profile.contexts
    is_comprehension = [function.kind == "comprehension" for function in profile.functions]
    row_of: list[int] = []
    rows: list[int] = []
    parent: list[int] = []
    own_ns: list[int] = []
    error: list[int] = []
    gone: list[int] = []
    errors = profile.errors()
    for row, caller in enumerate(tree.parent):
        above = row_of[caller] if caller != NO_PARENT else NO_PARENT
        if above != NO_PARENT and is_comprehension[tree.function[row]]:
            row_of.append(above)
            own_ns[above] += tree.self_ns[row]
            gone[above] += tree.calls[row]
            if profile.metric == "time":
                error[above] += errors[row]
            continue
        row_of.append(len(rows))
        rows.append(row)
        parent.append(above)
        own_ns.append(tree.self_ns[row])
        error.append(errors[row])
        gone.append(0)
    vanished = sum(gone)
    for row in range(len(rows) - 1, -1, -1):
        if parent[row] != NO_PARENT:
            gone[parent[row]] += gone[row]
    kept = tree.of_rows(rows)
    contexts = replace(
        kept,
        parent=array("q", parent),
        self_ns=array("q", own_ns),
        total_calls=array("q", map(sub, kept.total_calls, gone)),
        error=array("q", error) if len(kept.error) else (),
        ns_deviation=regrouped_deviations(
            tree.ns_deviation, row_of, len(rows), independent=are_independent(profile.sampling)
        ),
    )
    return replace(profile, contexts=contexts), vanished


def differ_in_comprehensions(before: ContextProfile, after: ContextProfile) -> bool:
    """Whether one profile has comprehension frames that the other cannot have."""
    have, others = ({_has_frames(process.python) for process in p.processes} for p in (before, after))
    return bool(have and others) and (True in have) != (True in others)


def _has_frames(python: str) -> bool:
    parts = python.split(".")
    if len(parts) < len(FIRST_WITHOUT_FRAMES) or not all(part.isdecimal() for part in parts[:2]):
        return False
    return (int(parts[0]), int(parts[1])) < FIRST_WITHOUT_FRAMES
