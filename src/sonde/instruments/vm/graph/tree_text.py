"""Any tree as an outline: dominators, nests of loops."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sonde.base.fitted_text import display_width, keep_start, pad, printable
from sonde.instruments.vm.graph.plain_letters import in_plain_letters

Item = TypeVar("Item")

MOST_GUIDE = 0.5
"""Share of the page for guides; of deeper ones the left part is cut."""


def tree_text(
    roots: Sequence[Item],
    children: Callable[[Item], Sequence[Item]],
    name: Callable[[Item], str],
    note: Callable[[Item], str] = lambda _: "",
    *,
    width: int = 80,
    is_plain: bool = False,
) -> str:
    """Print a forest, one name in a line, indented below what it belongs to, notes in a column after the names.

    Args:
        children: what to print below a name, in order. The forest must have no cycles.
        is_plain: draw with ASCII letters only.
    Cost: O(n) lines; no recursion.

    >>> below = {"%entry": ["%head"], "%head": ["%body", "%exit"]}
    >>> note = {"%head": "loop"}
    >>> print(tree_text(["%entry"], lambda name: below.get(name, []), str, lambda name: note.get(name, "")))
    %entry
    └─ %head  loop
       ├─ %body
       └─ %exit
    """
    lines: list[tuple[str, str]] = []
    pending = [("", "", root) for root in reversed(roots)]
    longest = int(width * MOST_GUIDE)
    while pending:
        guide, below, item = pending.pop()
        if len(guide) > longest:
            guide = "…" + guide[len(guide) - longest + 1 :]
        lines.append((guide + printable(name(item)), printable(note(item))))
        last = True
        for child in reversed(children(item)):
            pending.append((below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "), child))
            last = False
    names = max((display_width(text) for text, remark in lines if remark), default=0)
    room = max((display_width(remark) for _, remark in lines), default=0)
    names = min(names, max(width - room - 2, int(width * MOST_GUIDE)))
    text = "\n".join(
        keep_start(f"{pad(keep_start(line, names), names)}  {remark}", width) if remark else keep_start(line, width)
        for line, remark in lines
    )
    return in_plain_letters(text) if is_plain else text
