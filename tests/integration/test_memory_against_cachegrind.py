"""Native programs: what `sonde memory`'s tool counts is what cachegrind and lackey count, in total and line by line."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from needed import needs
from sonde.instruments.memory.source import check_tool
from valgrind_peers import Caches, Line, Peers, lines_of, peers

pytestmark = needs(check_tool)

SOURCES = Path(__file__).parents[1] / "programs_in_c"
PROGRAMS = {"strides.c": "-O0", "throwing.cpp": "-O2"}
"""Those that do the same each time, and how they are compiled."""
CHANGES = """\
static volatile int counts[64];
static volatile double sums[64];

int main(void) {
    for (int i = 0; i < 2000; i++) {
        counts[i % 64] += 3;
        counts[(i + 1) % 64]++;
        sums[i % 64] = sums[(i + 7) % 64] + counts[i % 64];
    }
    return 0;
}
"""
"""Small, as lackey prints a line for every access; with instructions that load and store."""
CACHES = {
    "as in a small machine": Caches("32768,8,64", "32768,8,64", "262144,16,64"),
    "small, long lines far away": Caches("4096,2,32", "8192,4,32", "65536,8,128"),
}
FAR = 1e-3
"""Misses of the last level: data of a few instructions may be asked for after all of these were fetched."""


@pytest.fixture(scope="module")
def tools(cache: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peers]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", cache)
        with peers(tmp_path_factory.mktemp("tools")) as found:
            yield found


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _compiled(SOURCES / request.param, PROGRAMS[request.param], tmp_path_factory.mktemp("programs"))


@pytest.mark.parametrize("caches", CACHES.values(), ids=CACHES)
def test_totals_and_every_line_are_those_of_cachegrind(
    program: Path, caches: Caches, tools: Peers, tmp_path: Path
) -> None:
    ours = tools.sonde(program, caches, tmp_path / "record")
    theirs = tools.cachegrind(program, caches, tmp_path / "counts")

    totals, wanted = ours.totals, theirs.totals
    assert [totals[key] for key in ("instructions", "loads", "stores", "misses1", "fetch_misses1")] == [
        *(wanted[key] for key in ("Ir", "Dr", "Dw")),
        wanted["D1mr"] + wanted["D1mw"],
        wanted["I1mr"],
    ]
    far = totals["misses2"] + totals["fetch_misses2"]
    assert far == pytest.approx(wanted["ILmr"] + wanted["DLmr"] + wanted["DLmw"], rel=FAR)

    assert lines_of(ours) == _without_empty(theirs.lines)


def test_accesses_are_those_that_lackey_prints(tools: Peers, tmp_path: Path) -> None:
    source = tmp_path / "changes.c"
    source.write_text(CHANGES, encoding="utf-8")
    program = _compiled(source, "-O0", tmp_path)
    totals = tools.sonde(program, next(iter(CACHES.values())), tmp_path / "record").totals
    kinds = Counter(kind for kind, _, _ in tools.lackey(program))
    assert kinds["M"] > 2000
    assert (totals["instructions"], totals["loads"], totals["modifies"], totals["stores"]) == (
        kinds["I"],
        kinds["L"] + kinds["M"],
        kinds["M"],
        kinds["S"],
    )


def _compiled(source: Path, option: str, folder: Path) -> Path:
    compiler = shutil.which("c++" if source.suffix == ".cpp" else "cc")
    if not compiler:
        pytest.skip("needs a C and a C++ compiler")
    made = folder / source.stem
    subprocess.run([compiler, option, "-g", "-o", made, source], check=True)
    return made


def _without_empty(lines: dict[Line, "Counter[str]"]) -> dict[Line, "Counter[str]"]:
    """Their lines with our names of events; lines that nothing was counted for are none."""
    kept = {}
    for line, events in lines.items():
        counts = Counter({key: events[key] for key in ("Ir", "Dr", "Dw", "I1mr")})
        counts["D1m"] = events["D1mr"] + events["D1mw"]
        if any(counts.values()):
            kept[line] = counts
    return kept
