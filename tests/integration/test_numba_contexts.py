"""Functions that Numba compiles, below the Python functions that call them: exact counts, and nothing else changed."""

import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from measuring import ORACLE, PROGRAMS, Measured, measure, run_plainly, told_by_oracle
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile

pytest.importorskip("numba", reason="needs Numba: pip install sonde[numba]")

_CALLS, _ARRAYS = PROGRAMS / "numba" / "calls.py", PROGRAMS / "numba" / "arrays.py"
_THREADS = {"NUMBA_NUM_THREADS": "2", "NUMBA_THREADING_LAYER": "workqueue"}

Path_ = tuple[str, ...]


def own_calls(profile: ContextProfile, script: Path) -> "Counter[Path_]":
    """Calls of the script's functions, by the names of these alone, outermost first."""
    found, tree = Counter[Path_](), profile.contexts
    own = {number: each.name for number, each in enumerate(profile.functions) if each.file == str(script)}
    paths: list[Path_] = []
    for parent, function, calls in zip(tree.parent, tree.function, tree.calls, strict=True):
        path = () if parent == NO_PARENT else paths[parent]
        if function in own:
            path = (*path, own[function])
            if calls:
                found[path] += calls
        paths.append(path)
    return found


_SMALL = "from numba import njit\n@njit\ndef f(n):\n    return n + 1\nprint(f(1))\n"


def small(folder: Path, before: str = "") -> Path:
    """A program whose one function Numba compiles."""
    program = folder / "program.py"
    program.write_text(before + _SMALL, encoding="utf-8")
    return program


@pytest.fixture(scope="module")
def cache_of_exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def exact(cache_of_exact: Path, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Every call that is left, counted in all contexts; a child that is forked is not followed."""
    return measure(tmp_path_factory.mktemp("exact"), "--exact", _CALLS, "fork", NUMBA_CACHE_DIR=str(cache_of_exact))


@dataclass(frozen=True)
class Plain:
    """A run without sonde, and the cache that Numba wrote in it."""

    done: "subprocess.CompletedProcess[str]"
    cache: Path
    kept: dict[Path, bytes]


def kept_in(cache: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in cache.rglob("*.nb*")}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    cache = tmp_path_factory.mktemp("plain")
    done = run_plainly(_CALLS, "look", NUMBA_CACHE_DIR=str(cache))
    return Plain(done, cache, kept_in(cache))


@pytest.fixture(scope="module")
def followed(plain: Plain, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """As `exact`, with a child that is followed, and where a plain run has left what it compiled."""
    folder = tmp_path_factory.mktemp("followed")
    return measure(folder, "--exact", "--follow", _CALLS, "fork", NUMBA_CACHE_DIR=str(plain.cache))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> "Counter[Path_]":
    """The same, of the functions as they are written: run by Python under a profile function that walks the stack."""
    result = tmp_path_factory.mktemp("oracle") / "oracle.json"
    # What runs while Numba is imported takes most of the time, and is not asked for.
    oracle = "import numba, runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    done = run_plainly("-c", oracle, ORACLE, result, _CALLS, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    found = Counter[Path_]()
    for path, calls in told_by_oracle(result).items():
        if path[-1][1] == str(_CALLS):
            found[tuple(name for name, file, _, _ in path if file == str(_CALLS))] += calls
    return found


def comparable(calls: "Counter[Path_]") -> "Counter[Path_]":
    """The oracle sees no calls of the functions that threads begin in, and is not asked to look."""
    return Counter({path: count for path, count in calls.items() if path != ("run_thread",) and "look" not in path})


def compiled_calls(profile: ContextProfile) -> "Counter[str]":
    """Calls of compiled functions, by name."""
    found = Counter[str]()
    for function, calls in zip(profile.contexts.function, profile.contexts.calls, strict=True):
        if profile.functions[function].language == "jit":
            found[profile.functions[function].name] += calls
    return found


@pytest.fixture(scope="module")
def early(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """All calls that are written."""
    folder = tmp_path_factory.mktemp("early")
    return measure(folder, "--exact", "--probes", "early", _CALLS, "look", NUMBA_CACHE_DIR=str(folder / "cache"))


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Those that are left when Numba has optimized them, with the options of everyday."""
    folder = tmp_path_factory.mktemp("late")
    return measure(folder, _CALLS, "look", NUMBA_CACHE_DIR=str(folder / "cache"))


def test_calls_are_those_that_python_makes_of_the_same_functions(early: Measured, written: "Counter[Path_]") -> None:
    assert comparable(own_calls(early.profile, _CALLS)) == comparable(written)
    assert written["<module>", "run", "sums", "leaf"] == 7


def test_what_the_optimiser_left_is_counted_in_its_context_too(late: Measured, written: "Counter[Path_]") -> None:
    found = own_calls(late.profile, _CALLS)
    from_python = {
        path: calls for path, calls in written.items() if path[-2:-1] in (("run",), ("asks",), ("run_thread",))
    }
    # Of Python's contexts, light ones may be forgotten once and made again, with the options of everyday.
    compiled = set(compiled_calls(late.profile))
    of_compiled = {path: calls for path, calls in from_python.items() if path[-1] in compiled}
    assert of_compiled and {path: found[path] for path in of_compiled} == of_compiled
    assert all(found[path] <= calls for path, calls in from_python.items())
    fibs = {path: calls for path, calls in written.items() if "fib" in path}
    assert {path: found[path] for path in fibs} == fibs  # it cannot be inlined into itself for good
    mechanisms = {process.mechanism.split(" and ")[-1] for process in late.profile.processes}
    assert mechanisms == {"numba-late-probes"} and late.profile.approximation is not None


@pytest.mark.parametrize("when", ["early", "late"])
def test_functions_have_their_place_and_calls_their_line(when: str, request: pytest.FixtureRequest) -> None:
    measured: Measured = request.getfixturevalue(when)
    lines = _CALLS.read_text("utf-8").split("\n")
    call = next(at for at, line in enumerate(lines, 1) if "fib(n) + leaf(n)" in line)
    functions, tree = measured.profile.functions, measured.profile.contexts
    ((first, found),) = {
        (functions[function].first_line, line)
        for parent, function, line in zip(tree.parent, tree.function, tree.call_line, strict=True)
        if functions[function].name == "fib" and functions[tree.function[parent]].name == "asks"
    }
    assert found == call and lines[first] == "def fib(n):"


def test_the_program_and_its_numba_are_as_they_were(early: Measured, late: Measured, plain: Plain) -> None:
    done = plain.done
    assert late.stdout == done.stdout and "[] " in done.stdout and done.stdout.endswith("False\n")
    lines = early.stdout.split("\n")
    assert lines[:-2] == done.stdout.split("\n")[:-2]  # early probes are in what Numba shows
    assert (late.stderr, early.stderr, late.returncode) == (done.stderr, done.stderr, 0)


def test_nothing_of_ours_is_among_the_calls(early: Measured) -> None:
    files = {function.file for function in early.profile.functions}
    assert not [file for file in files if "sonde" in Path(file).parts]


def test_a_cache_is_neither_read_nor_written(
    exact: Measured, cache_of_exact: Path, followed: Measured, plain: Plain
) -> None:
    assert compiled_calls(exact.profile)["kept"] == 2 and not kept_in(cache_of_exact)
    assert compiled_calls(followed.profile)["kept"] == 2 and plain.kept and kept_in(plain.cache) == plain.kept


def test_time_of_compiled_functions_is_theirs_and_not_their_callers(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from numba import njit\n"
        "@njit\ndef spin(n):\n    x = 1\n    for i in range(n):\n        x ^= (x << 1) + i\n    return x\n"
        "def calls(n):\n    return spin(n)\n"
        "calls(1)\ncalls(300_000_000)\n",
        encoding="utf-8",
    )
    profile = measure(tmp_path, "--exact", program).profile
    of = {
        name: index for index, name in enumerate(each.name for each in profile.functions) if name in ("spin", "calls")
    }
    tree = profile.contexts
    spun = sum(ns for function, ns in zip(tree.function, tree.self_ns, strict=True) if function == of["spin"])
    own = sum(ns for function, ns in zip(tree.function, tree.self_ns, strict=True) if function == of["calls"])
    assert spun > 10 * own


def test_what_numpy_c_and_threads_call(tmp_path: Path) -> None:
    profile = measure(tmp_path, "--exact", "--probes", "early", _ARRAYS, **_THREADS).profile
    found = own_calls(profile, _ARRAYS)
    main = ("<module>", "main")
    expected = {
        (*main, "asks_python"): 1,
        (*main, "asks_python", "leaf"): 1,
        (*main, "asks_python (object mode)"): 1,
        (*main, "asked"): 1,  # a Python function: below the Python function that runs
        (*main, "asked", "fib"): 1,
        (*main, "asked", "fib", "fib"): 2,
        (*main, "asked", "fib", "fib", "fib"): 4,
        (*main, "asked", "fib", "fib", "fib", "fib"): 2,
        (*main, "call_back", "callback"): 1,
        (*main, "call_back", "callback", "leaf"): 1,
        (*main, "raised (loop)", "raised"): 10,
        (*main, "raised (loop)", "raised", "leaf"): 10,
        (*main, "total (loop)", "total"): 2,
        (*main, "total (loop)", "total", "leaf"): 6,
        (*main, "in_parallel"): 1,
    }
    assert {path: found[path] for path in expected} == expected
    in_loops = sum(calls for path, calls in found.items() if path[-1] == "leaf" and "parfor" in path[-2])
    loops = sum(calls for path, calls in found.items() if path[-1] == "__numba_parfor_gufunc (loop)")
    assert (in_loops, loops) == (50, 2)
    assert (found[*main, "raised (loop)"], found[*main, "total (loop)"]) == (2, 1)


@pytest.mark.parametrize("follows", [False, True])
def test_a_forked_child_counts_into_its_own_or_not_at_all(exact: Measured, followed: Measured, follows: bool) -> None:
    measured = followed if follows else exact
    found = own_calls(measured.profile, _CALLS)
    assert found["<module>", "fork", "sums"] == int(follows)
    assert found["<module>", "run", "sums"] == 1
    assert len(measured.profile.processes) == 1 + follows


@pytest.mark.parametrize("words", [["--threads"], ["--burst", "20ms/2ms"]])
def test_where_compiled_functions_are_not_counted_that_is_told(tmp_path: Path, words: list[str]) -> None:
    profile = measure(tmp_path, *words, small(tmp_path)).profile
    losses = {loss.kind: loss.detail for loss in profile.losses}
    assert f"had with {words[0]}" in losses["numba-not-probed"] and not compiled_calls(profile)


def test_a_numba_that_has_other_hooks_runs_as_it_would(tmp_path: Path) -> None:
    program = small(tmp_path, before="from numba.core import caching\ndel caching.Cache\n")
    measured = measure(tmp_path, "--exact", program)
    assert measured.stdout == "2\n", measured.stderr
    (loss,) = [loss for loss in measured.profile.losses if loss.kind == "numba-not-probed"]
    assert "AttributeError" in loss.detail and not compiled_calls(measured.profile)


def test_where_callers_are_given_up_no_call_of_compiled_functions_is(exact: Measured, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    part = measure(tmp_path, "--no-time", "--phi", "0.2", _CALLS, NUMBA_CACHE_DIR=cache).profile
    assert part.left_something_out and compiled_calls(part) == compiled_calls(exact.profile)
    assert part.total_calls >= sum(compiled_calls(exact.profile).values())
