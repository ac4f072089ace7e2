"""Is my change faster? The first three lines say so."""

import re
import sys
from pathlib import Path

import pytest

from measuring import run_sonde

FOLDER = Path(__file__).parents[2] / "examples" / "answers" / "is_it_faster"


@pytest.mark.timing
def test_the_first_three_lines_say_which_is_faster_and_by_how_much() -> None:
    commands = [f"{sys.executable} {name}.py" for name in ("before", "after")]
    names = ("--name", "before", "--name", "after")
    # Processor time, of which other programs take nothing: a factor of 1.5 that is counted in millions of turns.
    options = ("--rounds", "10", "--metric", "user")
    done = run_sonde("bench", "--quiet", "--folder", FOLDER, *options, *names, *commands)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    found = re.fullmatch(r"after is (\d\.\d+) times \[(\d\.\d+), (\d\.\d+)\] faster than before\.", lines[1])
    assert found is not None, done.stdout
    low, high = float(found[2]), float(found[3])
    assert 1.1 < low <= float(found[1]) <= high < 2.2
