"""Writing a time profile in the form of mx's proftool, which Graal's profdiff reads too."""

import json
from pathlib import Path

from sonde.decisions.model import TimeProfile

NANOSECONDS_A_SAMPLE = 10_000_000
"""How far apart `jdk.ExecutionSample`s of captured runs are. Periods are written in nanoseconds and not in samples, as
readers of this form show them in billions."""


def write_proftool_profile(path: Path, profile: TimeProfile, execution_id: str | None, osr_ids: frozenset[str]) -> None:
    """Write a profile of a program that was compiled as it ran.

    Args:
        profile: in samples.
        osr_ids: ids of compilations of loops, which this form marks.
    """
    code: list[dict[str, str | int | None]] = []
    for entry in profile.entries:
        number = f"{entry.id}%" if entry.id in osr_ids else entry.id
        name = entry.name if number is None else f"{number}: {entry.name}"
        code.append(
            {
                "compileId": number,
                "name": name,
                "level": entry.level,
                "period": entry.period * NANOSECONDS_A_SAMPLE,
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
