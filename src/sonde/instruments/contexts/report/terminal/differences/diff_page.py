"""Two profiles compared on a terminal: totals, the tree of differences, the functions, and the doubts."""

from dataclasses import dataclass
from typing import TextIO

from sonde.base.fitted_text import keep_end, keep_start, pad, printable
from sonde.base.units import format_count, format_duration
from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.profile.comparison import ContextDiff, FunctionPair
from sonde.instruments.contexts.report.exactness import exactness
from sonde.instruments.contexts.report.terminal.differences.change_cells import (
    change_cells,
    change_header,
    change_styles,
    status_mark,
)
from sonde.instruments.contexts.report.terminal.differences.diff_tree import print_diff_tree
from sonde.render.terminal.page import Page
from sonde.render.terminal.place import fitting_place
from sonde.render.terminal.text_table import GAP, column_widths, print_table, right_aligned, table_width
from sonde.render.terminal.tree_table import NARROW, WIDEST_NAME_SHARE

_NOISE = (
    "one run each: call counts are exact, times carry the noise of a single run;"
    " record again, or compare with --metric calls, before you believe a small change in time"
)
_NOISE_OF_APPROXIMATE = (
    "one run each: times carry the noise of a single run, and what was not kept or not seen looks like"
    " a change; record again before you believe a small one"
)

_SAID_ABOVE = ("profile-approximate", "profile-sampled")
"""Kinds of doubts that are said with the profiles, in better words than one number allows."""

_NARROWEST_COMMAND, _WIDEST_COMMAND = 10, 60
"""Columns for what was run: with fewer it is left out."""

_EXAMPLES = 4
"""Names listed for each kind of doubt; `--json` lists all."""


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """How much of a comparison to print."""

    rows: int = 40
    """Lines of the tree, about."""
    functions: int = 15
    """Lines of the function table; 0 leaves it out."""


def print_diff(
    diff: ContextDiff,
    stream: TextIO,
    *,
    names: tuple[str, str] = ("before", "after"),
    limits: DiffLimits | None = None,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print a comparison for reading.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        names: what to call the two profiles, their files for instance.
        width, colour: override what the stream and the environment say.
    Cost: O(n) for n contexts.
    """
    limits = limits or DiffLimits()
    page = Page(stream, width=width, colour=colour)
    _print_runs(page, diff, names)
    if not diff.has_changes:
        page.line()
        page.line(f"no context or function changed by {_least_change(diff)} or more")
    else:
        page.heading("calling contexts that changed", f"by {_least_change(diff)} or more, largest change first")
        hidden = print_diff_tree(page, diff, rows=limits.rows)
        if hidden:
            page.line(page.paint(f"… {format_count(hidden)} more changed contexts", "dim"))
        page.line(page.paint("▲ hotter   ▼ colder   + only after   − only before", "dim"))
        _print_functions(page, diff, limits.functions)
    _print_doubts(page, diff)


def pair_label(pair: FunctionPair) -> str:
    """The function's name, with its former one when it may have been renamed."""
    label = printable(pair.either.label)
    if pair.how == "maybe renamed" and pair.before is not None:
        return f"{label} (was {printable(pair.before.label)}?)"
    return label


def _print_runs(page: Page, diff: ContextDiff, names: tuple[str, str]) -> None:
    profiles = (diff.before, diff.after)
    header: tuple[str, ...] = ("profile", "in threads", "calls", "contexts", "python")
    rows = [
        (keep_end(printable(name), page.width // 3), *_run_cells(profile))
        for name, profile in zip(names, profiles, strict=True)
    ]
    room = page.width - table_width(column_widths([header, *rows]))
    if room >= _NARROWEST_COMMAND:
        header = (*header, "command")
        commands = (printable(" ".join(profile.run.command)) for profile in profiles)
        rows = [
            (*row, keep_start(command, min(room, _WIDEST_COMMAND))) for row, command in zip(rows, commands, strict=True)
        ]
    print_table(page, header, rows, left=(0, 4, 5))


def _run_cells(profile: ContextProfile) -> tuple[str, ...]:
    pythons = ", ".join(dict.fromkeys(process.python for process in profile.processes))
    return (
        format_duration(profile.total_ns) if profile.has_time else "-",
        format_count(profile.total_calls),
        format_count(len(profile.contexts)),
        printable(pythons) or "-",
    )


def _least_change(diff: ContextDiff) -> str:
    yardstick = diff.yardstick
    if yardstick.normalise == "total":
        return f"{100 * yardstick.least_change:g} percentage points"
    share = 100 * yardstick.least_change / yardstick.whole if yardstick.whole else 0
    return f"{share:g}% of the heavier run"


def _print_functions(page: Page, diff: ContextDiff, limit: int) -> None:
    yardstick, changes = diff.yardstick, diff.function_changes
    numbers = [i for i, status in enumerate(changes.status) if status != "unchanged"]
    numbers.sort(key=lambda i: (-abs(changes.own[i]), i))
    shown = numbers[:limit]
    if not shown:
        return
    by_time = yardstick.metric == "time"
    page.heading("functions that changed", f"by {'self time' if by_time else 'calls'}")
    ours, theirs = diff.functions_before, diff.functions_after
    own_before, own_after = (ours.self_ns, theirs.self_ns) if by_time else (ours.calls, theirs.calls)
    is_narrow = page.width < NARROW
    rows = [
        change_cells(
            yardstick, changes.own[i], own_before[i], own_after[i], ours.calls[i], theirs.calls[i], is_narrow=is_narrow
        )
        for i in shown
    ]
    header = change_header(yardstick, what="self" if by_time else "")
    widths = column_widths([header, *rows])
    room = page.width - table_width(widths)
    pairs = [diff.contexts.functions.pairs[i] for i in shown]
    labels = [status_mark(changes.status[i]) + pair_label(pair) for i, pair in zip(shown, pairs, strict=True)]
    column = min(max(map(len, labels)), int(room * WIDEST_NAME_SHARE))
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "function")), "dim"))
    for i, pair, label, row in zip(shown, pairs, labels, rows, strict=True):
        cells = right_aligned(row, widths)
        styles = change_styles(changes.status[i])
        name = page.paint(pad(keep_start(label, column), column), *styles)
        place = page.paint(fitting_place(pair.either, room - column - len(GAP)), "dim")
        page.line(GAP.join((page.paint(cells[0], *styles), page.paint(cells[1], *styles), *cells[2:], name, place)))
    if len(numbers) > len(shown):
        page.line(page.paint(f"… {format_count(len(numbers) - len(shown))} more changed functions", "dim"))


def _print_doubts(page: Page, diff: ContextDiff) -> None:
    page.line()
    for profile, side in ((diff.before, "first"), (diff.after, "second")):
        for loss in profile.losses:
            page.flow(f"! {side} profile: {printable(loss.detail)}".split(" "), "yellow", between=" ")
        if not profile.run.complete:
            page.line(page.paint(f"! {side} profile: the run was cut off", "yellow"))
        if not _is_exact(profile):
            page.flow(["!", *f"{side} profile: {', '.join(exactness(profile))}".split(" ")], "yellow", between=" ")
    for note in diff.unaligned:
        if note.kind in _SAID_ABOVE:
            continue
        page.flow(f"! {note.detail}: {format_count(note.amount)}".split(" "), "yellow", between=" ")
        examples = _examples(diff, note.kind)
        if examples:
            page.line(page.paint(keep_start(f"  {examples}", page.width), "dim"))
    if diff.yardstick.metric == "time":
        noise = _NOISE if _is_exact(diff.before) and _is_exact(diff.after) else _NOISE_OF_APPROXIMATE
        page.flow(noise.split(" "), "dim", between=" ")


def _is_exact(profile: ContextProfile) -> bool:
    return profile.sampling is None and not profile.left_something_out


def _examples(diff: ContextDiff, kind: str) -> str:
    """The heaviest few functions that a doubt is about."""
    functions, changes = diff.contexts.functions, diff.function_changes
    how = kind.removeprefix("functions-").replace("-", " ")
    if kind == "functions-guessed":
        numbers = list(functions.guessed)
    elif kind == "call-sites-guessed":
        return _guessed_sites(diff)
    else:
        numbers = [i for i, pair in enumerate(functions.pairs) if pair.how == how]
    numbers.sort(key=lambda i: (-abs(changes.total[i]), i))
    names = [_example(functions.pairs[i]) for i in numbers[:_EXAMPLES]]
    return ", ".join(names) + (", …" if len(numbers) > _EXAMPLES else "")


def _example(pair: FunctionPair) -> str:
    if pair.how == "moved" and pair.before is not None:
        return f"{printable(pair.either.label)} ({printable(pair.before.module)} → {printable(pair.either.module)})"
    return pair_label(pair)


def _guessed_sites(diff: ContextDiff) -> str:
    pairs, guessed = diff.contexts.functions.pairs, diff.contexts.guessed_sites
    names = [
        f"{printable(pairs[sites.callee].either.label)} in {printable(pairs[sites.caller].either.label)}"
        f" ({_lines(sites.lines_before)} → {_lines(sites.lines_after)})"
        for sites in guessed[:_EXAMPLES]
    ]
    return ", ".join(names) + (", …" if len(guessed) > _EXAMPLES else "")


def _lines(lines: tuple[int, ...]) -> str:
    if len(lines) > _EXAMPLES:
        return f"{lines[0]}, … {len(lines)} lines"
    return ", ".join(map(str, lines))
