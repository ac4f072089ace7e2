"""Which line misses the cache: the example's answer is known, and stands in the first three lines."""

import json
from pathlib import Path

from measuring import run_sonde
from needed import needs
from report_json import table
from sonde.base.fitted_text import display_width
from sonde.instruments.memory.source import check_tool

pytestmark = needs(check_tool)

EXAMPLE = Path(__file__).parents[2] / "examples" / "answers" / "cache_misses" / "columns.py"
CACHES = ("--l1", "32K,8,64", "--l2", "512K,8,64", "--levels", "2", "--latencies", "4,14,200")


def line_of(text: str) -> int:
    """The number of the line that holds a text."""
    (found,) = (
        number for number, line in enumerate(EXAMPLE.read_text(encoding="utf-8").splitlines(), 1) if text in line
    )
    return found


def test_the_first_three_lines_name_the_line_that_misses(tmp_path: Path, cache: str) -> None:
    profile = tmp_path / "columns.sonde"
    done = run_sonde("memory", *CACHES, "-o", profile, EXAMPLE, XDG_CACHE_HOME=cache)

    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if not line.startswith("sonde: ")]
    assert f"columns.py:{line_of('table[column::COLUMNS]')} in sum_columns has " in " ".join(told[:3])
    assert max(map(display_width, told)) <= 80

    data = json.loads(run_sonde("view", profile, "--json", "--mine").stdout)
    misses = {row["line"]["line"]: row["d1_misses"]["value"] for row in table(data, "python_lines")}
    # 512 x 512 numbers three times, 8 in a line of the cache: each of a column misses, one in 8 of a row. A slice is
    # also a copy: where it lies where the cache is full, its lines miss too, at most as many as a row has.
    columns, rows = misses[line_of("table[column::COLUMNS]")], misses[line_of("table[row * COLUMNS")]
    numbers = 3 * 512 * 512
    assert numbers <= columns < 1.3 * numbers
    assert numbers / 8 <= rows < 1.3 * 2 * numbers / 8
