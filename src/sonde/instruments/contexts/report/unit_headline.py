"""Which compiled function has most cycles, and whose code it is, in sentences."""

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import counted, format_share
from sonde.code import Function
from sonde.instruments.contexts.profile import ESTIMATE, NO_PARENT, ContextProfile
from sonde.instruments.contexts.report.node_label import place_of
from sonde.render.place_text import fitting_place

_LONGEST_NAME, _LONGEST_PLACE = 36, 24
_NOTABLE = 0.01
"""Share of the whole from which something is worth a word."""


def unit_headline(profile: ContextProfile) -> tuple[str, ...]:
    """The answer to "which compiled function has most cycles, and which inlined function has them?".

    Args:
        profile: of compiled functions, as it is shown.
    Cost: O(n).
    """
    tree, whole = profile.contexts, profile.whole
    units = [row for row, parent in enumerate(tree.parent) if parent == NO_PARENT]
    if not whole or not units:
        return ()
    of_unit = _units_of_rows(profile)
    first = max(units, key=lambda row: tree.total_ns[row])
    within, overall = dict[int, int](), dict[int, int]()
    for row, (function, own) in enumerate(zip(tree.function, tree.self_ns, strict=True)):
        overall[function] = overall.get(function, 0) + own
        if of_unit[row] == first:
            within[function] = within.get(function, 0) + own
    functions, share = profile.functions, tree.total_ns[first]
    means = "by estimate, " if profile.run.clock == ESTIMATE else ""
    calls = "" if not tree.calls[first] else ", in " + counted(tree.calls[first], "call")
    said = [
        f"{_name(functions[tree.function[first]])} has most cycles of the compiled functions:"
        f" {means}{format_share(share, whole)}{calls}."
    ]
    inner = max(within, key=within.__getitem__)
    part = format_share(within[inner], share)
    if inner != tree.function[first]:
        said.append(f"Of these, most are of {_name(functions[inner])}, inlined there: about {part}.")
    elif within[inner] < share:
        said.append(f"Of these, about {part} are its own, the others of inlined functions.")
    most = max(overall, key=overall.__getitem__)
    if most not in (inner, tree.function[first]) and overall[most] >= _NOTABLE * whole:
        said.append(f"Over all of them, {_name(functions[most])} has most: about {format_share(overall[most], whole)}.")
    return tuple(said)


def _units_of_rows(profile: ContextProfile) -> list[int]:
    """Of each context, the row of the compiled function that it is in."""
    found: list[int] = []
    for row, parent in enumerate(profile.contexts.parent):
        found.append(row if parent == NO_PARENT else found[parent])
    return found


def _name(function: Function) -> str:
    label = keep_both_ends(function.label, _LONGEST_NAME)
    return f"{label} ({fitting_place(place_of(function), _LONGEST_PLACE)})" if function.file else label
