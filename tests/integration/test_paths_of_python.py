"""Paths that Python functions count are those of every instruction that they ran."""

import os
import sys
from pathlib import Path

import pytest

from interpreters import measured_pythons, version_of
from measuring import run_sonde
from python_paths import count_paths, package_for, paths_by_log, run_plainly, without_twins
from sonde.instruments.paths.profile import read_path_profile
from sweeps import rare, sampled


def release(python: Path) -> str:
    return sys.version.split()[0] if str(python) == sys.executable else python.parts[-3]


AWKWARD = Path(__file__).parents[1] / "programs" / "paths" / "awkward.py"
WATCHED = AWKWARD.with_name("watched.py")
PYTHONS = [Path(sys.executable), *measured_pythons((3, 13))]
COUNTED = [*PYTHONS, *(python for python in measured_pythons() if python not in PYTHONS)]
"""With those that follow paths by events only."""
BY_EVENTS = [python for python in COUNTED if version_of(python) >= (3, 12)]
"""Those that can follow paths by events, too, as later ones always do."""
K = 4

# Modules of the standard library as programs: their text, and something to do behind it.
MODULES = {
    "difflib": """
a, b = [f"line {i * i % 7}" for i in range(30)], [f"line {i * i % 5}" for i in range(33)]
print(len(list(ndiff(a, b))), len(list(unified_diff(a, b))), get_close_matches("appel", ["ape", "apple", "peach"]))
""",
    "textwrap": """
text = "The quick brown fox-jumps over the lazy dog; " * 9
for width in (5, 20, 33):
    print(len(wrap(text, width)), shorten(text, width), len(fill(dedent("   a\\n    b\\n" + text), width)))
""",
    "tokenize": """
import io
source = "def f(a, *b):\\n    if a:\\n        return [x + 1.5e3 for x in b]  # c\\n    return a\\n" * 4
print(len(untokenize(generate_tokens(io.StringIO(source).readline))))
""",
    "ast": """
import inspect, json.decoder
tree = parse(inspect.getsource(json.decoder))
print(len(unparse(tree)), sum(1 for _ in walk(tree)))
""",
    "dis": """
import json.encoder
print(sum(1 for _ in get_instructions(json.encoder._make_iterencode)))
""",
    "json/decoder": """
decoder = JSONDecoder(parse_float=str)
print(decoder.decode('{"a": [1, 2.5, {"b": null}], "c": "x"}'), py_scanstring("a\\\\n\\\\u00e9b\\"", 0))
for bad in ("{", "[1,", '{"a" 1}'):
    try:
        decoder.decode(bad)
    except ValueError as error:
        print(error)
""",
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


@pytest.mark.parametrize(
    ("python", "by_events"),
    [*((python, False) for python in PYTHONS), *((python, True) for python in BY_EVENTS)],
    ids=lambda value: release(value) if isinstance(value, Path) else "events" if value else "",
)
def test_awkward_functions_count_what_a_log_of_instructions_has(
    python: Path, by_events: bool, packages: Path, tmp_path: Path, cache: str
) -> None:
    package = package_for(python, packages, cache)
    expected = paths_by_log(python, package, tmp_path, AWKWARD, K)
    assert len(expected) > 30

    counted = count_paths(python, package, tmp_path / "run", AWKWARD, K, by_events=by_events)

    assert (counted.printed, counted.ended) == run_plainly(python, AWKWARD)
    got = without_twins(counted.counts)
    assert {key: (expected.get(key), got.get(key)) for key in expected | got if expected.get(key) != got.get(key)} == {}
    # From 3.13 on, a generator that waits outside of `try` is closed without a trace.
    assert set(counted.losses) <= {"functions-never-ran", "paths-unended"}


@pytest.mark.parametrize(("python", "name"), sampled(COUNTED, list(MODULES), one_in=3), ids=str)
def test_standard_modules_count_what_a_log_of_instructions_has(
    python: Path, name: str, packages: Path, tmp_path: Path, cache: str
) -> None:
    assert_module_counts_what_the_log_has(python, name, packages, tmp_path, cache, by_events=False)


@pytest.mark.parametrize(("python", "name"), sampled(BY_EVENTS, list(MODULES), one_in=4), ids=str)
def test_standard_modules_followed_by_events_count_what_a_log_of_instructions_has(
    python: Path, name: str, packages: Path, tmp_path: Path, cache: str
) -> None:
    assert_module_counts_what_the_log_has(python, name, packages, tmp_path, cache, by_events=True)


def assert_module_counts_what_the_log_has(
    python: Path, name: str, packages: Path, tmp_path: Path, cache: str, by_events: bool
) -> None:
    package = package_for(python, packages, cache)
    library = Path(run_plainly(python, _where(tmp_path))[0].strip())
    text = (library / f"{name}.py").read_text(encoding="utf-8")
    program = tmp_path / "program.py"
    program.write_text(text.partition("\nif __name__ ==")[0] + MODULES[name], encoding="utf-8")
    expected = paths_by_log(python, package, tmp_path, program, K)

    counted = count_paths(python, package, tmp_path / "run", program, K, by_events=by_events)

    assert (counted.printed, counted.ended) == run_plainly(python, program)
    got = without_twins(counted.counts)
    assert expected
    assert {key: (expected.get(key), got.get(key)) for key in expected | got if expected.get(key) != got.get(key)} == {}


TOLD_OF_EACH_INSTRUCTION = """
monitoring = sys.monitoring
monitoring.use_tool_id(2, "other")
monitoring.register_callback(2, monitoring.events.INSTRUCTION, lambda code, offset: None)
monitoring.set_events(2, monitoring.events.INSTRUCTION)
main()
"""


@pytest.mark.parametrize(
    "python", [each for each in COUNTED if version_of(each) >= (3, 14)], ids=lambda python: python.parts[-3]
)
def test_where_another_tool_is_told_of_each_instruction_paths_are_the_same(
    python: Path, packages: Path, tmp_path: Path, cache: str
) -> None:
    """Their events say otherwise then where the branch is (3.14, 3.15)."""
    told = tmp_path / "told.py"
    told.write_text(AWKWARD.read_text(encoding="utf-8").removesuffix("main()\n") + TOLD_OF_EACH_INSTRUCTION)
    package = package_for(python, packages, cache)

    alone = count_paths(python, package, tmp_path / "alone", AWKWARD, K)
    beside = count_paths(python, package, tmp_path / "beside", told, K)

    assert len(alone.counts) > 30
    assert {key: beside.counts.get(key) for key in alone.counts} == alone.counts


@pytest.mark.parametrize(
    "python", rare(COUNTED, [each for each in COUNTED if version_of(each) in ((3, 11), (3, 13), (3, 14))]), ids=release
)
def test_tools_are_told_the_same_of_rewritten_functions(
    python: Path, packages: Path, tmp_path: Path, cache: str
) -> None:
    counted = count_paths(python, package_for(python, packages, cache), tmp_path / "run", WATCHED, 2)

    assert counted.counts["fibonacci:77"][0] > 900
    told, plainly = told_to_tools(counted.printed, python), told_to_tools(run_plainly(python, WATCHED)[0], python)
    assert len(plainly) > 3000
    differing = [at for at, (one, other) in enumerate(zip(told, plainly, strict=False)) if one != other]
    assert [(told[at], plainly[at]) for at in differing[:5]] == []
    assert len(told) == len(plainly)


def told_to_tools(printed: str, python: Path) -> list[tuple[str, ...]]:
    """What is told to be the same."""
    told = list[tuple[str, ...]]()
    for line in printed.splitlines():
        each = tuple(line.split(" "))
        if release(python).startswith("3.11") and each[2] == "line" and told and told[-1][1:4:2] == each[1:4:2]:
            continue  # what comes back to its line is told of again, also where it comes back from a probe
        if each[2] == "PY_UNWIND":
            each = (*each[:3], *each[4:])  # 3.13 tells of offsets within an instruction
        told.append(each)
    return told


def _where(folder: Path) -> Path:
    script = folder / "where.py"
    script.write_text("import os; print(os.path.dirname(os.__file__))")
    return script


def test_named_functions_are_counted_alone(tmp_path: Path, cache: str) -> None:
    python = Path(sys.executable)

    counted = count_paths(
        python, package_for(python, tmp_path, cache), tmp_path / "run", AWKWARD, 2, "fibonacci", "inner"
    )

    assert {key.partition(":")[0] for key in counted.counts} == {"fibonacci", "closure.<locals>.inner"}


def test_a_fork_leaves_the_counts_to_its_parent(tmp_path: Path, cache: str) -> None:
    program = tmp_path / "forks.py"
    program.write_text(
        "import os\n"
        "def f(n):\n    return [i for i in range(n) if i % 2]\n"
        "f(3)\n"
        "child = os.fork()\n"
        "f(30)\n"
        "if child:\n    assert os.waitpid(child, 0)[1] == 0\n"
    )
    python = Path(sys.executable)
    package = package_for(python, tmp_path, cache)

    counted = count_paths(python, package, tmp_path / "run", program, 2)

    assert counted.ended == os.EX_OK
    assert counted.counts["f:2"][0] == 2


def test_a_program_that_is_killed_leaves_its_counts(tmp_path: Path, cache: str) -> None:
    program = tmp_path / "dies.py"
    program.write_text("import os\ndef f():\n    return 1\nfor _ in range(7):\n    f()\nos.kill(os.getpid(), 9)\n")
    python = Path(sys.executable)

    counted = count_paths(python, package_for(python, tmp_path, cache), tmp_path / "run", program, 2)

    assert counted.ended == -9
    assert counted.counts["f:2"][0] == 7


WALKS = """
state = 1
def dice(n):
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return (state >> 12) % n
def walk(depth):
    total = 0
    for _ in range(40):
        if dice(2):
            total += 1
        elif dice(3):
            total -= 2
        if dice(9) == 0 and depth:
            total += walk(depth - 1)
    return total
def steps():
    while True:
        if dice(2):
            yield 1
        elif dice(2):
            yield 2
going = [steps() for _ in range(5)]
for i in range(400):
    next(going[i % 5])
    if i % 40 == 0:
        walk(3)
"""


def test_a_forest_that_is_full_is_pruned_within_its_bounds_and_activations_go_on(tmp_path: Path, cache: str) -> None:
    program = tmp_path / "walks.py"
    program.write_text(WALKS)
    python = Path(sys.executable)
    package = package_for(python, tmp_path, cache)

    exact = count_paths(python, package, tmp_path / "exact", program, K)
    pruned = count_paths(python, package, tmp_path / "pruned", program, K, most=300)

    assert not exact.losses
    assert pruned.losses.keys() == {"paths-pruned", "paths-cut-by-pruning"}
    floor, cuts = pruned.losses["paths-pruned"], pruned.losses["paths-cut-by-pruning"]
    assert pruned.counts.keys() == exact.counts.keys()
    for function, (activations, sequences) in exact.counts.items():
        kept_activations, kept = pruned.counts[function]
        assert kept_activations == activations
        assert kept.keys() <= sequences.keys()
        for sequence, count in sequences.items():
            others = sequence.count(" ")
            assert 0 <= count - kept.get(sequence, 0) <= (floor + others * cuts if others else 0)


NO_BURST = b"\0" * 8 + b"\1"
"""A file of bursts of which the first began long ago, and none goes on."""


def test_functions_count_in_bursts_only(tmp_path: Path, cache: str) -> None:
    python = Path(sys.executable)
    package = package_for(python, tmp_path, cache)
    always = count_paths(python, package, tmp_path / "always", AWKWARD, K)

    in_one = count_paths(python, package, tmp_path / "one", AWKWARD, K, bursts=b"")
    in_none = count_paths(python, package, tmp_path / "none", AWKWARD, K, bursts=NO_BURST)

    assert (in_one.printed, in_one.counts) == (always.printed, always.counts)
    assert (in_none.printed, in_none.counts) == (always.printed, {})


def test_what_python_functions_count_in_bursts_was_taken(tmp_path: Path) -> None:
    program = tmp_path / "turns.py"
    program.write_text(
        "import time\n"
        "def turns(n):\n"
        "    total = 0\n"
        "    for i in range(n):\n"
        "        if i & 1:\n            total += i\n        else:\n            total ^= n\n"
        "    return total\n"
        "end = time.monotonic() + 0.2\n"
        "while time.monotonic() < end:\n    turns(5000)\n"
        "print('done')\n"
    )
    done = run_sonde("paths", "-k", "2", "--burst", "3ms/1ms", "-o", tmp_path / "run.sonde", program)
    assert done.stdout == "done\n" and "of the time: counts are of these" in " ".join(done.stderr.split())
    (turns,) = read_path_profile(tmp_path / "run.sonde").routines
    pairs = [path for path in turns.forest.paths() if len(path) > 1]
    assert pairs and all(one != other for one, other in pairs)


def test_where_no_function_of_the_programs_own_runs_that_is_said(tmp_path: Path) -> None:
    source = tmp_path / "data.json"
    source.write_text("[1, 2]")
    script = tmp_path / "app.py"
    script.write_text("import json, sys\nprint(json.loads('[1, 2]'))\n")
    done = run_sonde("paths", script)
    assert (done.returncode, done.stdout) == (0, "[1, 2]\n")
    assert "no function of the program's own ran" in done.stderr and "--function NAME" in done.stderr
    assert "json" in run_sonde("paths", "-m", "json.tool", source).stderr  # the package that -m names is the program
    named = run_sonde("paths", "--function", "missing", script)
    assert "no function that ran is called 'missing'" in named.stderr


def test_what_stands_behind_c_is_the_programs_own_and_other_strings_are_not() -> None:
    code = (
        "from dataclasses import make_dataclass\nmake_dataclass('A', ['x'])(1)\n"
        "def f(n):\n    for _ in range(n):\n        pass\nf(9)\n"
    )
    told = run_sonde("paths", "-c", code).stderr
    assert "10 paths · 1 activation" in told and "\ufffd" not in told


def test_functions_are_named_by_their_last_parts(tmp_path: Path) -> None:
    source = tmp_path / "app.py"
    source.write_text("class Parser:\n    def parse(self):\n        return 1\n\nParser().parse()\n")
    done = run_sonde("paths", "--function", "parse", "-o", tmp_path / "a.sonde", source)
    assert done.returncode == 0 and "paths of Parser.parse" in done.stderr, done.stderr
    assert "Parser.parse" in run_sonde("view", tmp_path / "a.sonde", "--function", "Parser.parse").stdout
    missing = run_sonde("view", tmp_path / "a.sonde", "--function", "pars")
    assert missing.returncode == 2 and "did you mean 'parse'" in missing.stderr
