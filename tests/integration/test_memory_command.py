"""`sonde memory` as a person uses it: reports, data, options, a tool of one's own."""

import json
from pathlib import Path

import pytest

from measuring import run_sonde, run_sonde_here
from needed import needs
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.source import check_tool

pytestmark = needs(check_tool)

APP = """\
class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


def build(length):
    head = None
    for value in range(length):
        head = Node(value, head)
    return head


def total(node):
    found = 0
    while node is not None:
        found += node.value
        node = node.following
    return found


print(total(build(2000)))
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    path = tmp_path / "app.py"
    path.write_text(APP, encoding="utf-8")
    return path


def test_lines_types_sites_and_a_trace_of_a_python_program(app: Path, tmp_path: Path, cache: str) -> None:
    output, trace = tmp_path / "run.sonde", tmp_path / "t.addr"
    done = run_sonde("memory", "-o", output, "--trace", trace, app, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (0, "1999000\n")
    assert trace.stat().st_size > 100_000
    assert "found += node.value" in done.stderr and "__main__.Node" in done.stderr

    profile = read_memory_profile(output)
    assert profile.run.ended == "exited 0" and profile.run.complete
    assert profile.sources[str(app)] == APP
    places = [(profile.places[each.place].frames[0], each) for each in profile.python_lines]
    lines = {(Path(profile.functions[function].file).name, line) for (function, line), _ in places}
    assert {("app.py", line) for line in (3, 4, 9, 10, 16, 17, 18)} <= lines
    nodes = [each for each in profile.classes if profile.types[each.type].name == "__main__.Node"]
    assert sum(each.born for each in nodes) == 2000
    assert {profile.places[each.site].frames[0][1] for each in nodes if each.born} == {10}


def test_the_caches_that_were_asked_for_are_those_of_the_profile_and_the_same_is_data(
    app: Path, tmp_path: Path, cache: str
) -> None:
    output = tmp_path / "run.sonde"
    words = (
        "--i1",
        "8K,2,64",
        "--l1",
        "4K,1,64",
        "--l2",
        "64K,8,64",
        "--levels",
        "2",
        "--policy",
        "plru",
        "--classify",
    )
    done = run_sonde("memory", "--json", "--quiet", "-o", output, *words, app, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    printed, data = done.stdout.splitlines()
    assert printed == "1999000"
    answer = json.loads(data)
    assert (answer["schema"], answer["kind"]) == ("sonde.report/1", "memory")
    profile = read_memory_profile(output)
    assert [(each.name, each.size_bytes, each.ways) for each in profile.caches] == [
        ("I1", 8 << 10, 2),
        ("D1", 4 << 10, 1),
        ("L2", 64 << 10, 8),
    ]
    assert profile.policy.startswith("plru")
    kinds = sum(profile.totals[kind] for kind in ("cold", "capacity", "conflict"))
    assert kinds == profile.totals["misses1"] > 0


def test_counts_alone(app: Path, cache: str) -> None:
    done = run_sonde("memory", "--count-only", "--json", app, XDG_CACHE_HOME=cache)
    data = json.loads(done.stdout.splitlines()[1])
    assert data["schema"] == "sonde.memory-counts/1"
    assert data["instructions"] > data["loads"] + data["stores"] - data["modifies"] > data["stores"] > 100_000


def test_a_tool_of_ones_own(app: Path, tmp_path: Path, cache: str) -> None:
    tool = tmp_path / "births.py"
    tool.write_text(
        "from sonde.instruments.memory.toolkit import Counts, Tool, after\n\n\n"
        'class Births(Tool):\n    by_type = Counts("objects")\n\n'
        '    @after("object:create")\n    def born(self, loc, type, obj):\n'
        "        self.by_type[type].objects += 1\n\n"
        '    def report(self):\n        print("nodes:", self.by_type["__main__.Node"].objects)\n',
        encoding="utf-8",
    )
    done = run_sonde("memory", "--quiet", "--tool", tool, app, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (0, "1999000\n")
    assert "nodes: 2000\n" in done.stderr


def test_an_error_in_a_tool_is_told_before_the_program_runs(app: Path, tmp_path: Path, cache: str) -> None:
    tool = tmp_path / "wrong.py"
    tool.write_text(
        "from sonde.instruments.memory.toolkit import Tool\n\n\nclass Wrong(Tool):\n    x = open\n", encoding="utf-8"
    )
    done = run_sonde("memory", "--tool", tool, app, XDG_CACHE_HOME=cache)
    assert done.stdout == "" and done.returncode == 1
    assert "wrong.py" in done.stderr


def test_objects_of_before_a_marked_window_have_their_place_of_birth_and_no_birth(tmp_path: Path, cache: str) -> None:
    script, output = tmp_path / "marked.py", tmp_path / "run.sonde"
    script.write_text(
        "from sonde.instruments.memory.toolkit import close_window, open_window\n"
        "class Early: pass\n"
        "class Late: pass\n"
        "early = [Early() for _ in range(50)]\n"
        "open_window()\n"
        "late = [Late() for each in early if type(each) is Early]\n"
        "close_window()\n",
        encoding="utf-8",
    )
    done = run_sonde("memory", "--quiet", "--window", "manual", "-o", output, script, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    profile = read_memory_profile(output)
    found = {
        (profile.types[each.type].name, profile.places[each.site].frames[0][1]): (each.born, each.lifetimes.objects)
        for each in profile.classes
        if each.accesses and each.site >= 0
    }
    assert found["__main__.Early", 4] == (0, 0)
    assert found["__main__.Late", 6] == (50, 50)


def test_outputs_are_checked_before_the_program_runs(app: Path, tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    for option in ("-o", "--trace"):
        done = run_sonde_here("memory", option, tmp_path / "there", app, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "") and "it exists already" in done.stderr
        done = run_sonde_here("memory", option, tmp_path / "no folder" / "file", app, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
