"""Writing a time profile in the form of mx's proftool, which Graal's profdiff reads too."""

import json
from pathlib import Path
from typing import Any

from sonde.instruments.decisions.model import Spread, TimeProfile

NANOSECONDS_A_SAMPLE = 10_000_000
"""How far apart `jdk.ExecutionSample`s of captured runs are. Periods are written in nanoseconds and not in samples, as
readers of this form show them in billions."""


def write_proftool_profile(path: Path, profile: TimeProfile, execution_id: str | None, osr_ids: frozenset[str]) -> None:
    """Write a profile of a program that was compiled as it ran.

    Args:
        profile: in samples.
        osr_ids: ids of compilations of loops, which this form marks.
    """
    code: list[dict[str, Any]] = []
    for entry in profile.entries:
        number = f"{entry.id}%" if entry.id in osr_ids else entry.id
        name = entry.name if number is None else f"{number}: {entry.name}"
        code.append(
            {
                "compileId": number,
                "name": name,
                "level": entry.level,
                "period": entry.period * NANOSECONDS_A_SAMPLE,
                **({"stacks": _stacks(entry.spread)} if number is not None and entry.spread else {}),
            }
        )
    document = {
        "compilationKind": "JIT",
        "executionId": execution_id,
        "totalPeriod": profile.total * NANOSECONDS_A_SAMPLE,
        "unit": "nanoseconds",
        "samples": profile.samples,
        "source": f"{profile.source}, every {NANOSECONDS_A_SAMPLE // 1_000_000} ms",
        "code": code,
    }
    path.write_text(json.dumps(document, indent=4) + "\n", encoding="utf-8")


def _stacks(spread: Spread) -> list[list[Any]]:
    """Time, and the inline stack as methods and offsets in turn, innermost first: readers of this form pass it over."""
    return [
        [period * NANOSECONDS_A_SAMPLE, *(each for place in position for each in (place.method, place.at))]
        for position, period in spread
    ]
