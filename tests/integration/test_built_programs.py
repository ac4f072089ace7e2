"""`sonde contexts --build -- make`, then `sonde contexts -- ./app`: contexts of what a project's own build made."""

import bz2
import contextlib
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NoReturn

import pytest

from debian_sources import source_of
from measuring import Measured, environment, measure, run_sonde, run_sonde_here
from needed import needs
from sonde.base.errors import MissingCapability
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile
from sonde.instruments.contexts.sources.builds import run_build
from sonde.jit.compilers import find_compiler

pytestmark = [
    needs(find_compiler),
    pytest.mark.skipif(shutil.which("make") is None or shutil.which("g++") is None, reason="no make, or no g++"),
]

_PROJECT = Path(__file__).parents[1] / "built_project"

Counts = Counter[tuple[str, ...]]


def calls(profile: ContextProfile) -> Counts:
    """Calls by functions, outermost first, those of one name told apart by their files; without what was inlined."""
    names = [
        f"{Path(each.file).stem}.{each.name}" if each.name == "helper" else each.name for each in profile.functions
    ]
    tree, found, paths = profile.contexts, Counts(), list[tuple[str, ...]]()
    for row, parent in enumerate(tree.parent):
        above = () if parent == NO_PARENT else paths[parent]
        paths.append((*above, names[tree.function[row]]))
        if tree.calls[row]:
            found[paths[row]] += tree.calls[row]
    return found


def called(profile: ContextProfile, name: str) -> tuple[str, int]:
    """The only caller of a function, and the line of the call."""
    tree, functions = profile.contexts, profile.functions
    (found,) = {
        (functions[tree.function[parent]].name, line)
        for function, parent, line in zip(tree.function, tree.parent, tree.call_line, strict=True)
        if functions[function].name == name
    }
    return found


def expected(compared: int) -> dict[tuple[str, ...], int]:
    """What the project's `main.c` says itself."""
    return {
        ("worker",): 3,
        ("worker", "of_main"): 300,
        ("worker", "of_main", "main.helper"): 600,
        ("main",): 1,
        ("main", "of_main"): 10,
        ("main", "of_main", "main.helper"): 20,
        ("main", "of_other"): 10,
        ("main", "of_other", "other.helper"): 30,
        ("main", "plus"): 10,
        ("main", "plus", "int sum_of<int>(int, int)"): 10,
        ("main", "twice"): 10,
        ("main", "twice", "library.helper"): 20,
        ("main", "squared", "main.helper"): 10,
        ("main", "down"): 10,
        ("main", "down", "down"): 10,
        ("main", "down", "down", "down"): 10,
        ("main", "compare"): compared,
        ("main", "forker"): 1,
        ("main", "forker", "of_other"): 7,
        ("main", "forker", "of_other", "other.helper"): 21,
    }


def line_of(comment: str) -> int:
    text = (_PROJECT / "main.c").read_text("ascii").split("\n")
    (found,) = [number for number, line in enumerate(text, 1) if f"/* {comment} */" in line]
    return found


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


class Built:
    """The project, built by its own Makefile."""

    def __init__(self, folder: Path, cache: str, *options: str) -> None:
        self.folder = folder
        shutil.copytree(_PROJECT, folder, dirs_exist_ok=True)
        self.done = run_sonde("contexts", "--build", *options, "--", "make", "-j2", cwd=folder, XDG_CACHE_HOME=cache)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, cache: str) -> Built:
    return Built(tmp_path_factory.mktemp("project"), cache)


@pytest.fixture(scope="module")
def measured(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(tmp_path_factory.mktemp("run"), "--exact", "--follow", "--", built.folder / "app", "5")


@pytest.fixture(scope="module")
def switched(tmp_path_factory: pytest.TempPathFactory, cache: str) -> Built:
    """With probes that can be switched."""
    return Built(tmp_path_factory.mktemp("switched"), cache, "--burst", "3ms/2ms")


def test_probes_that_can_be_switched_are_on_without_bursts(switched: Built, tmp_path: Path) -> None:
    done = measure(tmp_path, "--exact", "--follow", "--", switched.folder / "app", "5")
    assert calls(done.profile) == expected(int(done.stdout.split()[1]))


def test_a_built_program_may_be_looked_at_in_bursts(switched: Built, tmp_path: Path) -> None:
    done = measure(tmp_path, "--burst", "3ms/2ms", "--follow", "--", switched.folder / "app", "5")
    sampling = done.profile.sampling
    assert sampling is not None and sampling.bursts >= 1 and 0 < sampling.fraction <= 1
    assert not done.profile.has_time and not [
        each for each in done.profile.losses if each.kind == "contexts-not-stored"
    ]
    assert calls(done.profile) and calls(done.profile).keys() <= expected(1).keys()


def test_probes_that_are_always_on_have_no_bursts(built: Built) -> None:
    refused = run_sonde_here("contexts", "--burst", "3ms/2ms", "--", "./app", "5", cwd=built.folder)
    assert refused.returncode == 2 and "it was built without --burst" in refused.stderr, refused.stderr


def test_the_build_tells_what_it_made(built: Built) -> None:
    assert built.done.returncode == 0, built.done.stderr
    assert built.done.stderr.splitlines() == [
        "sonde: 4 files compiled with probes (13 functions)",
        "sonde: options that clang does not know were left out: -fno-ipa-cp",
        "sonde: now: sonde contexts -- ./app",
    ]
    assert (built.folder / "plus.d").read_text("ascii").split()[:2] == ["plus.o:", "plus.cpp"]


def test_calls_are_counted_over_files_libraries_threads_and_forks(measured: Measured) -> None:
    assert calls(measured.profile) == expected(int(measured.stdout.split()[1]))
    assert sorted((process.threads, process.mechanism) for process in measured.profile.processes) == [
        (1, "llvm-late-probes"),
        (4, "llvm-late-probes"),
    ]


def test_places_of_calls_are_known_and_what_was_inlined_there(measured: Measured) -> None:
    profile = measured.profile
    tree, functions = profile.contexts, profile.functions
    assert called(profile, "twice") == ("main", line_of("in the library"))
    assert called(profile, "squared") == ("main", line_of("squared"))
    (within,) = [
        line
        for function, parent, line in zip(tree.function, tree.parent, tree.call_line, strict=True)
        if functions[function].name == "helper" and functions[tree.function[parent]].name == "squared"
    ]
    assert within == line_of("inlined")


def test_the_program_runs_as_it_does_alone_and_then_writes_nothing(
    built: Built, measured: Measured, tmp_path: Path
) -> None:
    alone = subprocess.run(
        [built.folder / "app", "5"], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (alone.stdout, alone.returncode) == (measured.stdout, measured.returncode)
    assert alone.returncode == 5 and not [*tmp_path.iterdir()]


def test_functions_of_a_stripped_program_have_names(built: Built, measured: Measured, tmp_path: Path) -> None:
    shutil.copytree(built.folder, tmp_path / "copy")
    for name in ("app", "liblibrary.so"):
        subprocess.run(["strip", tmp_path / "copy" / name], check=True)
    stripped = measure(tmp_path, "--exact", "--follow", "--no-time", "--", tmp_path / "copy/app", "5")
    # Without debug information nobody knows what was inlined.
    without = {tuple(each for each in path if each != "squared"): count for path, count in expected(0).items()}
    known = calls(stripped.profile)
    assert known["main", "main.helper"] == 10
    assert known.keys() == without.keys() and known["worker", "of_main"] == 300


def test_a_static_program_is_counted_too(built: Built, cache: str, tmp_path: Path) -> None:
    shutil.copytree(built.folder, tmp_path / "copy")
    done = run_sonde("contexts", "--build", "--", "make", "static", cwd=tmp_path / "copy", XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    measured = measure(tmp_path, "--exact", "--follow", "--", tmp_path / "copy/static")
    assert calls(measured.profile) == expected(int(measured.stdout.split()[1]))


_HOST = """
#include <dlfcn.h>
#include <stdio.h>
static void *call(const char *path, int times) {
    void *library = dlopen(path, RTLD_NOW);
    int (*entry)(int) = (int (*)(int))dlsym(library, "entry");
    for (int i = 0; i < times; i++) entry(i);
    dlclose(library);
    return (void *)entry;
}
int main(void) {
    void *first = call("./one.so", 3), *second = call("./two.so", 5);
    call("./one.so", 4);
    puts(first == second ? "one place" : "two places");
}
"""


def test_libraries_that_come_and_go_are_told_apart_wherever_they_lie(cache: str, tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text(_HOST)
    for name in ("one", "two"):
        (tmp_path / f"{name}.c").write_text(
            f'__attribute__((noinline)) static int in_{name}(int n) {{ __asm__ volatile(""); return n; }}\n'
            f"int entry(int n) {{ return in_{name}(n) + 1; }}\n"
        )
    steps = [f"gcc -O2 -shared -fPIC {name}.c -o {name}.so" for name in ("one", "two")]
    build = " && ".join([*steps, "gcc -O2 host.c -o host"])
    done = run_sonde("contexts", "--build", "--", "sh", "-c", build, cwd=tmp_path, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    with contextlib.chdir(tmp_path):
        measured = measure(tmp_path, "--exact", "--", "./host")
    profile = measured.profile
    tree, functions = profile.contexts, profile.functions
    counts = Counter[tuple[str, str]]()
    for function, number in zip(tree.function, tree.calls, strict=True):
        counts[functions[function].name, Path(functions[function].library).name] += number
    counts.pop(("call", "host"), None)  # inlined, or not
    assert counts == {
        ("main", "host"): 1,
        ("entry", "one.so"): 7,
        ("in_one", "one.so"): 7,
        ("entry", "two.so"): 5,
        ("in_two", "two.so"): 5,
    }


def test_what_clang_cannot_compile_is_told_and_compiled_all_the_same(cache: str, tmp_path: Path) -> None:
    (tmp_path / "nested.c").write_text(
        "int twice(int (*f)(int), int n) { return f(f(n)); }\n"
        "int main(void) { int by = 3; int times(int n) { return n * by; } return twice(times, 1); }\n"
    )
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n")
    build = ["contexts", "--build", "--"]
    nested = run_sonde(*build, "gcc", "nested.c", "-o", "nested", cwd=tmp_path, XDG_CACHE_HOME=cache)
    assert nested.returncode == 0
    assert "sonde: 1 file without probes, by the real compiler:\nsonde:   nested.c: clang: " in nested.stderr
    assert subprocess.run([tmp_path / "nested"], check=False).returncode == 9
    real = subprocess.run(["gcc", "wrong.c"], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    wrong = run_sonde(*build, "gcc", "wrong.c", cwd=tmp_path, XDG_CACHE_HOME=cache)
    assert wrong.returncode == real.returncode != 0
    assert wrong.stderr == real.stderr and "nothing" in real.stderr


def test_a_build_without_compilers_is_told(tmp_path: Path, cache: str) -> None:
    done = run_sonde("contexts", "--build", "--", "true", cwd=tmp_path, XDG_CACHE_HOME=cache)
    assert done.returncode == 0 and done.stderr.startswith("sonde: no C or C++ file was compiled")


def test_other_programs_are_told_how_to_be_built() -> None:
    done = run_sonde("contexts", "--", "true")
    assert done.returncode == 3 and "sonde contexts --build -- make" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--build", "make"), "--build is followed by '--'"),
        (("--build", "--exact", "--", "make"), "cannot build and measure at once"),
        (("--build", "-o", "run.sonde", "--", "make"), "cannot build and measure at once"),
        (("--build", "--", "no-such-make"), "no such command on PATH"),
    ],
)
def test_what_is_no_build_is_refused(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = run_sonde_here("contexts", *words, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr


def test_options_for_python_are_refused(built: Built) -> None:
    done = run_sonde_here("contexts", "--lines", "--", "./app", cwd=built.folder)
    assert done.returncode == 2 and "cannot use --lines with './app'" in done.stderr


_RECURSION = """
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(5); }
"""


def test_where_there_is_no_clang_gcc_puts_probes_in(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> NoReturn:
        raise MissingCapability("no clang", slug="no-c-compiler")

    monkeypatch.setattr("sonde.jit.compilers.find_compiler", none)
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    monkeypatch.delenv("SONDE_CC", raising=False)
    folder = tmp_path / "project"
    shutil.copytree(_PROJECT, folder)
    status, log = run_build(["make", "-s", "-C", str(folder)])
    assert status == 0 and len(log.instrumented) == len(log.with_probes) == 4 and not log.without
    measured = measure(tmp_path, "--exact", "--follow", "--", folder / "app", "5")
    of_project = {
        path: count for path, count in calls(measured.profile).items() if not any("std::" in each for each in path)
    }
    # Each function of the source counts, as none is inlined.
    assert of_project == {**expected(int(measured.stdout.split()[1])), ("main", "squared"): 10}
    assert called(measured.profile, "twice") == ("main", line_of("in the library"))
    assert {each.mechanism for each in measured.profile.processes} == {"finstrument-functions"}
    (helper,) = [
        each for each in measured.profile.functions if (each.name, Path(each.file).name) == ("helper", "other.c")
    ]
    assert helper.first_line == 1
    (tmp_path / "fib.c").write_text(_RECURSION)  # of a constant, it is inlined into itself otherwise
    program = tmp_path / "fib"
    assert run_build(["gcc", "-O2", str(tmp_path / "fib.c"), "-o", str(program)])[0] == 0
    found = calls(measure(tmp_path, "--exact", "--", program).profile)
    assert found == {("main",): 1, **{("main", *["fib"] * depth): n for depth, n in enumerate((1, 2, 4, 6, 2), 1)}}


@pytest.mark.sweep
def test_a_real_project_is_built_by_its_makefile_and_works(cache: str, tmp_path: Path) -> None:
    folder = tmp_path / "bzip2"
    shutil.copytree(source_of("bzip2"), folder)
    done = run_sonde("contexts", "--build", "--", "make", "-j2", "bzip2", cwd=folder, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    measured = measure(
        tmp_path, "--exact", "--no-time", "--", folder / "bzip2", "-k", folder / "bzlib.c", LD_LIBRARY_PATH=str(folder)
    )
    assert {"main", "BZ2_bzWrite", "BZ2_blockSort"} <= {each.name for each in measured.profile.functions}
    packed = (folder / "bzlib.c.bz2").read_bytes()
    assert measured.returncode == 0 and bz2.decompress(packed) == (folder / "bzlib.c").read_bytes()
