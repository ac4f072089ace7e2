"""A child forked by C code, which never asks the interpreter, leaves its parent's counts alone."""

from pathlib import Path

from measuring import calls_by_name, measure

PROGRAM = """
import ctypes, os
libc = ctypes.PyDLL(None)
def make(n):
    namespace = {}
    for i in range(n):
        exec(f"def f{i}(): return {i}", namespace)
    return [namespace[f"f{i}"] for i in range(n)]
def shared(): pass
functions = make(3000)
shared()
pid = libc.fork()
for f in functions:
    f()
shared()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
print("done")
"""


def test_a_fork_in_c_leaves_the_counts_of_the_parent_alone(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)

    measured = measure(tmp_path, script)

    calls = calls_by_name(measured.profile)
    assert measured.stdout == "done\n"
    assert {calls[f"f{i}"] for i in range(3000)} == {1}
    assert calls["shared"] == 2
