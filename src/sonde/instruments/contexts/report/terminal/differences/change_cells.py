"""How a change is written: with its sign, beside what it was and what it is."""

from sonde.base.units import format_count, format_duration, format_share, short_count
from sonde.instruments.contexts.profile.comparison import Status, Yardstick

_MARKS: dict[Status, str] = {"appeared": "+ ", "vanished": "− ", "hotter": "▲ ", "colder": "▼ ", "unchanged": ""}

_STYLES: dict[Status, tuple[str, ...]] = {
    "appeared": ("yellow",),
    "vanished": ("cyan",),
    "hotter": ("red",),
    "colder": ("green",),
    "unchanged": (),
}


def status_mark(status: Status) -> str:
    """One sign before a name, so that colour is not the only one to tell."""
    return _MARKS[status]


def change_styles(status: Status) -> tuple[str, ...]:
    """How to paint what a change is about."""
    return _STYLES[status]


def change_header(yardstick: Yardstick, *, what: str = "") -> tuple[str, ...]:
    """Names of the columns of `change_cells`.

    Args:
        what: which value changed, `self` for instance.
    """
    change = f"{what} change".strip()
    if yardstick.normalise == "total":
        return (change, "of before", "before", "after", "calls")
    if yardstick.normalise == "calls":
        return (change, "of run", "per call", "now", "calls")
    return (change, "of run", "before", "after", "calls")


def change_cells(
    yardstick: Yardstick,
    change: float,
    before: int,
    after: int,
    calls_before: int,
    calls_after: int,
    *,
    is_narrow: bool,
) -> tuple[str, ...]:
    """Cells for one change: by how much, how much that is, from what, to what, in how many calls."""
    calls = _calls(calls_before, calls_after, is_narrow=is_narrow)
    if yardstick.normalise == "total":
        ours = before / (yardstick.total_before or 1)
        theirs = after / (yardstick.total_after or 1)
        relative = f"{100 * change / ours:+.0f}%" if ours and theirs else "-"
        return (f"{100 * change:+.1f} pp", relative, f"{100 * ours:.1f}%", f"{100 * theirs:.1f}%", calls)
    share = format_share(change, yardstick.whole)
    share = share if share.startswith("-") else f"+{share}"
    signed = _signed(yardstick, change)
    if yardstick.normalise == "calls":
        return (
            signed,
            share,
            _per_call(yardstick, before, calls_before),
            _per_call(yardstick, after, calls_after),
            calls,
        )
    return (signed, share, _amount(yardstick, before), _amount(yardstick, after), calls)


def _signed(yardstick: Yardstick, change: float) -> str:
    text = _amount(yardstick, round(abs(change)))
    return text if round(change) == 0 else f"{'+' if change > 0 else '-'}{text}"


def _amount(yardstick: Yardstick, value: int) -> str:
    return format_duration(value) if yardstick.metric == "time" else short_count(value)


def _per_call(yardstick: Yardstick, value: int, calls: int) -> str:
    if not calls:
        return "-"
    if yardstick.metric == "time":
        return format_duration(round(value / calls))
    return f"{value / calls:,.1f}"


def _calls(before: int, after: int, *, is_narrow: bool) -> str:
    count = short_count if is_narrow else format_count
    return count(before) if before == after else f"{count(before)} → {count(after)}"
