"""Looking at one function: its contexts as the roots of a tree of their own."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from sonde.errors import UsageError
from sonde.profiles.context_profile import NO_PARENT, ContextProfile, contexts_from_self


def focus_on(profile: ContextProfile, name: str) -> ContextProfile:
    """Keep what ran in functions of a name, wherever they were called from.

    Args:
        profile: read whole.
        name: qualified name, its last part or parts (`parse` for `Parser.parse`), or a label as printed.
    Raises:
        UsageError: no function is called so.
    Guarantee: the total is the time in which at least one of these functions was on the stack of a thread.
    Cost: O(n).
    """
    wanted = [_is_called(function.name, function.label, name) for function in profile.functions]
    tree = profile.contexts
    row_of = array("q", [NO_PARENT]) * len(tree)
    rows: list[int] = []
    parent: list[int] = []
    for row, above in enumerate(tree.parent):
        caller = row_of[above] if above != NO_PARENT else NO_PARENT
        if caller == NO_PARENT and not wanted[tree.function[row]]:
            continue
        row_of[row] = len(rows)
        rows.append(row)
        parent.append(caller)
    if not rows:
        raise _nothing_called(name, [function.name for function in profile.functions])
    contexts = contexts_from_self(
        parent=parent,
        function=[tree.function[row] for row in rows],
        call_line=[tree.call_line[row] if above != NO_PARENT else 0 for row, above in zip(rows, parent, strict=True)],
        calls=[tree.calls[row] for row in rows],
        self_ns=[tree.self_ns[row] for row in rows],
    )
    return replace(profile, contexts=contexts)


def _is_called(qualified: str, label: str, name: str) -> bool:
    return name in (qualified, label) or qualified.endswith(f".{name}")


def _nothing_called(name: str, names: Sequence[str]) -> UsageError:
    from difflib import get_close_matches  # only needed to say no

    known = dict.fromkeys(form for full in names for form in (full, full.rpartition(".")[2]))
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    return UsageError(
        f"cannot focus on '{name}': no function that ran is called so",
        slug="no-such-function",
        hint=f"did you mean {', '.join(repr(each) for each in near)}?" if near else "sonde view lists the names",
    )
