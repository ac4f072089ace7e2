"""What wheels for other platforms are asked, and what of their answers must be the same as here."""

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COUNTED = """\
TABLE = bytearray(16 << 20)

def even(number):
    return number % 2 == 0

def count(numbers):
    found = 0
    for number in numbers:
        if even(number):
            found += 1
    return found

def visit(times):
    total = 0
    for step in range(times):
        total += TABLE[step * 1048583 % 16777216]
    return total

print(sum(count(range(100)) for _ in range(20)), visit(20000))
"""
"""A program whose calls and paths are known, with one line whose every access misses the caches."""
SPUN = """\
import time

def spin(seconds):
    end, number = time.process_time() + seconds, 0
    while time.process_time() < end:
        number += 1
    return number

spin(2.0)
"""
"""A program that is to be sampled."""

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]
Values = Mapping[str, float | str]

REFUSALS: Mapping[tuple[str, str], str] = {
    ("musllinux-x86_64", "sample --native"): "there is no libdw.so.1 here",  # Debian's is for glibc
    ("manylinux-aarch64", "memory"): "sonde's tool is for Linux on x86-64",
    ("manylinux-aarch64", "sample --native"): "only registers of x86-64 are known so far",
    # In qemu, that is, which has neither hardware counters nor Linux's vfork:
    ("manylinux-aarch64", "doctor"): "sonde's launcher was killed",
    ("manylinux-aarch64", "bench"): "sonde's launcher was killed",
    ("manylinux-aarch64", "sample --mechanism immediate"): "the system gives no counter for it",
    ("manylinux-aarch64", "sample --mechanism polling"): "the system gives no counter for it",
}
"""By platform and question: what it says when it fails, as docs/installing.md has it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one wheel says."""

    exit_code: int
    told: str
    values: Values = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The first line that says something of the matter."""
        lines = [line for line in self.told.splitlines() if line.strip()]
        return next((line for line in lines if line.startswith("sonde:") and self.exit_code), (lines or [""])[0])


@dataclass(frozen=True, slots=True)
class Question:
    """A command, and what of its report has to be the same everywhere."""

    name: str
    words: tuple[str, ...]
    """`KEPT` stands for the profile that it writes."""
    program: str = ""
    """Of `app.py`."""
    values: Callable[[Any], Values] | None = None
    """Of `sonde view --json`; none: that it ends well is all."""
    tolerance: float = 0.0
    """Of numbers, as a share."""

    def ask(self, run: Run, folder: Path) -> Answer:
        """Have it run in the folder, and read the report."""
        if self.program:
            (folder / "app.py").write_text(self.program, encoding="utf-8")
        kept = f"{self.name.replace(' ', '')}.sonde"
        measured = run([kept if word == "KEPT" else word for word in self.words])
        told = measured.stderr or measured.stdout
        if measured.returncode or self.values is None:
            return Answer(measured.returncode, told)
        viewed = run(["view", kept, "--json"])
        if viewed.returncode:
            return Answer(viewed.returncode, viewed.stderr)
        report = json.loads(viewed.stdout)
        return Answer(0, "\n".join(report["headline"]), self.values(report))


def difference(question: Question, ours: Answer, theirs: Answer) -> str:
    """In words, where an answer is not as ours; empty: it is."""
    if ours.exit_code != theirs.exit_code:
        return f"exit code {theirs.exit_code}, here {ours.exit_code}: {theirs.told.strip()[-300:]}"
    for key in sorted(ours.values.keys() | theirs.values.keys()):
        mine, other = ours.values.get(key, "nothing"), theirs.values.get(key, "nothing")
        if isinstance(mine, str) or isinstance(other, str):
            is_same = mine == other
        else:
            is_same = abs(mine - other) <= question.tolerance * abs(mine)
        if not is_same:
            return f"{key}: {other}, here {mine}"
    return ""


def _rows(report: Any, key: str) -> Iterator[Any]:
    for block in report["blocks"]:
        if block["type"] == "table" and block["key"] == key:
            yield from block["rows"]


def _name(function: Any) -> str:
    return str(function["name"] if isinstance(function, dict) else function)


def _calls(report: Any) -> Values:
    return {f"calls of {_name(row['function'])}": row["calls"] for row in _rows(report, "functions")}


def _paths(report: Any) -> Values:
    paths = {f"paths of {_name(row['function'])}": row["paths"] for row in _rows(report, "functions")}
    taken = {f"{row['ids']} in {_name(row['function'])}": row["count"] for row in _rows(report, "sequences")}
    return {**paths, **taken}


def _misses(report: Any) -> Values:
    row = next(_rows(report, "python_lines"))
    misses = row["d1_misses"]
    return {"hottest line": row["line"]["line"], "its misses": misses["value"] if isinstance(misses, dict) else misses}


def _hottest(report: Any) -> Values:
    return {"hottest function": _name(next(_rows(report, "functions"))["function"])}


def _verdict(report: Any) -> Values:
    blocks = (block["facts"] for block in report["blocks"] if block["type"] == "facts")
    facts = {each["key"]: each["value"] for block in blocks for each in block}
    return {"slower": facts["worse"], "unclear": facts["unclear"]}


def _measured(
    words: str, program: str, values: Callable[[Any], Values] | None = None, tolerance: float = 0.0
) -> Question:
    command = (*words.split(), "--quiet", "--force", "-o", "KEPT", "app.py")
    return Question(words, command, program, values, tolerance)


QUESTIONS = (
    Question("doctor", ("doctor",)),
    _measured("contexts", COUNTED, _calls),
    _measured("paths", COUNTED, _paths),
    _measured("phases", COUNTED),
    _measured("memory", COUNTED, _misses, tolerance=0.02),
    Question("bench", ("bench", "--rounds", "20", "--force", "-o", "KEPT", "sh -c :", "sleep 0.3"), values=_verdict),
    _measured("sample", SPUN, _hottest),
    _measured("sample --mechanism immediate", SPUN, _hottest),
    _measured("sample --mechanism immediate --trigger timer", SPUN, _hottest),
    _measured("sample --mechanism polling", SPUN, _hottest),
    _measured("sample --mechanism polling --trigger timer", SPUN, _hottest),
    _measured("sample --native", SPUN, _hottest),
    Question("view --html", ("view", "contexts.sonde", "--force", "--html", "contexts.html")),
    Question("diff", ("diff", "contexts.sonde", "contexts.sonde")),
    Question("export", ("export", "contexts.sonde", "--to", "speedscope", "-o", "contexts.json", "--force")),
)
"""In this order: later ones look at what earlier ones have kept."""
