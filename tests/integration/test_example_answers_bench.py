"""Is my change faster? The first three lines say so."""

import re
import sys
from pathlib import Path

from measuring import run_sonde

FOLDER = Path(__file__).parents[2] / "examples" / "answers" / "is_it_faster"


def test_the_first_three_lines_say_which_is_faster_and_by_how_much() -> None:
    commands = [f"{sys.executable} {name}.py" for name in ("before", "after")]
    names = ("--name", "before", "--name", "after")
    # A factor of 1.5 in ten rounds, side by side: noise would have to halve one of each pair on average.
    done = run_sonde("bench", "--quiet", "--folder", FOLDER, "--rounds", "10", *names, *commands)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    found = re.fullmatch(r"after is (\d\.\d+) times \[(\d\.\d+), (\d\.\d+)\] faster than before\.", lines[1])
    assert found is not None, done.stdout
    low, high = float(found[2]), float(found[3])
    assert 1.1 < low <= float(found[1]) <= high < 2.2
