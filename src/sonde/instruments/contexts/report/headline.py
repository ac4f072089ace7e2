"""What is hot, and what is no work of the program's functions, in sentences."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_share
from sonde.code import Function, has_known_place, origins_of
from sonde.instruments.contexts.analysis.function_groups import FunctionGroup, GroupedFunctions
from sonde.instruments.contexts.analysis.interpreter_costs import interpreter_cost
from sonde.instruments.contexts.analysis.project_callers import mostly_for
from sonde.instruments.contexts.analysis.uncertainty import DEVIATIONS_OF_95_PERCENT
from sonde.instruments.contexts.analysis.waiting_callers import heaviest_wait
from sonde.instruments.contexts.profile import COLLECTING, LOCK_WAITING, ContextProfile, is_stand_in, time_name
from sonde.instruments.contexts.report.node_label import place_of
from sonde.render.place_text import fitting_place

_NOTABLE = 0.01
"""Share of the whole from which something is worth a word."""
_FOREMOST = 0.5
"""Share from which waiting is what a program does, and is said first."""
_LONGEST_NAME, _LONGEST_PLACE = 36, 24


def headline(profile: ContextProfile, groups: GroupedFunctions) -> tuple[str, ...]:
    """The answer to "what is hot?".

    Args:
        profile: as it is shown.
        groups: of its functions.
    Guarantee: a function that is said to be hottest is so, whatever was not kept; of a sample, with a confidence of
        about 95 %. Where the order of the first two is not known, both are named.
    Cost: O(n).
    """
    whole = profile.whole
    if not whole:
        return ()
    imports, waiting = [*_interpreter(profile), *_imports(profile, groups)], _waiting(profile, groups)
    is_worth_it = any(group.own >= _NOTABLE * whole for group in groups.work[:1])
    hottest = _hottest(profile, groups) if is_worth_it or not (imports or waiting) else []
    if profile.run.time_kind == "tasks":  # where they wait is told of tasks
        return (*hottest, *imports)
    if groups.waiting >= _FOREMOST * whole:
        return (*waiting, *hottest, *imports)
    return (*hottest, *imports, *waiting)


def _hottest(profile: ContextProfile, groups: GroupedFunctions) -> list[str]:
    functions, whole = groups.functions, profile.whole
    work = groups.work
    origins = origins_of(functions)
    own = [
        group
        for group in work
        if origins[functions[group.function]] == "own" and has_known_place(functions[group.function])
    ]
    candidates = own if own and own[0].own >= _NOTABLE * whole else work
    if not candidates or candidates[0].own <= 0:
        return []
    of_project = candidates is own and candidates[0].function != work[0].function
    said = [_claim(profile, groups, candidates, " of this project" if of_project else "")]
    if of_project:
        first = work[0]
        most = f"{_name(functions[first.function])} has most: {format_share(first.own, whole)}"
        said.append(f"Of all code, {most}{_on_behalf(profile, first.function)}.")
    return said


def _on_behalf(profile: ContextProfile, function: int) -> str:
    found = mostly_for(profile, function)
    if found is None:
        return ""
    caller, share = found
    return f", {'for' if share == 1.0 else 'mostly for'} {_name(profile.functions[caller])}"


def _claim(profile: ContextProfile, groups: GroupedFunctions, candidates: Sequence[FunctionGroup], among: str) -> str:
    """What is hottest; what was not kept may all be of one function."""
    functions, whole, missing = groups.functions, profile.whole, profile.whole - groups.covered
    first = candidates[0]
    least = first.own - DEVIATIONS_OF_95_PERCENT * first.deviation
    rivals = [
        group for group in candidates[1:] if group.own + DEVIATIONS_OF_95_PERCENT * group.deviation + missing > least
    ]
    about = "about " if profile.sampling is not None else "at least " if missing > 0 else ""
    what = f"the {_metric(profile)}"
    most = "hottest" if profile.has_time else "called most"
    if rivals or missing > least:
        names = [_name(functions[group.function]) for group in (first, *rivals[:1])]
        shares = " and ".join(format_share(group.own, whole) for group in (first, *rivals[:1]))
        is_open = len(rivals) > 1 or missing > least
        named = f"{', '.join(names)} or another" if is_open else " or ".join(names)
        return f"{named} is {most}{among}: {about}{shares} of {what}."
    own, total = format_share(first.own, whole), format_share(first.total, whole)
    more = "" if own == total else f" itself, {total} with what it calls"
    if not profile.has_calls:
        reach = DEVIATIONS_OF_95_PERCENT * first.deviation
        ends = (max(0, first.own - reach), min(whole, first.own + reach))
        own += f" ({' to '.join(format_share(end, whole) for end in ends)})"
    return f"{_name(functions[first.function])} is {most}{among}: {about}{own} of {what}{more}."


def _imports(profile: ContextProfile, groups: GroupedFunctions) -> list[str]:
    if groups.imports < _NOTABLE * profile.whole:
        return []
    return [f"Imports {'took' if profile.has_time else 'made'} {format_share(groups.imports, profile.whole)}."]


def _interpreter(profile: ContextProfile) -> list[str]:
    """What the interpreter itself takes, where that is notable."""
    said = []
    for stand_in, what in ((LOCK_WAITING, "Waiting for the interpreter's lock"), (COLLECTING, "Garbage collection")):
        cost = interpreter_cost(profile, stand_in)
        if cost.own < _NOTABLE * profile.whole or not cost.own:
            continue
        most = f", {format_share(cost.of_caller, cost.own)} of it below {_name(cost.caller)}" if cost.caller else ""
        said.append(f"{what} took {format_share(cost.own, profile.whole)} of the {_metric(profile)}{most}.")
    return said


def _waiting(profile: ContextProfile, groups: GroupedFunctions) -> list[str]:
    if groups.waiting < _NOTABLE * profile.whole:
        return []
    # What is waited is in no processor time: there, it is what such functions do besides.
    what = "Functions that wait" if profile.has_time and profile.is_processor_time else "Waiting"
    said = f"{what} took {format_share(groups.waiting, profile.whole)} of the {_metric(profile)}"
    found = heaviest_wait(profile)
    if found is not None and found.own >= _NOTABLE * profile.whole:
        caller, callee = profile.functions[found.caller], profile.functions[found.callee]
        where = "" if caller == callee or is_stand_in(callee) else f", in {_short(callee.label)}"
        said += f": {_name(caller)} {format_share(found.own, profile.whole)}{where}"
    return [f"{said}."]


def _metric(profile: ContextProfile) -> str:
    if not profile.has_time:
        return "calls"
    return "time" if profile.is_wall_time else time_name(profile)


def _name(function: Function) -> str:
    if not function.file:
        return _short(function.label)
    return f"{_short(function.label)} ({fitting_place(place_of(function), _LONGEST_PLACE)})"


def _short(label: str) -> str:
    return keep_both_ends(label, _LONGEST_NAME)
