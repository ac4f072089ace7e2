"""Tools of the tool language on real programs: what they see is what the programs do."""

import shutil
import subprocess
from pathlib import Path

import pytest

from measuring import run_sonde
from needed import needs
from sonde.instruments.memory.source import check_tool

pytestmark = [
    needs(check_tool),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]
EXAMPLES = Path(__file__).parents[2] / "examples/memory"

VALUES = r"""
#include <immintrin.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static const uint8_t sixteen[16] = {1, 2, 3, 4, 5, 6, 7, 0x08, 9, 10, 11, 12, 13, 14, 15, 16};
static char *page;
static int faults;
static void handler(int number, siginfo_t *about, void *context) {
    (void)number, (void)context;
    faults += (char *)about->si_addr == page + 96;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
__attribute__((target("avx2"))) static void masked(int *block) {
    __m256i mask = _mm256_set_epi32(0, -1, 0, 0, 0, 0, 0, -1);
    _mm256_maskstore_epi32(block, mask, _mm256_set1_epi32(77));
    volatile __m256i read = _mm256_maskload_epi32(block + 1, mask);
    (void)read;
}
int main(void) {
    uint8_t *block = calloc(64, 1);
    __asm__ volatile("movb $0xab, (%0)\n\t"
                     "movb (%0), %%al\n\t"
                     "movb $1, (%0)\n\tmovb $2, (%0)\n\tmovb $2, (%0)\n\tmovb $3, (%0)\n\t"
                     "movw $0xbeef, 2(%0)\n\t"
                     "movl $0xdeadbeef, 4(%0)\n\t"
                     "movabs $0x7edcba9876543210, %%rax\n\tmovq %%rax, 8(%0)\n\t"
                     "addl $1, 4(%0)\n\t"
                     "xchgq %1, 8(%0)\n\t"
                     "movl $7, %%eax\n\tlock cmpxchgw %%cx, 2(%0)\n\t"
                     "movups (%2), %%xmm0\n\tmovups %%xmm0, 16(%0)\n\t"
                     "leaq 40(%0), %%rdi\n\tmovl $2, %%ecx\n\tmovb $9, %%al\n\trep stosb\n\t"
                     "movswq 2(%0), %%rax\n\tmovq %%rax, 48(%0)\n\t"
                     :
                     : "r"(block), "r"(UINT64_C(5)), "r"(sixteen)
                     : "rax", "rcx", "rdi", "xmm0", "memory");
    int wide = __builtin_cpu_supports("avx2") != 0;
    if (wide) masked((int *)(block + 32));
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile long *)(page + 96) = 5; /* cannot be read, either */
    mprotect(page, 4096, PROT_READ);
    *(volatile long *)(page + 96) = 7; /* can be read */
    printf("%d faults, %ld, wide %d\n", faults, *(volatile long *)(page + 96), wide);
    return 0;
}
"""
SEEN = """\
0 1 store 0 ab
0 1 load ab ab
0 1 store ab 1
0 1 store 1 2
0 1 store 2 2
0 1 store 2 3
2 2 store 0 beef
4 4 store 0 deadbeef
8 8 store 0 7edcba9876543210
4 4 both deadbeef deadbef0
8 8 load 7edcba9876543210 7edcba9876543210
8 8 both 7edcba9876543210 5
2 2 both beef beef
16 16 store 0 807060504030201
40 1 store 0 9
41 1 store 0 9
2 2 load beef beef
48 8 store 0 -4111
"""
SEEN_WIDE = "32 4 store 0 4d\n56 4 store 0 4d\n36 4 load 0 0\n60 4 load 0 0\n"
VALUES_TOOL = """
from sonde.instruments.memory.toolkit import Output, Tool, after, before


class Values(Tool):
    out = Output("values.txt")

    @before("object:create")
    def born(self, loc, type, obj):
        if loc.size == 64 and type.is_("malloc"):
            self.block = obj
            self.start = loc.address

    @before("object:access")
    def keep(self, loc, type, obj):
        self.old = loc.value

    @after("object:access")
    def tell(self, loc, type, obj):
        if obj != self.block:
            return
        at = loc.address - self.start
        if loc.is_load and loc.is_store:
            self.out.print(f"{at} {loc.size} both {self.old:x} {loc.value:x}")
        elif loc.is_load:
            self.out.print(f"{at} {loc.size} load {self.old:x} {loc.value:x}")
        else:
            self.out.print(f"{at} {loc.size} store {self.old:x} {loc.value:x}")
"""


def built(text: str, folder: Path) -> Path:
    (folder / "program.c").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-pthread", "-o", "program", "program.c"], cwd=folder, check=True)
    return folder / "program"


def run_with(tool: Path, program: Path, cache: str) -> subprocess.CompletedProcess[str]:
    return run_sonde("memory", "--quiet", "--tool", tool, "--", program, cwd=program.parent, XDG_CACHE_HOME=cache)


def test_a_tool_sees_what_accesses_read_replace_and_write(tmp_path: Path, cache: str) -> None:
    program, tool = built(VALUES, tmp_path), tmp_path / "values.py"
    tool.write_text(VALUES_TOOL, encoding="utf-8")

    done = run_with(tool, program, cache)

    assert done.stdout in ("2 faults, 7, wide 0\n", "2 faults, 7, wide 1\n")
    expected = SEEN + (SEEN_WIDE if "wide 1" in done.stdout else "")
    assert (tmp_path / "values.txt").read_text() == expected


SILENT = """
#include <stdlib.h>
int main(void) {
    volatile int *cells = calloc(1000, sizeof *cells);
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 1000; i++)
            cells[i] = i & 1;
    for (int i = 0; i < 1000; i++)
        cells[i] += 2;
    return 0;
}
"""


def test_lines_with_silent_stores_are_found(tmp_path: Path, cache: str) -> None:
    """Of 3,000 stores, 500 find their 0 in the first turn, and all in the two later turns; of the additions none."""
    done = run_with(EXAMPLES / "silent_stores.py", built(SILENT, tmp_path), cache)

    rows = [line.split() for line in done.stderr.splitlines() if "program.c:" in line]
    assert [row[:3] for row in rows] == [["2,500", "3,000", "83.3%"]]
    assert rows[0][-1].endswith("program.c:7")


SHARED = """
#include <pthread.h>
#include <stdlib.h>
struct counter { volatile long count; };
static struct counter *ours;
static void *work(void *unused) {
    struct counter *mine = malloc(sizeof *mine);
    mine->count = 0;
    for (int i = 0; i < 50; i++) mine->count++, ours->count++;
    return unused;
}
int main(void) {
    ours = calloc(1, sizeof *ours);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
        pthread_join(threads[i], NULL);
    }
    return 0;
}
"""


def test_objects_that_threads_share_are_found(tmp_path: Path, cache: str) -> None:
    """Two threads, one after the other, add 50 times each to one object, and to others of their own."""
    done = run_with(EXAMPLES / "shared_objects.py", built(SHARED, tmp_path), cache)

    rows = [line.split() for line in done.stderr.splitlines() if "program.c:" in line]
    assert [row[:6] for row in rows] == [
        ["50", "50", "thread", "2,", "malloc", "1"],
        ["50", "50", "thread", "3,", "malloc", "1"],
    ]
    assert {row[-1].rpartition("/")[2] for row in rows} == {"program.c:13"}
