"""`--lines`: the calls that are made from each line of a real program."""

from pathlib import Path

import pytest

from measuring import run_sonde

PROGRAM = """\
def cheap(n):
    return n

def dear(n):
    return sum(cheap(i) for i in range(n))

def main():
    cheap(1)
    for _ in range(3):
        dear(2000)

main()
"""


@pytest.mark.parametrize("way", ["contexts", "view"])
def test_the_line_that_calls_what_takes_long_is_first_below_its_callers(way: str, tmp_path: Path) -> None:
    script, run = tmp_path / "program.py", tmp_path / "run.sonde"
    script.write_text(PROGRAM, encoding="utf-8")
    done = run_sonde("contexts", *(["--lines"] if way == "contexts" else []), "-o", run, script)
    text = done.stderr if way == "contexts" else run_sonde("view", run, "--lines").stdout

    rows = [line.split() for line in text.split("\nlines  ")[1].split("\n\n")[0].splitlines()[2:]]
    placed = {word: row for row in rows for word in row if word.startswith("program.py:")}
    if way == "view":  # else lines are sampled, and come in the order of what is theirs alone
        assert list(placed).index("program.py:12") < list(placed).index("program.py:10")
    assert placed["program.py:10"][0] == "3"
    assert placed["program.py:10"][-1] == "dear(2000)"
    assert placed["program.py:8"][0] == "1"
    assert int(placed["program.py:5"][0].replace(",", "")) >= 6000
