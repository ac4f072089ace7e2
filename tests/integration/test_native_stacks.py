"""C functions in one stack with Python's, of real programs: `sonde sample --native`."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from interpreters import version_of
from needed import needs
from sampled_pythons import on_each_python, running
from sonde.base.errors import MissingCapability, UsageError
from sonde.code import Function
from sonde.instruments.contexts.own_sampling_options import MechanismOptions, check_mechanism
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, is_stand_in
from sonde.instruments.contexts.sampling_options import SampleOptions
from sonde.instruments.contexts.sources.sampling import Found, StackSampling, check_unwinder, stack_sampling
from sonde.instruments.contexts.verb.sampled_process import look_at_process
from sonde.instruments.contexts.verb.sampled_run import profile_of

_ENOUGH = 300
"""Stacks: each of the four things that the program does is in one of them, but for one chance in 10^30."""
_INNER = {"compress", "sorts", "key", "calls_back", "compare", "counts", "generator expression in counts"}


def paths(profile: ContextProfile) -> Iterator[tuple[Function, ...]]:
    """The functions of each context that has time of its own, outermost first."""
    found: list[tuple[Function, ...]] = []
    tree = profile.contexts
    for above, number, own in zip(tree.parent, tree.function, tree.self_ns, strict=True):
        path = (*(found[above] if above != NO_PARENT else ()), profile.functions[number])
        found.append(path)
        if own:
            yield path


def between(path: tuple[Function, ...], outer: str, inner: str) -> tuple[Function, ...]:
    names = [function.name for function in path]
    return path[names.index(outer) + 1 : names.index(inner)]


def seen_of(python: Path, program: str) -> tuple[StackSampling, ContextProfile]:
    """A program of ours that was looked at until enough was seen of it, and went on."""
    with running(python, program) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        if process.stdout.readline() != "ready\n":
            pytest.skip("the program cannot run here")
        sampling = StackSampling(1_000_000, is_processor=True, native=True)
        assert sampling.try_pid(process.pid) is Found.FOUND
        sampling.begin()
        while sampling.sampler.sums()["stacks"] < _ENOUGH and not sampling.wait(0.05):
            pass  # nobody else may ask for the state of a child that is traced
        sampling.end()
        process.stdin.close()
        assert process.wait(60) == 0
    if not sampling.native_sums()["pauses"]:
        pytest.skip("the system does not let a process trace its children")
    return sampling, profile_of(sampling, None, ())


@needs(check_unwinder)
@on_each_python
def test_stacks_go_from_python_to_c_and_back(python: Path) -> None:
    sampling, profile = seen_of(python, "native_calls.py")
    sums = sampling.native_sums()
    assert sums["unwound"] > 0
    seen = [path for path in paths(profile) if any(function.name == "works" for function in path)]
    for path in seen:
        of_python = [
            function.name
            for function in path
            if function.language == "python" and not is_stand_in(function) and function.module != "ctypes"
        ]
        assert of_python[:2] == ["<module>", "works"], path
        assert set(of_python[2:]) <= _INNER, path
    names = {function.name for path in seen for function in path}
    assert {"compress", "key", "compare"} <= names
    assert not names & {"_PyEval_EvalFrameDefault", "_PyFunction_Vectorcall", "PyObject_Vectorcall", "Py_BytesMain"}
    for path in seen:
        if path[-1].name == "key":
            assert {function.language for function in between(path, "sorts", "key")} <= {"native"}
        if "compress" in (function.name for function in path) and path[-1].name != "compress":
            assert all(
                function.language == "native" or is_stand_in(function)
                for function in between(path, "compress", path[-1].name)
            )
    # Of a stack that was cut, what is further out is missing; so one of them must be whole.
    calling = [{function.name for function in path} for path in seen]
    assert any(between(path, "sorts", "key") for path, names in zip(seen, calling, strict=True) if "key" in names)
    sorting = [
        between(path, "calls_back", "compare") for path, names in zip(seen, calling, strict=True) if "compare" in names
    ]
    # Of the libffi that comes with Debian's newer versions, elfutils 0.188 does not leave closures: limitations.md.
    is_left = version_of(python) < (3, 14)
    assert not is_left or any("libc." in function.library for functions in sorting for function in functions)
    (stopped,) = [loss for loss in profile.losses if loss.kind == "threads-stopped"]
    assert stopped.amount == sums["pauses"]


@needs(check_unwinder)
def test_code_of_a_jit_stands_between_who_calls_it_and_whom_it_calls() -> None:
    _, profile = seen_of(Path(sys.executable), "jit_calls.py")
    below = [path for path in paths(profile) if any(function.name == "calls" for function in path)]
    through = [path for path in below if any(function.name == "spins" for function in path)]
    assert through, "the list of code is read within 0.1 s"
    for path in through:
        (spins,) = [function for function in path if function.name == "spins"]
        assert spins.language == "jit"
        assert {function.language for function in between(path, "calls", "spins")} == {"native"}
    alone = [path for path in paths(profile) if path[-1].name == "forever"]
    assert alone, "it runs all the time"
    assert not any(function.language == "python" for path in alone for function in path)
    inner = [path for path in through if path[-1].name == "called_back"]
    assert all(
        {function.language for function in between(path, "spins", "called_back")} == {"native"} for path in inner
    )


@needs(check_unwinder)
def test_a_program_that_is_looked_at_natively_ends_as_ever(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        "import select, subprocess, sys, time, zlib\n"
        "poll, end = select.epoll(), time.process_time() + 0.1\n"
        "while time.process_time() < end: zlib.compress(bytes(10000)); poll.poll(0.0005)\n"
        "print(subprocess.run(['sh', '-c', 'echo child; exit 3'], capture_output=True))\n"
        "sys.exit(7)\n"
    )
    command = [sys.executable, "-m", "sonde", "sample", "--native", "-r", "3kHz", str(script)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600)
    plain = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    assert (ended.returncode, ended.stdout) == (7, plain.stdout), ended.stderr
    assert "app.py" in ended.stderr


def test_without_the_library_that_unwinds_it_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, fact in ((1, "no libdw.so.1"), (2, "older than 0.188"), (3, "only registers of x86-64")):
        monkeypatch.setattr(stack_sampling, "find_unwinder", lambda answer=answer: answer)
        with pytest.raises(MissingCapability, match=fact) as told:
            StackSampling(1_000_000, is_processor=True, native=True)
        assert told.value.slug == "no-unwinder"


def test_programs_that_sample_themselves_have_no_c_functions() -> None:
    with pytest.raises(UsageError) as told:
        check_mechanism(MechanismOptions("immediate"), SampleOptions(native=True))
    assert told.value.slug == "mechanism-from-inside"


@needs(check_unwinder)
def test_a_process_that_is_traced_already_is_left_alone() -> None:
    code = "import ctypes, sys\nprint(ctypes.CDLL(None).ptrace(0, 0, 0, 0), flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as traced:
        assert traced.stdout is not None
        if traced.stdout.readline() == "0\n":
            sampling = StackSampling(1_000_000, is_processor=True, native=True)
            with pytest.raises(MissingCapability, match="another program traces it") as told:
                look_at_process(sampling, traced.pid)
            assert told.value.slug == "already-traced"
        traced.communicate()


def test_runs_without_c_functions_say_nothing_of_stops() -> None:
    sampling = StackSampling(1_000_000, is_processor=True)
    assert sampling.native_sums() == {}
    assert profile_of(sampling, None, ()).losses == ()
