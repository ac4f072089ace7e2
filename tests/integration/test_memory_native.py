"""Programs without Python under the tool: their blocks, where they were made, and that nothing else is changed."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import sonde
from measuring import environment, run_sonde
from needed import needs
from report_json import facts
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.profile.memory_profile import NO_PLACE, MemoryProfile
from sonde.instruments.memory.source import check_tool

needs_cxx = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
pytestmark = [
    needs(check_tool),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]

IN_C = """\
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *volatile sink;
__attribute__((noinline)) static void *grow(void *block, size_t size) {
    return realloc(block, size);
}
int main(void) {
    for (int i = 0; i < 100; i++) {
        char *block = malloc(48);
        for (int at = 0; at < 48; at++)
            ((volatile char *)block)[at] = at;
        free(block);
    }
    char *kept[7];
    for (int i = 0; i < 7; i++)
        sink = kept[i] = calloc(3, 8);
    void *block = malloc(10);
    for (int i = 1; i < 100; i++)
        block = grow(block, i * 5000);
    sink = grow(NULL, 77);
    free(block);
    posix_memalign(&block, 64, 100);
    free(block);
    sink = aligned_alloc(128, 256);
    free(sink);
    sink = memalign(32, 99);
    sink = valloc(500);
    free(sink);
    sink = pvalloc(600);
    block = realloc(malloc(20), 3000);
    sink = realloc(block, 70);
    return 5;
}
"""
IN_CXX = """\
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
void *volatile sink;
struct Node { long value; Node *next; };
struct alignas(128) Wide { char data[256]; };
__attribute__((noinline)) Node *make(long value, Node *next) {
    return new Node{value, next};
}
int main() {
    Node *head = nullptr;
    for (int i = 0; i < 50; i++)
        head = make(i, head);
    while (head) {
        Node *next = head->next;
        delete head;
        head = next;
    }
    int caught = 0;
    for (int i = 0; i < 20; i++)
        try {
            sink = new char[static_cast<std::size_t>(1) << 62];
        } catch (const std::bad_alloc &) {
            caught++;
        }
    Wide *wide = new Wide[3];
    sink = wide;
    delete[] wide;
    int *ints = new (std::nothrow) int[100];
    sink = ints;
    delete[] ints;
    sink = malloc(33);
    std::printf("%d\\n", caught);
}
"""


def built(folder: Path, text: str, *options: str, compiler: str = "gcc") -> Path:
    source = folder / ("program.c" if compiler == "gcc" else "program.cpp")
    source.write_text(text, encoding="utf-8")
    program = folder / "program"
    subprocess.run([compiler, "-g", "-O1", "-w", "-fno-builtin", source, "-o", program, *options], check=True)
    return program


def measured(program: Path, cache: str, *words: str | Path, code: int = 0) -> MemoryProfile:
    output = program.with_name("run.sonde")
    done = run_sonde("memory", "--quiet", "-o", output, *words, "--", program, XDG_CACHE_HOME=cache)
    assert done.returncode == code, done.stderr
    return read_memory_profile(output)


def blocks(profile: MemoryProfile) -> dict[tuple[str, str, int], tuple[int, int, int]]:
    """(kind, function and line that made them) -> born, freed, bytes; of the program's own lines."""
    found: dict[tuple[str, str, int], tuple[int, int, int]] = {}
    for each in profile.classes:
        if each.site == NO_PLACE:
            continue
        function, line = profile.places[each.site].frames[0]
        if Path(profile.functions[function].file).name.startswith("program."):
            name = profile.functions[function].name.partition("(")[0]
            found[profile.types[each.type].name, name, line] = (each.born, each.freed, each.size_bytes)
    return found


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory, cache: str) -> tuple[Path, MemoryProfile]:
    """The program in C, and its profile."""
    program = built(tmp_path_factory.mktemp("in_c"), IN_C)
    return program, measured(program, cache, code=5)


def test_blocks_of_c_are_told_by_the_line_that_made_them(in_c: tuple[Path, MemoryProfile]) -> None:
    _, profile = in_c
    assert blocks(profile) == {
        ("malloc", "main", 11): (100, 100, 4800),
        ("malloc", "main", 18): (7, 0, 7 * 24),
        ("malloc", "main", 19): (1, 1, 99 * 5000),  # a block that was reallocated is the same one
        ("malloc", "grow", 7): (1, 0, 77),
        ("malloc", "main", 24): (1, 1, 100),
        ("malloc", "main", 26): (1, 1, 256),
        ("malloc", "main", 28): (1, 0, 99),
        ("malloc", "main", 29): (1, 1, 500),
        ("malloc", "main", 31): (1, 0, 600),
        ("malloc", "main", 32): (1, 0, 3000),  # as large as it ever was
    }
    (short,) = [each for each in profile.classes if each.born == 100]
    assert short.accesses == 4800
    assert sum(short.lifetimes.counts) == 100  # each was last used within a few accesses of the loop
    assert all(not count for bin_, count in enumerate(short.lifetimes.counts) if not 5 <= bin_ <= 9)


def test_blocks_of_before_a_window_have_a_site_and_no_birth(tmp_path: Path, cache: str) -> None:
    text = """\
#include <stdlib.h>
#include "sonde_window.h"
int main(void) {
    volatile char *before[6];
    for (int i = 0; i < 6; i++)
        before[i] = malloc(40);
    SONDE_OPEN_WINDOW();
    for (int i = 0; i < 6; i++)
        before[i][i] = 1;
    free((void *)before[0]);
    *(volatile char *)malloc(30) = 1;
    SONDE_CLOSE_WINDOW();
}
"""
    program = built(tmp_path, text, f"-I{Path(sonde.__file__).parent / 'include'}")
    profile = measured(program, cache, "--window", "manual")
    assert blocks(profile) == {("malloc", "main", 6): (0, 0, 0), ("malloc", "main", 11): (1, 0, 30)}
    (old,) = (each for each in profile.classes if each.site >= 0 and not each.born)
    assert old.accesses >= 6 and old.lifetimes.objects == 0  # and what free wrote into one


@needs_cxx
def test_blocks_of_operator_new_are_told_once_with_its_caller(tmp_path: Path, cache: str) -> None:
    profile = measured(built(tmp_path, IN_CXX, "-std=c++17", compiler="g++"), cache)
    found = blocks(profile)
    assert found == {
        ("operator new", "make", 9): (50, 50, 800),
        ("operator new", "main", 27): (1, 1, 768),
        ("operator new", "main", 30): (1, 1, 400),
        ("malloc", "main", 33): (1, 0, 33),  # what comes after exceptions is no operator's
    }


@needs_cxx
def test_a_pool_behind_operator_new_is_seen_block_by_block(tmp_path: Path, cache: str) -> None:
    text = """\
#include <cstdlib>
#include <new>
static char pool[1 << 16], *at = pool;
void *operator new(std::size_t size) {
    char *block = at;
    at += (size + 15) & -16;
    return block;
}
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}
struct Pair { long a, b; };
int main() {
    for (int i = 0; i < 30; i++) {
        volatile Pair *pair = new Pair;
        pair->a = i;
        delete pair;
    }
}
"""
    found = blocks(measured(built(tmp_path, text, "-O0", compiler="g++"), cache))
    assert found == {("operator new", "main", 14): (30, 30, 480)}


def test_a_program_and_its_allocator_do_what_they_do_under_cachegrind(
    in_c: tuple[Path, MemoryProfile], tmp_path: Path
) -> None:
    """What the program's own functions and malloc do is, to the instruction, what cachegrind counts."""
    program, profile = in_c
    counts: Counter[str] = Counter()
    for line in profile.native_lines:
        function, _ = profile.places[line.place].frames[-1]
        counts[profile.functions[function].name] += line.instructions
    output = tmp_path / "cachegrind"
    subprocess.run(
        ["valgrind", "--tool=cachegrind", f"--cachegrind-out-file={output}", program], check=False, capture_output=True
    )
    expected: Counter[str] = Counter()
    current = ""
    for text in output.read_text(encoding="utf-8").splitlines():
        if text.startswith("fn="):
            current = text[3:]
        elif text[:1].isdigit():
            expected[current] += int(text.split()[1])
    for name in ("main", "grow", "malloc", "free", "calloc", "realloc"):
        assert counts[name] == expected[name] > 0


def test_a_program_of_its_own_allocator_is_told_of_that(tmp_path: Path, cache: str) -> None:
    text = """\
#include <stddef.h>
static char heap[1 << 20], *at = heap;
void *malloc(size_t size) {
    char *block = at;
    at += (size + 15) & -16;
    return block;
}
void free(void *block) {}
int main(void) {
    for (int i = 0; i < 9; i++) {
        char *block = malloc(24);
        *(volatile char *)block = 1;
        free(block);
    }
}
"""
    found = blocks(measured(built(tmp_path, text, "-O0"), cache))
    assert found == {("malloc", "main", 11): (9, 9, 9 * 24)}


def test_the_environment_is_that_of_sonde_for_the_program_and_its_children(tmp_path: Path, cache: str) -> None:
    text = """\
#include <stdio.h>
#include <stdlib.h>
extern char **environ;
int main(void) {
    for (char **each = environ; *each; each++) puts(*each);
    fflush(stdout);
    return system("env");
}
"""
    program = built(tmp_path, text)
    several: list[dict[str, str]] = [{}, {"PYTHONPATH": "/some/where"}, {"LD_PRELOAD": "libm.so.6", "PYTHONPATH": ""}]
    for extra in several:
        given = environment(XDG_CACHE_HOME=cache, **extra)
        plain = subprocess.run([program], capture_output=True, text=True, check=True, env=given)
        output = tmp_path / "run.sonde"
        words = ("memory", "--force", "--quiet", "-o", output, "--", program)
        done = run_sonde(*words, cwd=None, XDG_CACHE_HOME=cache, **extra)
        assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines())


def test_blocks_of_a_static_program_are_seen_if_it_has_symbols(
    in_c: tuple[Path, MemoryProfile], tmp_path: Path, cache: str
) -> None:
    """It calls malloc directly, so that Valgrind goes on there in the middle of a block of its own."""
    _, shared = in_c
    program = built(tmp_path, IN_C, "-static")
    assert blocks(measured(program, cache, code=5)) == blocks(shared) != {}
    subprocess.run(["strip", program], check=True)
    done = run_sonde("memory", "--json", "--rows", "1", "--", program, XDG_CACHE_HOME=cache)
    assert "what it allocates is seen only if it has its symbols" in done.stderr
    assert not facts(json.loads(done.stdout))["objects_born"]


@needs_cxx
def test_an_operator_new_that_does_not_return_is_forgotten(tmp_path: Path, cache: str) -> None:
    """Another function returns with the same stack pointer, after an exception even to the same place."""
    text = """\
#include <csetjmp>
#include <cstdlib>
#include <new>
static std::jmp_buf before;
void *volatile sink;
__attribute__((noinline)) void *harmless(std::size_t size) { return reinterpret_cast<void *>(size + 4096); }
int main() {
    void *(*volatile make[])(std::size_t) = {static_cast<void *(*)(std::size_t)>(operator new), harmless};
    for (int i = 0; i < 40; i++)
        try {
            sink = make[i % 2](i % 2 ? 64 : static_cast<std::size_t>(1) << 62);
        } catch (const std::bad_alloc &) {
            if (i % 4) sink = malloc(40);
        }
    std::set_new_handler([] { std::longjmp(before, 1); });
    for (volatile int i = 0; i < 10; i++)
        if (!setjmp(before)) sink = operator new(static_cast<std::size_t>(1) << 62);
        else sink = harmless(80);
}
"""
    found = blocks(measured(built(tmp_path, text, "-std=c++17", compiler="g++"), cache))
    assert found == {("malloc", "main", 13): (10, 0, 400)}


def test_lines_only_are_the_lines_of_a_full_profile(in_c: tuple[Path, MemoryProfile], cache: str) -> None:
    """Both are measured here: the environment, and with it the stack, has the name of the test in it."""
    program, _ = in_c
    full, lines = (measured(program, cache, "--force", *words, code=5) for words in ((), ("--lines-only",)))
    assert [(each.loads, each.stores, each.instructions) for each in lines.native_lines] == [
        (each.loads, each.stores, each.instructions) for each in full.native_lines
    ]
    assert [each.misses for each in lines.native_lines] == [each.misses for each in full.native_lines]
    assert (lines.classes, lines.line_types, lines.objects) == ((), (), ())


def test_an_instruction_that_valgrind_does_not_know_is_told(tmp_path: Path, cache: str) -> None:
    text = """\
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void caught(int number) { puts("caught"); fflush(stdout); _exit(9); }
__attribute__((noinline)) static void wide(void) { __asm__ volatile(".byte 0x62,0xf1,0x7c,0x48,0x58,0xc1"); }
int main(int count, char **words) {
    signal(SIGILL, caught);
    if (count > 1) __builtin_trap();
    wide();
}
"""
    program = built(tmp_path, text)
    done = run_sonde("memory", "--count-only", "--", program, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (9, "caught\n")
    said = "sonde: Valgrind does not know an instruction of the program, which got SIGILL there: 62 f1 7c 48 58 c1"
    assert said in done.stderr and "in wide (program.c:5), called from main (program.c:9)" in done.stderr
    own = run_sonde("memory", "--count-only", "--", program, "trap", XDG_CACHE_HOME=cache)
    assert (own.returncode, own.stdout, said[:40] in own.stderr) == (9, "caught\n", False)


def test_threads_allocate_at_once(tmp_path: Path, cache: str) -> None:
    text = """\
#include <pthread.h>
#include <stdlib.h>
static void *work(void *unused) {
    for (int i = 0; i < 200; i++) {
        volatile char *block = malloc(40);
        *block = 1;
        free((void *)block);
    }
    return NULL;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
"""
    found = blocks(measured(built(tmp_path, text, "-pthread"), cache))
    assert found["malloc", "work", 5] == (600, 600, 24_000)
