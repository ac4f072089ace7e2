"""An independent reader of callgrind files with one event: sums by function, as callgrind_annotate makes them."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

Key = tuple[str, str, int]
"""File, name and line of a function."""


def _sums() -> dict[Key, int]:
    return defaultdict(int)


@dataclass
class CallgrindSums:
    """What a file says."""

    own: dict[Key, int] = field(default_factory=_sums)
    entered: dict[Key, int] = field(default_factory=_sums)
    """How often it was called."""
    called: dict[Key, int] = field(default_factory=_sums)
    """What calls of it cost: its inclusive value."""
    summary: int = 0


def read_callgrind(data: bytes) -> CallgrindSums:
    """Sum up a file."""
    sums, names, here = CallgrindSums(), dict[tuple[str, str], str](), dict[str, str]()
    callee: Key | None = None
    for line in data.decode().splitlines():
        if match := re.fullmatch(r"(fl|fn|cfi|cfn)=\((\d+)\)(?: (.+))?", line):
            what, number, name = match.groups()
            here[what] = names.setdefault(("fn" if what.endswith("fn") else "fl", number), name)
            if what == "cfn":
                here.setdefault("cfi", here["fl"])  # that of the caller
        elif match := re.fullmatch(r"calls=(\d+) (\d+)", line):
            callee = (here.pop("cfi"), here["cfn"], int(match[2]))
            sums.entered[callee] += int(match[1])
        elif match := re.fullmatch(r"(\d+) (\d+)", line):
            count = int(match[2])
            if callee is None:
                sums.own[here["fl"], here["fn"], int(match[1])] += count
            else:
                sums.called[callee] += count
            callee = None
        elif line.startswith("summary: "):
            sums.summary = int(line.removeprefix("summary: "))
    return sums
