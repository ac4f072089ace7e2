"""What changed most between two profiles, in a sentence or two."""

from collections.abc import Sequence

from sonde.code import Function
from sonde.instruments.contexts.analysis.judged_changes import JudgedFunctions
from sonde.instruments.contexts.profile.comparison import ContextDiff
from sonde.instruments.contexts.report.comparison.change_tables import change_unit, least_change
from sonde.instruments.contexts.report.comparison.verdict_words import share_of_run, verdict_words
from sonde.report import Named, Row, Unit, amount_text, short_name, times_text, total_change

_IN_HEADLINE = 2
"""Functions that the headline tells of."""


def difference_headline(diff: ContextDiff, *, is_established: bool, of_what: str = "") -> tuple[str, ...]:
    """The function that changed most, the total, and whether noise could explain it.

    Args:
        is_established: whether the values have no noise.
        of_what: which functions were looked at, in words; empty for all.
    Cost: O(n) for n functions.
    """
    total = total_change(diff.yardstick.total_before, diff.yardstick.total_after)
    where = f" ({of_what})" if of_what else ""
    if not diff.has_changes:
        return (f"nothing changed{where} by {least_change(diff.yardstick)} or more{total}.",)
    changes = diff.function_changes
    numbers = [number for number, status in enumerate(changes.status) if status != "unchanged"]
    if not numbers:
        most = f"calling contexts changed, but no function{where} by {least_change(diff.yardstick)} or more"
    else:
        most = _change_words(diff, max(numbers, key=lambda number: abs(changes.own[number])))
    doubt = () if is_established else ("Noise of single runs could explain it: compare several of each by --against.",)
    return f"{most}{total}.", *doubt


def _change_words(diff: ContextDiff, number: int) -> str:
    """`token got slower: +120 ms (1.4 times)`."""
    yardstick, changes = diff.yardstick, diff.function_changes
    is_time = yardstick.metric == "time"
    pair, change = diff.contexts.functions.pairs[number], changes.own[number]
    ours, theirs = diff.functions_before, diff.functions_after
    before, after = (side.self_ns[number] if is_time else side.calls[number] for side in (ours, theirs))
    name, amount = short_name(pair.either), amount_text(change, change_unit(yardstick), is_signed=True)
    if changes.status[number] in ("appeared", "vanished"):
        return f"{name} {'is new' if changes.status[number] == 'appeared' else 'is gone'}: {amount}"
    if yardstick.normalise == "total":
        words = "takes a larger share" if change > 0 else "takes a smaller share"
        whole = before / (yardstick.total_before or 1), after / (yardstick.total_after or 1)
    elif is_time:
        words = "got slower" if change > 0 else "got faster"
        calls = (ours.calls[number], theirs.calls[number]) if yardstick.normalise == "calls" else (1, 1)
        whole = before / (calls[0] or 1), after / (calls[1] or 1)
    else:
        words = "is called more often" if change > 0 else "is called less often"
        whole = float(before), float(after)
    times = times_text(*whole)
    return f"{name} {words}: {amount}{f' ({times})' if times else ''}"


def judged_headline(
    diff: ContextDiff, judged: JudgedFunctions, *, changed_contexts: Sequence[Row], of_what: str = ""
) -> tuple[str, ...]:
    """What became slower for certain, by how much; or what may have.

    Args:
        changed_contexts: rows of those that are known to have changed, and of their callers.
        of_what: which functions were looked at, in words; empty for all.
    """
    yardstick, changed = diff.yardstick, judged.changed
    total = total_change(yardstick.total_before, yardstick.total_after)
    where = f" ({of_what})" if of_what else ""
    if changed:
        told = [_judged_words(diff, number, judged) for number in changed[:_IN_HEADLINE]]
        others = len(changed) - len(told)
        more = f"; {others:,} more changed" if others else ""
        return (f"{', '.join(told)}{where}{more}{total}.",)
    most = share_of_run(judged.largest, yardstick)
    if changed_contexts:
        largest = _largest_change(changed_contexts, change_unit(yardstick))
        return (f"calling contexts changed{largest}, but no function{where} for certain{total}.",)
    if judged.is_undecided:
        return (
            f"cannot say whether anything changed{where}: sampling and noise of runs leave room for {most}{total}.",
            "Look longer, or compare several runs of each by --against.",
        )
    return (f"nothing changed{where}: no function by more than {most}{total}.",)


def _judged_words(diff: ContextDiff, number: int, judged: JudgedFunctions) -> str:
    name = short_name(diff.contexts.functions.pairs[number].either)
    words = verdict_words(judged.of_pairs[number], diff.yardstick)
    if words.startswith(("new", "gone")):
        return f"{name} is {words}"
    verb = "takes a" if diff.yardstick.normalise == "total" else "got"
    share = " share" if diff.yardstick.normalise == "total" else ""
    first, _, rest = words.partition(" ")
    return f"{name} {verb} {first}{share} {rest}"


def _largest_change(rows: Sequence[Row], unit: Unit) -> str:
    """The one of marked rows that changed most: ` (token, +120 ms)`."""
    found = list(rows)
    for row in found:  # the list grows while it is walked
        found.extend(row.below)
    changes = [
        (cell, next((each for each in row.cells if isinstance(each, Function | Named)), None))
        for row in found
        for cell in row.cells[:1]
        if row.mark and isinstance(cell, float | int)
    ]
    if not changes:
        return ""
    change, name = max(changes, key=lambda each: abs(each[0]))
    told = name.text if isinstance(name, Named) else short_name(name) if name is not None else "?"
    return f" ({told}, {amount_text(change, unit, is_signed=True)})"
