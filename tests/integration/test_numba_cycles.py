"""`sonde contexts --cycles bench.py`: what Numba compiles, by itself, and nothing else changed."""

from collections import Counter
from pathlib import Path

import pytest

from measuring import PROGRAMS, Measured, measure, run_plainly, run_sonde, run_sonde_here
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile

pytest.importorskip("numba", reason="needs Numba: pip install sonde[numba]")

_UNITS = PROGRAMS / "numba" / "units.py"
_THREADS = {"NUMBA_NUM_THREADS": "2", "NUMBA_THREADING_LAYER": "workqueue"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def measured(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = tmp_path_factory.mktemp("cycles")
    return measure(folder, "--cycles", "--follow", _UNITS, NUMBA_CACHE_DIR=str(cache), **_THREADS)


@pytest.fixture(scope="module")
def counted(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """The same program with probes at its calls."""
    folder = tmp_path_factory.mktemp("calls")
    return measure(folder, "--exact", "--follow", _UNITS, NUMBA_CACHE_DIR=str(cache), **_THREADS)


def compiled_calls(profile: ContextProfile) -> "Counter[tuple[str, str, int]]":
    found = Counter[tuple[str, str, int]]()
    for function, calls in zip(profile.contexts.function, profile.contexts.calls, strict=True):
        of = profile.functions[function]
        if calls and of.language == "jit":
            found[of.name, of.file, of.first_line] += calls
    return found


def test_entries_are_those_that_probes_at_calls_count(measured: Measured, counted: Measured) -> None:
    found, expected = compiled_calls(measured.profile), compiled_calls(counted.profile)
    # What a generator becomes has no name of Numba's.
    (of_next,) = [each for each in found if each[0] == "numbers (next)"]
    (its_symbol,) = [each for each in expected if "numbers" in each[0] and "next" in each[0]]
    assert found.pop(of_next) == expected.pop(its_symbol) == 5
    assert found == expected
    assert {"work", "fib", "fails", "raised (loop)", "in_parallel"} <= {name for name, _, _ in found}
    assert all(function.language == "jit" for function in measured.profile.functions)


def test_units_are_roots_and_divided_by_what_their_loops_run(measured: Measured) -> None:
    profile = measured.profile
    tree = profile.contexts
    own = dict[tuple[str, str], int]()
    for function, parent, ns in zip(tree.function, tree.parent, tree.self_ns, strict=True):
        above = "" if parent == NO_PARENT else profile.functions[tree.function[parent]].name
        own[above, profile.functions[function].name] = ns
    most, least = own["work", "most"], own["work", "least"]
    assert most / (most + least) == pytest.approx(0.9, abs=0.01)
    assert profile.has_units and profile.run.clock == "cycles"
    lines = _UNITS.read_text("utf-8").split("\n")
    of_most = next(each for function, each in profile.line_samples.items() if function.name == "most")
    assert "s = s / 3 + i" in lines[max(of_most, key=of_most.__getitem__) - 1]


def test_all_threads_and_processes_have_theirs(measured: Measured) -> None:
    first, child = measured.profile.processes
    assert first.threads == 4 + 2 and child.threads == 1  # those of the parallel loop, too
    assert child.parent_pid == first.pid and child.calls
    assert all(each.mechanism == "numba-late-cycles, stamps: chosen" and each.python for each in (first, child))


def test_the_program_its_machine_code_and_its_cache_are_as_they_were(
    measured: Measured, counted: Measured, cache: Path
) -> None:
    assert not [*cache.rglob("*.nb*")]
    plain = run_plainly(_UNITS, NUMBA_CACHE_DIR=str(cache), **_THREADS)
    assert measured.stdout.split("\n")[:-2] == plain.stdout.split("\n")[:-2]
    assert (measured.stderr, measured.returncode) == (plain.stderr, 0)
    # Numba shows code that was generated twice where sonde is not there, so that its twin is another profile's.
    assert measured.stdout == counted.stdout


@pytest.mark.parametrize("words", [["--time", "sampled"], ["--threads"], ["--builtins"], ["--exact"]])
def test_what_cycles_of_python_programs_do_not_have_is_refused(words: list[str], tmp_path: Path) -> None:
    ran = run_sonde_here("contexts", "--cycles", *words, str(_UNITS), cwd=tmp_path)
    assert ran.returncode == 2 and words[0] in ran.stderr and ran.stdout == ""


def test_a_program_without_compiled_functions_runs_and_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "it.py"
    script.write_text("import sys\nprint(1)\nsys.exit(int(sys.argv[1]))\n", encoding="utf-8")
    for code, expected in ((0, 3), (5, 5)):
        ran = run_sonde("contexts", "--cycles", str(script), str(code))
        assert (ran.returncode, ran.stdout) == (expected, "1\n")
        assert "Numba compiled no function" in ran.stderr


def test_what_numba_compiles_without_probes_is_told(tmp_path: Path) -> None:
    script = tmp_path / "it.py"
    script.write_text(
        "from numba.core import caching\ndel caching.Cache\n"
        "from numba import njit\n@njit\ndef f(n):\n    return n + 1\nprint(f(1))\n",
        encoding="utf-8",
    )
    ran = run_sonde("contexts", "--cycles", str(script))
    assert (ran.returncode, ran.stdout) == (3, "2\n")
    assert "cycles of functions that Numba compiled were not counted: AttributeError" in ran.stderr
