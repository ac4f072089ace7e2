"""Programs that raise the recursion limit: no crash, no count lost, on any stack."""

from pathlib import Path

import pytest

from measuring import FAST_MECHANISM, calls_by_name, measure, run_plainly

PROGRAM = """
import sys, threading
sys.setrecursionlimit(1_000_000)
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)
def leaf(): pass
def run(depths):
    for depth in depths:
        print(down(depth))
        leaf()
if len(sys.argv) > 1:
    threading.stack_size(int(sys.argv[1]))
    thread = threading.Thread(target=run, args=([100, 900, 3000, 10],))
    thread.start()
    thread.join()
else:
    run([5_000, 20_000, 50_000])
for _ in range(100):
    leaf()
print(down(50))
"""


@pytest.mark.parametrize(
    ("stack", "down", "leaf"),
    [((), 75_003 + 51, 103), (("65536",), 4014 + 51, 104), (("262144",), 4014 + 51, 104)],
    ids=["main thread", "thread with 64 KiB", "thread with 256 KiB"],
)
def test_deep_recursion_is_counted_and_survives(stack: tuple[str, ...], down: int, leaf: int, tmp_path: Path) -> None:
    script = tmp_path / "deep.py"
    script.write_text(PROGRAM)

    measured = measure(tmp_path, "--exact", script, *stack)

    assert (measured.returncode, measured.stdout) == (0, run_plainly(script, *stack).stdout)
    calls = calls_by_name(measured.profile)
    assert (calls["down"], calls["leaf"]) == (down, leaf)
    kinds = {loss.kind for loss in measured.profile.losses}
    # Only the eval hook turns Python calls into C calls, and gives way in time.
    assert kinds == ({"slower-mechanism"} if FAST_MECHANISM == "cpython-eval-hook" else set())


def test_what_sonde_does_to_go_on_counting_is_none_of_the_programs_calls(tmp_path: Path) -> None:
    script = tmp_path / "deep.py"
    script.write_text(
        "import sys\nsys.setrecursionlimit(1_000_000)\n"
        "def down(n):\n    return 0 if n == 0 else 1 + down(n - 1)\n"
        "down(50_000)\nassert ('threading' in sys.modules) == ('seen' in sys.argv)\n"
    )
    seen = ("seen",) if FAST_MECHANISM == "cpython-eval-hook" else ()

    profile = measure(tmp_path, "--exact", script, *seen).profile

    calls = calls_by_name(profile)
    assert calls["down"] == 50_001
    below = {
        profile.functions[function].label
        for function, parent in zip(profile.contexts.function, profile.contexts.parent, strict=True)
        if parent >= 0 and profile.functions[profile.contexts.function[parent]].name == "down"
    }
    assert below == {"down"}


def test_the_recursion_limit_is_met_at_the_same_depth(tmp_path: Path) -> None:
    text = (
        "import sys\n"
        "class Deep:\n    def __getattr__(self, name): return getattr(self, name + 'x')\n"
        "def plain(n):\n    reached.append(n)\n    plain(n + 1)\n"
        "def through_c(n):\n    reached.append(n)\n    sorted([1], key=lambda _: through_c(n + 1))\n"
        "for function in (plain, through_c):\n"
        "    for limit in (200, 1000, 2000):\n"
        "        sys.setrecursionlimit(limit)\n        reached = []\n"
        "        try: function(0)\n        except RecursionError: print(limit, len(reached))\n"
    )
    script = tmp_path / "limit.py"
    script.write_text(text)

    assert measure(tmp_path, script).stdout == run_plainly(script).stdout
