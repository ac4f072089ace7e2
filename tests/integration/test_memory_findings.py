"""The document's findings about heap accesses, from real runs: two simulations of the example, and the report's one."""

import re
import subprocess
import sys
from pathlib import Path

from measuring import environment, run_sonde
from needed import needs
from sonde.instruments.memory.profile import heap_share, read_memory_profile
from sonde.instruments.memory.source import check_tool

pytestmark = needs(check_tool)

EXAMPLES = Path(__file__).parents[2] / "examples/memory"
CACHES = ("--l1", "32K,4,32", "--l2", "1M,8,128", "--levels", "2")
APP = """\
def main():
    rows = [[str(i)] * 3 for i in range(4000)]
    print(sum(len(row[1]) for row in rows))

main()
"""
ROW = re.compile(r"\| linked list \| \d+ M \| (\d+)% \| (\S+) \| (\S+) \| (\d+)% \| (\S+) \| (\S+) \|")


def test_the_simulation_of_everything_is_the_profile_s(tmp_path: Path, cache: str) -> None:
    app, output = tmp_path / "app.py", tmp_path / "run.sonde"
    app.write_text(APP, encoding="utf-8")
    tool = EXAMPLES / "heap_alone.py"

    done = run_sonde("memory", "--quiet", "-o", output, *CACHES, "--tool", tool, app, XDG_CACHE_HOME=cache)

    assert (done.returncode, done.stdout) == (0, "14890\n"), done.stderr
    lines = {line.rsplit("  ")[-1]: re.findall(r"[\d,]+(?= )", line) for line in done.stderr.splitlines()}
    every, objects = ([int(text.replace(",", "")) for text in lines[name]] for name in ("all", "objects alone"))
    profile = read_memory_profile(output)
    assert every[:2] == [profile.accesses, profile.total_misses[0]]
    assert every[2] <= profile.total_misses[1]  # there instructions are in L2, too
    heap = heap_share(profile)
    assert heap.accesses / 2 < objects[0] < heap.accesses
    assert objects[1] < heap.misses[0]  # a cache of their own, and without the allocator's pools


def test_looking_at_objects_alone_overestimates_miss_rates(cache: str) -> None:
    command = [sys.executable, str(EXAMPLES / "findings.py"), "--size", "0.1", "linked list"]

    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment(XDG_CACHE_HOME=cache))

    row = ROW.search(done.stdout)
    assert row is not None, done.stderr
    of_objects, *alone, of_allocated = row.group(1, 2, 3, 4)
    assert 15 < int(of_objects) <= int(of_allocated) < 60
    assert all(1.5 < float(times) < 6 for times in (*alone, *row.group(5, 6)))
    assert f"mean share of object accesses: {of_objects}%" in done.stdout


def test_an_unknown_workload_is_refused() -> None:
    command = [sys.executable, str(EXAMPLES / "findings.py"), "nonsense"]

    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment())

    assert done.returncode == 2
    assert "there is no workload 'nonsense'" in done.stderr
