"""Functions written in C are counted as a Python profile function counts them, with --builtins."""

import json
from collections import Counter
from pathlib import Path

from measuring import calls_by_path, measure, run_plainly

PROGRAM = """
import math, sys
class Names(list):
    pass
def work(n):
    names = Names()
    for i in range(n):
        names.append(str(i).zfill(3))
        len(names)
    names.sort(key=lambda name: name[::-1].upper())
    "-".join(names)
    try:
        math.sqrt(-1)
    except ValueError:
        pass
    try:
        sorted([1, 2], key=fails)
    except KeyError:
        pass
    return max(map(abs, [-1, 2]))
def fails(value):
    raise KeyError(value)
for _ in range(3):
    work(7)
"""

ORACLE = """
import collections, json, sys
counts = collections.Counter()
def on_event(frame, event, function):
    if event == "c_call" and frame.f_code.co_filename == sys.argv[1]:
        counts[function.__name__] += 1
code = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
sys.setprofile(on_event)
exec(code, {"__name__": "__main__"})
sys.setprofile(None)
print(json.dumps(counts))
"""


def test_builtins_are_counted_as_leaves_and_parents(tmp_path: Path) -> None:
    script, oracle = tmp_path / "program.py", tmp_path / "oracle.py"
    script.write_text(PROGRAM)
    oracle.write_text(ORACLE)
    wanted = json.loads(run_plainly(oracle, script).stdout)

    measured = measure(tmp_path, "--builtins", script)

    by_path = calls_by_path(measured.profile)
    kinds = {function.name: function.kind for function in measured.profile.functions}
    counted: Counter[str] = Counter()
    for path, calls in by_path.items():
        (name, *_), caller_file = path[-1], path[-2][1] if len(path) > 1 else ""
        if kinds[name] == "builtin" and caller_file == str(script):
            counted[name.rpartition(".")[2]] += calls
    assert sum(wanted.values()) > 60
    assert counted == wanted
    assert {"list.append", "len", "math.sqrt", "str.join"} <= set(kinds)
    paths = {tuple(name for name, *_ in path): n for path, n in by_path.items()}
    assert paths["<module>", "work", "sorted", "fails"] == 3
    assert measured.profile.losses == ()
