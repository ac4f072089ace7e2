"""Trees on a terminal, cut to fit: guides, names that lose their middle first, and counts of what was left out."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from sonde.base.fitted_text import display_width, keep_end, keep_start, printable
from sonde.base.units import format_count
from sonde.instruments.decisions.report.tree_items import Item
from sonde.render.name_text import bare_name, whole_name
from sonde.render.terminal.page import Page

LEAST_NAME = 18
"""Columns that a name has at least; guides of very deep trees are cut on their left."""

_LEAST_NOTE = 14
"""Columns below which a remark would say nothing."""

_LEAST_PLACE = 6

_GUIDES = ("├ ", "│ ", "└ ", "  ")


@dataclass(slots=True)
class TreeText:
    """One line, before it is cut and coloured."""

    word: str = ""
    """Before the name: what became of a call."""
    name: str = ""
    is_method: bool = False
    place: str = ""
    note: str = ""
    """Dropped where there is no room."""
    styles: tuple[str, ...] = ()
    """Of the word, and of the name of whatever differs."""
    details: tuple[str, ...] = ()
    """Lines below."""


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """An item, or in its place how many lines below it are left out."""

    guide: str
    below: str
    """Guide of lines that belong to the item and stand under it."""
    item: Item | None
    hidden: int = 0


def placed(root: Item, rows: int) -> Iterator[PlacedItem]:
    """Walk a tree, its highest `rows` items, with the guide before each.

    What is not the same on both sides comes before what is, as far as rows are few.

    Cost: O(n). No recursion.
    """
    shown = _highest(root, rows)
    pending: list[tuple[str, str, Item | None, int]] = [("", "", root, 0)]
    while pending:
        guide, below, item, hidden = pending.pop()
        children = [] if item is None else [child for child in item.children if id(child) in shown]
        left_out = 0 if item is None else item.below - sum(1 + child.below for child in children)
        yield PlacedItem(guide, below + ("│ " if children or left_out else "  "), item, hidden)
        entries: list[tuple[Item | None, int]] = [(child, 0) for child in children]
        if left_out:
            entries.append((None, left_out))
        branch, beside, last, blank = _GUIDES
        placed_below = [
            (
                below + (last if number + 1 == len(entries) else branch),
                below + (blank if number + 1 == len(entries) else beside),
                *entry,
            )
            for number, entry in enumerate(entries)
        ]
        pending.extend(reversed(placed_below))


def print_line(page: Page, sign: str, guide: str, text: TreeText, *, wide: bool, is_changed: bool = False) -> None:
    """Print one line: sign, guide, word, name, place, note."""
    guide = keep_end(guide, max(page.width - len(sign) - len(text.word) - LEAST_NAME - 1, 0))
    word = f"{text.word} " if text.word else ""
    room = page.width - display_width(sign + guide + word)
    name, place, note = _fitted(text, room, wide=wide)
    parts = [
        page.paint(sign, *(text.styles if is_changed else ("dim",))),
        page.paint(guide, "dim"),
        page.paint(word, *text.styles),
        page.paint(name, *(text.styles if is_changed or not word else ())),
        page.paint(place, "dim"),
        page.paint(note, "dim"),
    ]
    page.line("".join(parts))


def print_detail(page: Page, sign: str, guide: str, text: str, *, wide: bool) -> None:
    """Print a line that belongs to the one above it."""
    before = f"{' ' * len(sign)}{guide}"
    room = max(page.width - display_width(before), LEAST_NAME)
    page.line(page.paint(before + (printable(text) if wide else keep_start(printable(text), room)), "dim"))


def left_out_text(hidden: int) -> str:
    """What stands for lines that are not printed."""
    return f"… {format_count(hidden)} more below"


def _highest(root: Item, rows: int) -> set[int]:
    """The items nearest to the root; of two as near, first what differs."""
    shown = {id(root)}
    level = deque([root])
    while level and len(shown) < rows:
        below = [child for item in level for child in item.children]
        room = rows - len(shown)
        if len(below) > room:
            # Everything on the way to something else is worth its line more than a leaf is.
            below = sorted(below, key=lambda item: (item.content is None, not item.below))[:room]
        shown.update(map(id, below))
        level = deque(below)
    # A line that says that one is left out is as long as that one.
    pending = [root]
    while pending:
        item = pending.pop()
        left_out = [child for child in item.children if id(child) not in shown]
        if len(left_out) == 1 and not left_out[0].below:
            shown.add(id(left_out[0]))
        pending.extend(child for child in item.children if id(child) in shown)
    return shown


def _fitted(text: TreeText, room: int, *, wide: bool) -> tuple[str, str, str]:
    place = f"  {text.place}" if text.place else ""
    note = f"  {printable(text.note)}" if text.note else ""
    name = whole_name(text.name) if text.is_method else printable(text.name)
    if wide:
        return name, place, note
    if text.is_method:
        if room - display_width(place) < LEAST_NAME:
            place = ""
        for_name = room - display_width(place)
        name = bare_name(text.name, for_name)
    else:
        # What was decided is worth more than where.
        name = keep_start(name, room)
        place = keep_start(place, room - display_width(name))
        for_name = room - display_width(place)
        place = place if display_width(place) >= _LEAST_PLACE else ""
    left = for_name - display_width(name)
    return name, place, keep_start(note, left) if left >= _LEAST_NOTE or display_width(note) <= left else ""
