"""The machine's settings as a report: which of them make measurements vary, and what sets them better."""

from collections.abc import Iterator, Sequence

from sonde.base.units import counted, format_count
from sonde.instruments.bench.report.estimates import Cells, row_of
from sonde.instruments.bench.tuning import Setting
from sonde.report import Column, Report, Row, Table, Tone

_COLUMNS = (
    Column("setting", "setting", "name"),
    Column("now", "now", "name"),
    Column("better", "better", "name", priority=1),
    Column("effect", "how much it matters", "text", priority=2),
    Column("makes_vary", "makes measurements vary", "text", shown="data"),
    Column("command", "to set it", "code", shown="below"),
)


def machine_report(settings: Sequence[Setting]) -> Report:
    """All settings; those that make measurements vary come first, those that cannot be looked at last."""
    ordered = sorted(settings, key=lambda each: (not each.makes_vary, not each.command, not each.is_known))
    table = Table("settings", "settings", _COLUMNS, [_row(each) for each in ordered], noun="setting")
    return Report("bench-tune", "settings of this machine", (table,), headline=tuple(_headline(settings)))


def _headline(settings: Sequence[Setting]) -> Iterator[str]:
    known = [each for each in settings if each.is_known]
    varying = [each.name for each in known if each.makes_vary]
    if varying:
        makes = "makes" if len(varying) == 1 else "make"
        of = counted(len(known), "setting")
        yield f"{format_count(len(varying))} of {of} {makes} measurements vary: {', '.join(varying)}."
    elif known:
        yield "Nothing that sonde can look at makes measurements vary."
    unknown = [each.name for each in settings if not each.is_known]
    if unknown:
        yield f"Cannot be looked at: {', '.join(unknown)}."


def _row(setting: Setting) -> Row:
    cells: Cells = {
        "setting": setting.name,
        "now": setting.now or "cannot be looked at",
        "better": setting.better,
        "effect": setting.effect,
        "makes_vary": ("yes" if setting.makes_vary else "no") if setting.is_known else None,
        "command": setting.command or None,
    }
    tone: Tone = "bad" if setting.makes_vary else "" if setting.is_known else "faint"
    return row_of(_COLUMNS, cells, tone=tone)
