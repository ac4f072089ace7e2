"""Programs left at every instruction of every function, with a clone to go on in: they do what they did."""

import ctypes
import mmap
import os
import platform
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from debian_sources import run_quietly
from moved_frames import Swept, sweep
from program_memory import ProgramMemory, noted_jumps
from real_programs import linked
from sonde.jit import Engine, link_program
from sonde.llvm import LlvmModule
from sweeps import rare
from swept_programs import SWEPT, swept_program
from swept_runs import Runs, run_once

_HERE = Path(__file__).parents[1] / "programs_in_c"
_SHOOTOUT = {
    "binary_trees": ("4",),
    "fannkuch": ("4",),
    "fasta": ("30",),
    "fasta_redux": ("30",),
    "mandelbrot": ("8",),
    "n_body": ("3",),
    "reverse_complement": ("70", "2"),
    "spectral_norm": ("4",),
}
_FORMS = ("as compiled", "ssa", "O1", "O2", "ssa then O2")
"""Of the program as the points are put in; what stands after `then` is run after that."""
_AWKWARD = ("unwinding.cpp", "throws.cpp", "throwing.cpp", "conventions.c", "jumps_and_sums.c")
_CASES = [(name, form) for name in (*(f"shootout/{each}.c" for each in _SHOOTOUT), *_AWKWARD) for form in _FORMS]
_KEPT = [("shootout/fasta.c", "ssa then O2"), ("unwinding.cpp", "O2"), ("conventions.c", "ssa")]
_LINKED_FROM_O1 = ("throws.cpp", "throwing.cpp")
"""What the C++ library means to be inlined is in no library."""
_SHARE = float(os.environ.get("SONDE_SWEPT_SHARE", "0.01"))
"""Of the points of real programs. All of them take some 2 to 10 s of processor time for each thousand points."""
_WHOLE = ("cjson", "tinyxml2", "libyaml", "zopfli", "lzip", "lz4", "zlib-example", "zlib-minigzip", "mujs", "bzip2")
"""Programs of which every point is left each time: at most four minutes of processor time for each."""


def _module(name: str, form: str) -> LlvmModule:
    return _in_form(link_program([_HERE / name], ["-w"]).module, form)


def _in_form(module: LlvmModule, form: str) -> LlvmModule:
    if form.startswith("ssa"):
        module.run_passes(["sroa", "simplifycfg"])
    elif form.startswith("O"):
        module.optimize(int(form[1:]))
    return module


def _check(swept: Swept, *, most_refused: float) -> None:
    assert not swept.different, swept.different[:3]
    assert swept.fired
    assert swept.masked < 0.001
    assert sum(swept.refused.values()) <= most_refused * swept.total, (swept.refused, swept.total)


@pytest.mark.parametrize(("name", "form"), rare(_CASES, _KEPT))
def test_left_anywhere_a_program_does_what_it_did(
    name: str, form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if name in _LINKED_FROM_O1 and form.startswith(("as", "ssa")):
        pytest.skip("what the C++ library means to be inlined is in no library")
    whole = request.node.get_closest_marker("sweep") is not None
    arguments = _SHOOTOUT.get(Path(name).stem, ("3",))
    runs = Runs(tmp_path, arguments)
    then = 2 if form.endswith("then O2") else None
    swept = sweep(_module(name, form), runs, after=(0, 2), keep=1 if whole else 0.1, then=then)
    # In programs that are made of what is awkward, much is refused.
    _check(swept, most_refused=1 if name in _AWKWARD else 0.02)


@pytest.mark.sweep
@pytest.mark.parametrize("name", SWEPT)
def test_real_programs_left_anywhere_do_what_they_did(name: str, tmp_path: Path) -> None:
    program = swept_program(name)
    run = program.checks[0]
    module = _in_form(linked(program), "O2")
    libraries = [each for each in program.libraries if each not in ("dl", "stdc++")]
    runs = Runs(tmp_path, run.arguments, run.stdin, libraries, run.fresh)
    swept = sweep(module, runs, keep=1 if name in _WHOLE else _SHARE)
    print(f"{name}: {swept}")
    _check(swept, most_refused=0.02)


_KEEPS = """
#include <stdlib.h>
static int *kept;
int main(int argc, char **argv) {
    kept = malloc(sizeof *kept);
    *kept = atoi(argv[1]);
    int *gone = malloc(sizeof *gone);
    *gone = atoi(argv[2]);
    free(gone);
    return 0;
}
"""


_JUMPS = """
#include <setjmp.h>
#include <stdlib.h>
jmp_buf back;
static int one(int x) { return setjmp(back) ? x : x + 1; }
static int two(int x) { int y = x * 3; return setjmp(back) ? y : y - x - x + 1; }
int main(int argc, char **argv) { return atoi(argv[1]) == 1 ? one(3) : two(3); }
"""


_THREADS = """
#include <pthread.h>
static void *nothing(void *argument) { return argument; }
int main(void) {
    pthread_t thread;
    return pthread_create(&thread, 0, nothing, 0) || pthread_join(thread, 0);
}
"""


_OWN = """
__thread char own[100];
char *touch(void) { own[1] = 1; return own; }
"""
"""What a thread has of its own is allocated when it first looks at it, in a heap of the thread's."""


def _runner(source: Path, text: str) -> Callable[..., tuple[int, str, int, int]]:
    source.write_text(text, encoding="ascii")
    code = Engine().load(source.stem, [link_program([source], ["-w"]).module.object(0)], noted_jumps())
    memory, page = ProgramMemory.of(code), mmap.mmap(-1, 4096)
    return lambda *arguments: run_once(code, memory, page, 0, (), Runs(source.parent, arguments))


def test_what_a_program_still_holds_is_compared_and_what_it_gave_back_is_not(tmp_path: Path) -> None:
    outcome = _runner(tmp_path / "keeps.c", _KEEPS)
    assert outcome("1", "2") == outcome("1", "3") != outcome("2", "2")


def test_threads_that_the_forking_process_had_change_nothing_of_what_is_compared(tmp_path: Path) -> None:
    outcome = _runner(tmp_path / "threads.c", _THREADS)
    (tmp_path / "own.c").write_text(_OWN, encoding="ascii")
    run_quietly(["gcc", "-shared", "-fPIC", "own.c", "-o", "own.so"], tmp_path)
    touch = ctypes.CDLL(str(tmp_path / "own.so")).touch
    expected = outcome()
    beside = [threading.Thread(target=touch) for _ in range(2)]
    for thread in beside:
        thread.start()
    for thread in beside:
        thread.join()
    assert outcome() == expected


@pytest.mark.skipif(platform.machine() != "x86_64", reason="where buffers are noted is written for x86-64")
def test_what_setjmp_wrote_is_not_compared(tmp_path: Path) -> None:
    outcome = _runner(tmp_path / "jumps.c", _JUMPS)
    assert outcome("1") == outcome("2")
