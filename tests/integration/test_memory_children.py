"""`sonde memory`: children of a measured program run as they do without sonde, and are not measured."""

import subprocess
from pathlib import Path

from measuring import run_sonde
from needed import needs
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.source import check_tool

pytestmark = needs(check_tool)

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int cells[4096];
static void in_child(void) { for (int i = 0; i < 4096; i++) cells[i]++; }
static void in_parent(void) { for (int i = 0; i < 4096; i++) cells[i]++; }
static void end_of(pid_t child) { int s; waitpid(child, &s, 0); printf("%d\\n", WEXITSTATUS(s)); fflush(stdout); }
int main(void) {
    pid_t child = vfork();
    if (!child) _exit(5);
    end_of(child);
    child = fork();
    if (!child) {
        free(malloc(100));
        in_child();
        puts("child");
        exit(6);
    }
    end_of(child);
    child = vfork();
    if (!child) {
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(1);
    }
    end_of(child);
    in_parent();
    return 2;
}
"""


def test_children_run_and_are_not_measured(tmp_path: Path, cache: str) -> None:
    (tmp_path / "prog.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["cc", "-g", "-O1", "-fno-inline", "prog.c", "-o", "prog"], cwd=tmp_path, check=True)
    measured = run_sonde(
        "memory",
        "--quiet",
        "-o",
        "run.sonde",
        "--",
        "./prog",
        cwd=tmp_path,
        XDG_CACHE_HOME=cache,
    )
    assert (measured.returncode, measured.stdout) == (2, "5\nchild\n6\n7\n")
    assert "failed" not in measured.stderr
    profile = read_memory_profile(tmp_path / "run.sonde")
    accesses = {"in_parent": 0, "in_child": 0}
    for row in profile.native_lines:
        frames = profile.places[row.place].frames
        name = profile.functions[frames[0][0]].name if frames else ""
        if name in accesses:
            accesses[name] += row.loads + row.stores
    assert accesses["in_parent"] >= 4096 and not accesses["in_child"]
