"""The trees of a compilation, or of the differences of two, as lines."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_end, keep_start
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase
from sonde.instruments.decisions.report.terminal.item_text import item_text
from sonde.instruments.decisions.report.terminal.tree_lines import left_out_text, placed, print_detail, print_line
from sonde.instruments.decisions.report.tree_items import Item, Node, items_of
from sonde.render.terminal.page import Page

INDENT = "  "


def print_tree(
    page: Page,
    root: Node,
    runs: Sequence[DecisionRun],
    method: str | None,
    *,
    rows: int,
    wide: bool,
) -> None:
    """Print a tree.

    Args:
        runs: the run it is of, or both whose differences it tells; lines then start with `.`, `-`, `+` or `*`.
        method: whose compilation it is.
        rows: lines, about.
    Cost: O(n) for n nodes.
    """
    item = items_of(root)
    callers = _callers(item, method)
    is_in_calls = not isinstance(item.content, Phase)
    for line in placed(item, rows):
        if line.item is None:
            before = f"{INDENT}{'  ' if item.edit else ''}"
            words = left_out_text(line.hidden)
            page.line(page.paint(before + keep_end(line.guide, page.width - len(before) - len(words)) + words, "dim"))
            continue
        edit = line.item.edit
        sign = INDENT + (f"{edit.value} " if edit is not None else "")
        text = item_text(line.item, runs, callers[id(line.item)], is_in_call=is_in_calls)
        print_line(page, sign, line.guide, text, wide=wide, is_changed=edit is not None and edit.value != ".")
        for detail in text.details:
            print_detail(page, sign, line.below, detail, wide=wide)


def print_title(page: Page, title: str, note: str) -> None:
    """Print what the tree below is, and how much is in it."""
    room = page.width - len(title) - 2
    page.line(f"{page.paint(title, 'bold')}  {page.paint(keep_start(note, room), 'dim')}")


def _callers(root: Item, method: str | None) -> dict[int, str | None]:
    """For each item, by its `id`, the method in whose code it is."""
    callers: dict[int, str | None] = {}
    pending = [(root, method)]
    while pending:
        item, caller = pending.pop()
        callers[id(item)] = caller
        content = item.content
        # What a call was devirtualized to is called from where the call was.
        inner = content.method if isinstance(content, CallSite) and not content.indirect else caller
        pending.extend((child, inner) for child in item.children)
    return callers
