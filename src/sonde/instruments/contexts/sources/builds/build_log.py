"""What the compilers of a build noted: each step's outcome, to be told when the build has ended."""

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VARIABLE = "SONDE_BUILD_LOG"
"""Environment of a build: the file that its compilers write into; without it they are the real ones."""


@dataclass(slots=True)
class BuildLog:
    """What became of a build."""

    with_probes: dict[str, int] = field(default_factory=dict)
    """File -> functions."""
    without: dict[str, str] = field(default_factory=dict)
    """File -> why it has no probes."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Options that clang does not know -> files."""
    programs: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    """Shared ones."""
    instrumented: set[str] = field(default_factory=set)
    """Files whose probes the real compiler put in."""


def note(**fields: Any) -> None:
    """Add a line to the log; in a compiler of a build."""
    line = json.dumps(fields) + "\n"
    try:
        file = os.open(os.environ[VARIABLE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode("utf-8", "surrogateescape"))
        finally:
            os.close(file)
    except OSError:
        return  # the build goes on


def read_build_log(path: Path) -> BuildLog:
    """All that was noted; of a file that was compiled several times, what came last."""
    log = BuildLog()
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return log
    for line in lines:
        noted = json.loads(line)
        file = noted.get("file", "")
        if "functions" in noted:
            log.without.pop(file, None)
            log.with_probes[file] = noted["functions"]
            (log.instrumented.add if noted.get("instrumented") else log.instrumented.discard)(file)
        elif "reason" in noted:
            log.with_probes.pop(file, None)
            log.without[file] = noted["reason"]
        elif "linked" in noted:
            made = log.libraries if noted["is_shared"] else log.programs
            if noted["linked"] not in made:
                made.append(noted["linked"])
        log.dropped.update(noted.get("dropped", ()))
    return log
