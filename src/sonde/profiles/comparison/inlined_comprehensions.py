"""Making profiles of different Python versions comparable: comprehension frames, which 3.12 abolished.

Up to 3.11 a list, set or dict comprehension runs in a frame of its own; from 3.12 on (PEP 709) it is part
of the function around it. Dissolving those frames gives a profile the shape that it would have had.
"""

from dataclasses import replace

from sonde.profiles.context_profile import NO_PARENT, ContextProfile, contexts_from_self

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
    parent: list[int] = []
    function: list[int] = []
    line: list[int] = []
    calls: list[int] = []
    self_ns: list[int] = []
    vanished = 0
    for row, caller in enumerate(tree.parent):
        above = row_of[caller] if caller != NO_PARENT else NO_PARENT
        if above != NO_PARENT and is_comprehension[tree.function[row]]:
            row_of.append(above)
            self_ns[above] += tree.self_ns[row]
            vanished += tree.calls[row]
            continue
        row_of.append(len(parent))
        parent.append(above)
        function.append(tree.function[row])
        line.append(tree.call_line[row])
        calls.append(tree.calls[row])
        self_ns.append(tree.self_ns[row])
    contexts = contexts_from_self(parent=parent, function=function, call_line=line, calls=calls, self_ns=self_ns)
    return (
        replace(profile, contexts=contexts),
        vanished,
    )


def differ_in_comprehensions(before: ContextProfile, after: ContextProfile) -> bool:
    """Whether one profile has comprehension frames that the other cannot have."""
    have, others = ({_has_frames(process.python) for process in p.processes} for p in (before, after))
    return bool(have and others) and (True in have) != (True in others)


def _has_frames(python: str) -> bool:
    parts = python.split(".")
    if len(parts) < len(FIRST_WITHOUT_FRAMES) or not all(part.isdecimal() for part in parts[:2]):
        return False
    return (int(parts[0]), int(parts[1])) < FIRST_WITHOUT_FRAMES
