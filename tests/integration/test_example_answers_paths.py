"""Do the branches of a loop depend on one another: the example's answer is known, as its mask is."""

import json
from itertools import groupby
from pathlib import Path

import pytest

from measuring import run_sonde
from needed import needs
from report_json import table
from sonde.base.fitted_text import display_width
from sonde.jit.compilers import find_compiler

pytestmark = needs(find_compiler)

EXAMPLE = Path(__file__).parents[2] / "examples" / "answers" / "repeating_branches"
ROWS, COLUMNS, EDGE, STEP = 1188, 1557, 2, 200
PERCENT = 50


def is_copied() -> list[bool]:
    """Of each pixel, as the program draws its mask."""
    radius_squared = PERCENT * STEP * STEP * 100 // 31416
    return [
        (y % STEP - STEP // 2) ** 2 + (x % STEP - STEP // 2) ** 2 >= radius_squared
        or not (EDGE <= y < ROWS - EDGE and EDGE <= x < COLUMNS - EDGE)
        for y in range(ROWS)
        for x in range(COLUMNS)
    ]


def test_the_first_lines_say_that_iterations_go_on_as_they_began(tmp_path: Path) -> None:
    profile = tmp_path / "run.sonde"
    done = run_sonde("paths", "-k", "10", "--quiet", "-o", profile, EXAMPLE / "one_by_one.c", "-O3", "--", str(PERCENT))
    assert done.returncode == 0, done.stderr

    advice = run_sonde("paths", "advise", profile)

    lines = advice.stdout.splitlines()
    assert max(map(display_width, lines)) <= 80
    (loop,) = table(json.loads(run_sonde("paths", "advise", profile, "--json").stdout), "runs")
    pixels = is_copied()[1:-1]  # the first path comes from the entry, the last leads to the end
    alike = sum(all(here) or not any(here) for here in (pixels[at : at + 8] for at in range(len(pixels) - 7)))
    assert (loop["iterations"], loop["together"]) == (len(pixels), 8)
    assert f"{100 * alike / len(pixels):.1f}% of" in " ".join(lines[1:3])
    assert f"{len(pixels):,} iterations begin 8 that go one way (0.8%" in lines[2]
    lengths = {kind: [len(list(run)) for which, run in groupby(pixels) if which == kind] for kind in (True, False)}
    for kind in (True, False):
        assert f"{sum(lengths[kind]) / len(lengths[kind]):,.1f} in a row on average" in loop["ways"]


@pytest.mark.parametrize("percent", [0, 18, 50, 100])
def test_eight_at_once_make_the_same_picture(tmp_path: Path, percent: int) -> None:
    told = {
        run_sonde("vm", "run", EXAMPLE / f"{name}.c", "-O3", "--", str(percent)).stdout
        for name in ("one_by_one", "eight_at_once")
    }
    assert len(told) == 1 and told != {""}
