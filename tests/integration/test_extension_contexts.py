"""Extension modules that were built with probes: their calls below those of the Python functions that make them."""

import sysconfig
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from measuring import ORACLE, PROGRAMS, Measured, measure, paths_of_rows, run_plainly, run_sonde, told_by_oracle
from needed import needs
from sonde.instruments.contexts.profile import ContextProfile
from sonde.jit.compilers import find_compiler

pytestmark = needs(find_compiler)

_FOLDER = PROGRAMS / "extension"
_SCRIPT, _TWIN, _SOURCE = _FOLDER / "calls.py", _FOLDER / "twin", _FOLDER / "walks.c"
_BEFORE = ("-shared", "-fPIC", "-O2", "-fno-optimize-sibling-calls")

_LEFT_OUT = (("<module>", str(_TWIN / "walks.py")), ("PyInit_walks", str(_SOURCE)))
"""What each module does when it is imported."""

Calls = Counter[tuple[str, ...]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the module."""
    folder = tmp_path_factory.mktemp("built")
    include = f"-I{sysconfig.get_path('include')}"
    done = run_sonde("contexts", "--build", "--", "cc", *_BEFORE, include, _SOURCE, "-o", folder / "walks.so")
    assert done.returncode == 0, done.stderr
    assert "1 file compiled with probes (11 functions)" in done.stderr
    assert "now: sonde contexts script.py" in done.stderr
    return folder


@pytest.fixture(scope="module")
def measured(built: Path) -> Measured:
    return measure(built, "--exact", _SCRIPT, PYTHONPATH=str(built))


def _by_names(path: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Of a path of functions, each with its file: a Python function is known below the one that called the extension
    module, not below what is in that; what was inlined is left out."""
    kept: list[tuple[str, bool]] = []
    for name, file in path:
        is_python = file == str(_SCRIPT)
        while is_python and kept and not kept[-1][1]:
            kept.pop()
        if name != "inlined":
            kept.append((name, is_python))
    return tuple(name for name, _ in kept)


def _calls(counted: Iterable[tuple[list[tuple[str, str]], int]], *files: Path) -> Calls:
    found = Calls()
    for path, calls in counted:
        inside = [each for each in path if Path(each[1]) in files]
        if calls and inside[-1:] == [path[-1]] and path[-1] not in _LEFT_OUT and path[-1][0] != "inlined":
            found[_by_names(inside)] += calls
    return found


def _calls_of(profile: ContextProfile) -> Calls:
    counted = zip(paths_of_rows(profile), profile.contexts.calls, strict=True)
    return _calls((([each[:2] for each in path], calls) for path, calls in counted), _SCRIPT, _SOURCE)


def _calls_of_twin(folder: Path) -> tuple[Calls, str]:
    result = folder / "oracle.json"
    done = run_plainly(ORACLE, result, _SCRIPT, PYTHONPATH=str(_TWIN))
    assert done.returncode == 0, done.stderr
    counted = (([step[:2] for step in path], calls) for path, calls in told_by_oracle(result).items())
    return _calls(counted, _SCRIPT, _TWIN / "walks.py"), done.stdout


def test_calls_are_those_of_the_same_functions_in_python(measured: Measured, tmp_path: Path) -> None:
    expected, output = _calls_of_twin(tmp_path)
    assert _calls_of(measured.profile) == expected
    assert measured.stdout == output
    assert expected["<module>", "main", "search", "find", "differ", "lowest"] == 14
    assert expected["<module>", "main", "asks_again", "asks", "work"] == 6
    assert not measured.profile.losses


def test_bounded_trees_have_all_calls_of_the_module(built: Path, measured: Measured, tmp_path: Path) -> None:
    bounded = measure(tmp_path, "--no-time", "--phi", "0.2", _SCRIPT, PYTHONPATH=str(built)).profile
    assert bounded.left_something_out
    assert _sums(bounded) == _sums(measured.profile)


def _sums(profile: ContextProfile) -> "Counter[str]":
    found = Counter[str]()
    for function, calls in zip(profile.contexts.function, profile.contexts.calls, strict=True):
        if profile.functions[function].file == str(_SOURCE):
            found[profile.functions[function].name] += calls
    return found


def test_calls_have_their_lines_and_what_was_inlined_its_place(measured: Measured) -> None:
    profile = measured.profile
    tree = profile.contexts
    lines = set[tuple[str, str, str]]()
    for parent, function, line in zip(tree.parent, tree.function, tree.call_line, strict=True):
        if parent >= 0 and profile.functions[function].file == str(_SOURCE):
            caller = profile.functions[tree.function[parent]]
            if Path(caller.file) in (_SCRIPT, _SOURCE):
                text = Path(caller.file).read_text(encoding="utf-8").split("\n")[line - 1].strip() if line else ""
                lines.add((caller.name, profile.functions[function].name, text))
    assert ("asks", "work", "return walks.work(4)") in lines
    assert ("work", "step", "return PyLong_FromLong(step(PyLong_AsLong(number)));") in lines
    assert ("inlined", "lowest", "INLINED long inlined(long n) { return lowest(n) + 1; }") in lines
    assert ("find", "differ", "") in lines  # code without probes called it


def test_time_between_call_and_return_is_the_functions_that_python_called(measured: Measured) -> None:
    profile = measured.profile
    own = Counter[str]()
    for function, time in zip(profile.contexts.function, profile.contexts.self_ns, strict=True):
        if profile.functions[function].file == str(_SOURCE):
            own[profile.functions[function].name] += time
    assert set(+own) <= {"work", "search", "call", "alone", "PyInit_walks"}
    assert own["work"] > 0 and own["search"] > 0 and own["call"] > 0


@pytest.mark.parametrize("followed", [True, False])
def test_a_forked_child_counts_into_its_own_or_not_at_all(built: Path, tmp_path: Path, followed: bool) -> None:
    options = ["--follow"] if followed else []
    found = measure(tmp_path, "--exact", *options, _SCRIPT, "fork", PYTHONPATH=str(built)).profile
    assert _calls_of(found)["<module>", "asks", "work"] == followed


@pytest.mark.parametrize("words", [["--threads"], ["--burst", "20ms/2ms"]])
def test_where_they_are_not_counted_that_is_told(built: Path, tmp_path: Path, words: list[str]) -> None:
    found = measure(tmp_path, *words, _SCRIPT, PYTHONPATH=str(built)).profile
    assert [each.detail for each in found.losses if each.kind == "extension-not-probed"] == [
        f"calls in extension modules with probes were not counted: that cannot be had with {words[0]}"
    ]
    assert not _sums(found)


def test_without_sonde_the_module_works_and_writes_nothing(built: Path, tmp_path: Path, measured: Measured) -> None:
    done = run_plainly(_SCRIPT, PYTHONPATH=str(built))
    assert (done.returncode, done.stdout) == (0, measured.stdout)
    assert not list(tmp_path.iterdir())
