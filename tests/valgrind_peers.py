"""Programs under sonde's Valgrind tool and under Valgrind's own, in one folder and one environment.

What the loader sees of a program's environment changes what it does, so all tools have theirs alike: nothing of sonde
is preloaded, and no agent is there.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.memory.profile import MemoryProfile
from sonde.instruments.memory.source import built_tool, read_record

PLATFORM = "amd64-linux"
PEERS = ("cachegrind", "lackey")

Line = tuple[str, int]
"""Name of a file without folders, and a line; "" and 0 where they are not known."""


@dataclass(frozen=True)
class Caches:
    """Sizes, ways and line sizes as cachegrind wants them: of instructions, of data, of both."""

    instruction: str
    data: str
    last: str


@dataclass(frozen=True)
class Peers:
    """The folder that all tools are in."""

    folder: Path

    def run(self, tool: str, *words: str) -> str:
        """Run a tool to its end; returns what it and the program said."""
        environment = {"PATH": os.environ["PATH"], "VALGRIND_LIB": str(self.folder), "VALGRIND_LAUNCHER": "/valgrind"}
        command = [str(self.folder / f"{tool}-{PLATFORM}"), f"--tool={tool}", "--command-line-only=yes", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=600)
        assert 0 <= done.returncode < 64, done.stderr  # the program's own exit code
        return done.stdout + done.stderr

    def sonde(self, program: Path, caches: Caches, record: Path) -> MemoryProfile:
        """The profile of a whole run."""
        geometry = f"I1:{caches.instruction};D1:{caches.data};L2:{caches.last}"
        words = (
            f"--sonde-record={record}",
            f"--sonde-caches={geometry}",
            "--sonde-window=all",
            "--smc-check=all-non-file",
        )
        self.run("sonde", "--read-inline-info=yes", *words, str(program))
        profile = read_record(record).counted
        profile.check_valid()
        return profile

    def cachegrind(self, program: Path, caches: Caches, output: Path) -> "Cachegrind":
        """Its counts of a whole run."""
        words = [f"--I1={caches.instruction}", f"--D1={caches.data}", f"--LL={caches.last}"]
        self.run("cachegrind", "--cache-sim=yes", *words, f"--cachegrind-out-file={output}", str(program))
        return Cachegrind.read(output)

    def lackey(self, program: Path) -> Iterator[tuple[str, int, int]]:
        """Kind, address and size of each reference that it prints."""
        for text in self.run("lackey", "--trace-mem=yes", "--log-fd=1", str(program)).splitlines():
            kind, _, rest = text.strip().partition(" ")
            address, comma, size = rest.strip().partition(",")
            if kind in ("I", "L", "S", "M") and comma and size.isdigit():
                yield kind, int(address, 16), int(size)


@dataclass(frozen=True)
class Cachegrind:
    """Counts by event: `Ir`, `I1mr`, `ILmr`, `Dr`, `D1mr`, `DLmr`, `Dw`, `D1mw`, `DLmw`."""

    totals: "Counter[str]"
    lines: dict[Line, "Counter[str]"]

    @classmethod
    def read(cls, output: Path) -> "Cachegrind":
        """Read its file."""
        events: list[str] = []
        totals: Counter[str] = Counter()
        lines: dict[Line, Counter[str]] = {}
        file = ""
        for text in output.read_text(encoding="utf-8").splitlines():
            word, _, rest = text.partition("=" if text.startswith(("fl=", "fn=")) else " ")
            if word == "events:":
                events = rest.split()
            elif word == "summary:":
                totals = Counter(dict(zip(events, map(int, rest.split()), strict=True)))
            elif word == "fl":
                file = "" if rest == "???" else Path(rest).name
            elif word.isdigit():
                counts = dict(zip(events, map(int, rest.split()), strict=True))
                lines.setdefault((file, int(word)), Counter()).update(counts)
        return cls(totals, lines)


def lines_of(profile: MemoryProfile) -> dict[Line, "Counter[str]"]:
    """Native lines by cachegrind's names, those of data added up: `Ir`, `Dr`, `Dw`, `D1m`, `I1mr`."""
    lines: dict[Line, Counter[str]] = {}
    for each in profile.native_lines:
        function, line = profile.places[each.place].frames[0]
        counts = {"Ir": each.instructions, "Dr": each.loads, "Dw": each.stores, "D1m": each.misses[0]}
        counts["I1mr"] = each.fetch_misses[0]
        lines.setdefault((Path(profile.functions[function].file).name, line), Counter()).update(counts)
    return lines


@contextmanager
def peers(folder: Path) -> Iterator[Peers]:
    """All tools, side by side in `folder`."""
    with built_tool() as tool:
        support = tool.valgrind.support
        (folder / f"sonde-{PLATFORM}").symlink_to(tool.program)
        for name in (*(f"{peer}-{PLATFORM}" for peer in PEERS), f"vgpreload_core-{PLATFORM}.so", "default.supp"):
            (folder / name).symlink_to(support / name)
        yield Peers(folder)
