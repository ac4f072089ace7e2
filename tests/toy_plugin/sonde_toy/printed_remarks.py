"""A reader in forty lines: what clang prints with -Rpass=inline, one inlined call in each line."""

import re
from pathlib import Path

from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase, Trees, Unit
from sonde.instruments.decisions.readers import DecisionReader, RunPlace, unreadable

_REMARK = re.compile(r"^.+:(\d+):(\d+): remark: '(\S+)' inlined into '(\S+)'(.*)$", re.MULTILINE)


def recognises(place: RunPlace) -> bool:
    """Whether there is such a line near the beginning of a file."""
    return not place.is_folder and _REMARK.search(place.head(place.path).decode(errors="replace")) is not None


def read_remarks(place: RunPlace, profile: Path | None) -> DecisionRun:
    """Read functions with the calls that were inlined into them; a column tells calls of one line apart."""
    if profile is not None:
        raise InputError(f"cannot use the profile '{profile}': lines of remarks have no times", slug="toy-no-times")
    try:
        text = place.path.read_text(errors="replace")
    except OSError as error:
        raise unreadable(place.path, error) from error
    calls: dict[str, list[CallSite]] = {}
    for line, column, callee, caller, reason in _REMARK.findall(text):
        site = CallSite(callee, int(line), int(column), inlined=True, reasons=(reason.strip(" :"),) if reason else ())
        calls.setdefault(caller, []).append(site)
    if not calls:
        raise InputError(f"cannot read the run '{place.path}': no remark of clang's is in it", slug="toy-no-remarks")
    other = sum(bool(line.strip()) for line in text.splitlines()) - sum(map(len, calls.values()))
    return DecisionRun(
        name=place.title,
        kind="llvm",
        offsets="line",
        units=[_unit(number, *item) for number, item in enumerate(calls.items())],
        doubts=[Doubt("toy-other-lines", f"{other} lines are no remarks", other)] if other else [],
    )


def _unit(number: int, method: str, calls: list[CallSite]) -> Unit:
    def load() -> Trees:
        fresh = [CallSite(each.method, each.at, each.column, inlined=True, reasons=each.reasons) for each in calls]
        return Trees(CallSite(method, is_root=True, inlined=True, children=fresh), Phase("inline"))

    return Unit(number, method, method, load)


PRINTED_REMARKS = DecisionReader("toy-printed-remarks", "what clang prints with -Rpass", recognises, read_remarks)
