"""Programs that sonde's JIT, or Numba, makes machine code of while they run: its functions and lines are known."""

from collections import Counter
from pathlib import Path

import pytest

from measuring import run_sonde
from needed import needs
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.profile.memory_profile import NO_PLACE, MemoryProfile
from sonde.instruments.memory.source import check_tool
from sonde.jit.compilers import find_compiler

pytestmark = needs(check_tool, find_compiler)

IN_C = """\
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static int add(int a, int b) {
    return a + b;
}
__attribute__((noinline)) static struct node *push(struct node *head, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = head;
    return node;
}
int main(int argc, char **argv) {
    struct node *head = NULL;
    for (int i = 0; i < 1000; i++)
        head = push(head, i);
    int sum = 0;
    for (struct node *node = head; node; node = node->next)
        sum = add(sum, node->value);
    printf("%d %d %s %s\\n", sum, argc, argv[argc - 1], getenv("LD_PRELOAD") ? "preloaded" : "alone");
    exit(3);
}
"""


def jitted_lines(profile: MemoryProfile) -> Counter[tuple[tuple[str, int], ...]]:
    """Inline stack, innermost first, of jitted code -> data accesses."""
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for line in profile.native_lines:
        frames = [(profile.functions[function], at) for function, at in profile.places[line.place].frames]
        if frames[0][0].language == "jit":
            found[tuple((function.name, at) for function, at in frames)] += line.loads + line.stores
    return found


def test_a_program_in_c_is_compiled_and_its_lines_are_known(tmp_path: Path, cache: str) -> None:
    source, output = tmp_path / "prog.c", tmp_path / "run.sonde"
    source.write_text(IN_C, encoding="utf-8")
    done = run_sonde("memory", "-o", output, source, "-O2", "--", "x", "y", XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (3, "499500 3 y alone\n"), done.stderr

    profile = read_memory_profile(output)
    assert profile.run.command == (str(source), "-O2", "--", "x", "y")
    assert profile.sources[str(source)] == IN_C
    lines = jitted_lines(profile)
    assert lines[("push", 9),] == lines[("push", 10),] == 1000
    inlined = [frames for frames in lines if [name for name, _ in frames] == ["add", "main"]]
    loads = sum(count for frames, count in lines.items() if frames in inlined or frames[0] == ("main", 19))
    assert inlined and loads == 1000
    (nodes,) = [
        each
        for each in profile.classes
        if each.site != NO_PLACE and profile.functions[profile.places[each.site].frames[0][0]].name == "push"
    ]
    assert (nodes.born, nodes.freed, nodes.size_bytes) == (1000, 0, 16_000)
    assert profile.places[nodes.site].frames[0][1] == 8
    # Loading and compiling are no part of it: the program makes 4 accesses for each node itself, malloc the rest.
    assert profile.totals["loads"] + profile.totals["stores"] < 150_000
    libraries = {profile.functions[profile.places[each.place].frames[0][0]].library for each in profile.native_lines}
    assert not any("llvmlite" in library or "_memory_agent" in library for library in libraries)


def test_a_program_that_cannot_be_loaded_is_not_run(tmp_path: Path, cache: str) -> None:
    source = tmp_path / "prog.c"
    source.write_text("int nowhere(void);\nint main(void) { return nowhere(); }\n", encoding="utf-8")
    done = run_sonde("memory", source, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (1, "") and "nothing defines 'nowhere'" in done.stderr
    source.write_text("int main(void) { return 1 +; }\n", encoding="utf-8")
    done = run_sonde("memory", source, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (1, "") and "prog.c:1:" in done.stderr


def test_functions_of_numba_have_names_and_lines(tmp_path: Path, cache: str) -> None:
    pytest.importorskip("numba", reason="Numba is not installed")
    program, output = tmp_path / "app.py", tmp_path / "run.sonde"
    program.write_text(
        "import sys\n"
        "sys.modules['scipy'] = None  # Numba does without, and it takes long to import\n"
        "import numpy as np\n"
        "from numba import njit\n"
        "from sonde._memory_agent import close_window, open_window\n\n\n"
        "@njit\ndef kernel(values):\n"
        "    total = 0.0\n"
        "    for i in range(0, values.shape[0], 3):\n"
        "        total += values[i]\n"
        "    return total\n\n\n"
        "values = np.arange(3000, dtype=np.float64)\n"
        "kernel(values)\n"
        "open_window()\n"
        "print(kernel(values))\n"
        "close_window()\n",
        encoding="utf-8",
    )
    words = ("memory", "--quiet", "--window", "manual", "-o", output, program)
    # Optimising takes LLVM a third of the whole run, under Valgrind.
    done = run_sonde(*words, XDG_CACHE_HOME=cache, NUMBA_DEBUGINFO="1", NUMBA_OPT="0")
    assert (done.returncode, done.stdout) == (0, "1498500.0\n"), done.stderr
    profile = read_memory_profile(output)
    kernel = {frames: count for frames, count in jitted_lines(profile).items() if "kernel" in frames[-1][0]}
    assert max(kernel.values()) >= 1000
    assert {("app.py", 12)} <= {
        (Path(profile.functions[function].file).name, at)
        for line in profile.native_lines
        for function, at in profile.places[line.place].frames
    }
    called = [each for each in profile.python_lines if profile.places[each.place].frames[0][1] == 19]
    assert sum(each.loads for each in called) >= 1000
