"""Recording what the interpreter decides: the program does not notice, and the record says what `dis` says."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from interpreters import looked_at_pythons
from sonde.base.errors import MissingCapability
from sonde.instruments.decisions.capture import CaptureOptions
from sonde.instruments.decisions.capture import python as capture_python
from sonde.instruments.decisions.model import CallKind, DecisionRun, Trees
from sonde.instruments.decisions.readers.cpython import CPYTHON
from sonde.instruments.decisions.readers.cpython.instruction_history import histories
from sonde.instruments.decisions.readers.cpython.record import read_record
from sonde.instruments.decisions.readers.place import RunPlace
from sweeps import rare


def _interpreters() -> list[str]:
    found = {sys.version_info[:2]: sys.executable}
    for minor in (11, 12, 13, 14):
        other = shutil.which(f"python3.{minor}")
        if other and subprocess.run([other, "-c", ""], capture_output=True).returncode == 0:
            found.setdefault((3, minor), other)
    return sorted(found.values())


_USUAL = _interpreters()
PYTHONS = rare([*_USUAL, *(str(each) for each in looked_at_pythons() if str(each) not in _USUAL)], _USUAL)
QUICK = CaptureOptions(interval_s=0.05, tick_ms=1)
DRIVER = """
import sys
from pathlib import Path
from sonde.instruments.decisions.capture import CaptureOptions, python
sys.exit(python.run(sys.argv[2:], Path(sys.argv[1]), CaptureOptions(interval_s=0.05, tick_ms=1)).exit_code)
"""

KNOWN = """
import json, dis, sys, math

class Slotted:
    __slots__ = ("x",)
    def __init__(self): self.x = 1

class Plain:
    def __init__(self): self.x = 1
    def get(self): return 1

class Other(Plain):
    def get(self): return 2

def add(a, b): return a + b
def join(a, b): return a + b
def slot(o): return o.x
def plain(o): return o.x
def module(): return math.pi
def call_get(o): return o.get()
def call_add(n): return add(n, 1)
def call_len(o): return len(o)
def mixed(a, b): return a + b
def cold(a, b): return a + b

kinds = [type(f"K{i}", (), {"x": i, "get": lambda self: 3}) for i in range(60)]
def mega(o): return o.x

for i in range(2000):
    add(i, 1); join("a", "b"); slot(Slotted()); plain(Plain()); module(); call_add(i); call_len("abc")
    mega(kinds[i % 60]()); mixed(1j, 2); call_get(Plain())
    call_get(Plain())
names = "add join slot plain module call_get call_add call_len mixed cold mega".split()
with open(sys.argv[1], "w") as out:
    shown = {n: dis.get_instructions(globals()[n], adaptive=True) for n in names}
    json.dump({n: [[i.offset, i.opname] for i in each] for n, each in shown.items()}, out)
"""


def _capture(tmp_path: Path, words: Sequence[str], options: CaptureOptions = QUICK) -> tuple[int, DecisionRun]:
    folder = tmp_path / "run"
    folder.mkdir()
    captured = capture_python.run([*words], folder, options)
    return captured.exit_code, CPYTHON.read(RunPlace(folder), None)


def _script(tmp_path: Path, text: str) -> str:
    (tmp_path / "program.py").write_text(text)
    return str(tmp_path / "program.py")


def _trees(run: DecisionRun, method: str) -> Trees:
    (unit,) = (unit for unit in run.units if unit.method == method)
    return unit.load()


def _decided(run: DecisionRun, method: str) -> set[str]:
    found: set[str] = set()
    for phase in _trees(run, method).optimizations.children:
        found.update(decision.event for decision in phase.children)  # type: ignore[union-attr]
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_the_forms_are_those_that_dis_of_the_very_interpreter_shows(python: str, tmp_path: Path) -> None:
    expected_file = tmp_path / "dis.json"
    captured = capture_python.run([python, _script(tmp_path, KNOWN), str(expected_file)], tmp_path, QUICK)
    record = read_record(captured.record)
    expected = {
        name: [tuple(each) for each in shown if each[1].removesuffix("_ADAPTIVE") != "CACHE"]
        for name, shown in json.loads(expected_file.read_text()).items()
    }
    compared = 0
    for each in record.codes.values():
        if each.file.endswith("program.py") and each.name in expected:
            shown = {offset: name.removesuffix("_ADAPTIVE") for offset, name in expected[each.name]}
            for history in histories(each, record.tables):
                assert shown[history.instruction.offset] == history.form
                compared += 1
    assert captured.exit_code == 0
    assert compared >= 14
    assert not any(each.name == "cold" for each in record.codes.values())


@pytest.mark.parametrize("python", PYTHONS)
def test_what_is_known_of_specialisation_is_found(python: str, tmp_path: Path) -> None:
    _, run = _capture(tmp_path, [python, _script(tmp_path, KNOWN), str(tmp_path / "dis.json")])
    assert "BINARY_OP_ADD_INT" in _decided(run, "program:add")
    assert "BINARY_OP_ADD_UNICODE" in _decided(run, "program:join")
    assert "LOAD_ATTR_SLOT" in _decided(run, "program:slot")
    assert "LOAD_ATTR_INSTANCE_VALUE" in _decided(run, "program:plain")
    assert "LOAD_ATTR_MODULE" in _decided(run, "program:module")
    assert "NotSpecialized" in _decided(run, "program:mixed")
    assert not any(event.startswith("CALL") for event in _decided(run, "program:mega"))
    (call,) = _trees(run, "program:call_add").inlining.children
    assert (call.method, call.kind) == ("add", CallKind.DIRECT)
    (call,) = _trees(run, "program:call_get").inlining.children
    assert (call.method, call.kind) == ("o.get", CallKind.DIRECT)
    (call,) = _trees(run, "program:call_len").inlining.children
    assert (call.method, call.kind) == ("len", CallKind.INLINED)
    assert run.sources["program:add"].first_line == 15
    assert not run.doubts


@pytest.mark.parametrize("python", PYTHONS)
def test_an_attempt_that_always_fails_is_counted_as_the_backoff_has_it(python: str, tmp_path: Path) -> None:
    # Attempts come after 1, 1 + 2, ... runs of growing distance; 4,000 runs make between 8 and 12 of them.
    text = "def f(a, b): return a + b\nfor i in range(4000): f(7j, 2)\n"
    _, run = _capture(tmp_path, [python, _script(tmp_path, text)])
    (phase,) = (p for p in _trees(run, "program:f").optimizations.children if p.name == "BINARY_OP")
    (decision,) = phase.children  # type: ignore[union-attr]
    failed = dict(decision.properties)["failedAttempts"]  # type: ignore[union-attr]
    assert isinstance(failed, int)
    assert 8 <= failed <= 12


@pytest.mark.parametrize("python", PYTHONS)
def test_an_instruction_that_loses_its_form_is_seen_to(python: str, tmp_path: Path) -> None:
    text = (
        "import time\ndef f(a, b): return a + b\n"
        "for i in range(500): f(i, 1)\n"
        "until = time.time() + 0.5\n"
        "while time.time() < until: pass\n"
        "for i in range(500): f('a', 'b')\n"
        "while time.time() < until + 0.3: pass\n"
        "for i in range(900): f(7j, 2)\n"
    )
    _, run = _capture(tmp_path, [python, _script(tmp_path, text)])
    events = _decided(run, "program:f")
    assert {"Respecialized", "Deoptimized"} & events
    assert "NotSpecialized" in events or "Deoptimized" in events


def test_what_does_not_change_is_written_once(tmp_path: Path) -> None:
    text = "import time\ndef f(a, b): return a + b\nfor i in range(500): f(i, 1)\ntime.sleep(0.5)\n"
    captured = capture_python.run([sys.executable, _script(tmp_path, text)], tmp_path, QUICK)
    written = [json.loads(line) for line in captured.record.read_text().splitlines()]
    states: dict[int, list[tuple[str, str]]] = {}
    for each in written:
        if "state" in each:
            states.setdefault(each["state"], []).append((each["forms"], each["counters"]))
    assert states
    assert all(one != other for own in states.values() for one, other in pairwise(own))


PROBE = """
import json, os, sys, threading, warnings, atexit
seen = {
    "argv": sys.argv, "path": sys.path, "name": __name__, "file": __file__, "modules": sorted(sys.modules),
    "threads": [t.name for t in threading.enumerate()], "count": threading.active_count(),
    "pythonpath": os.environ.get("PYTHONPATH"), "variables": sorted(k for k in os.environ if "SONDE" in k),
    "hooks": [sys.getprofile(), sys.gettrace()],
}
fd = os.open(os.devnull, os.O_RDONLY); seen["fd"] = fd; os.close(fd)
warnings.simplefilter("always")
pid = os.fork()
if not pid:
    sys.exit(5)
seen["child"] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
where = set()
class Noisy:
    def __del__(self): where.add(threading.get_ident())
def churn():
    def closure(): return noisy
    noisy = Noisy()
    return closure
for i in range(150_000): churn()
seen["finalized in"] = [each == threading.main_thread().ident for each in where]
print(json.dumps(seen)); print("to stderr", file=sys.stderr)
atexit.register(lambda: print("last words"))
sys.exit(3)
"""


@pytest.mark.parametrize("python", PYTHONS)
def test_the_program_does_not_notice(python: str, tmp_path: Path) -> None:
    script = _script(tmp_path, PROBE)
    words = [python, script, "a", "--b", "c d"]
    plain = subprocess.run(words, capture_output=True, text=True)
    folder = tmp_path / "run"
    folder.mkdir()
    watched = subprocess.run([sys.executable, "-c", DRIVER, str(folder), *words], capture_output=True, text=True)
    assert (watched.returncode, watched.stderr) == (plain.returncode, plain.stderr) == (3, "to stderr\n")
    assert watched.stdout.splitlines()[1:] == plain.stdout.splitlines()[1:] == ["last words"]
    assert json.loads(watched.stdout.splitlines()[0]) == json.loads(plain.stdout.splitlines()[0])
    run = CPYTHON.read(RunPlace(folder), None)
    assert run.profile is not None
    assert run.profile.total > 0
    assert [doubt.kind for doubt in run.doubts] == []


@pytest.mark.parametrize("python", PYTHONS)
def test_specialisation_is_what_it_is_without_the_recorder(python: str, tmp_path: Path) -> None:
    script = _script(tmp_path, KNOWN)
    subprocess.run([python, script, str(tmp_path / "plain.json")], check=True)
    _capture(tmp_path, [python, script, str(tmp_path / "watched.json")])
    assert json.loads((tmp_path / "plain.json").read_text()) == json.loads((tmp_path / "watched.json").read_text())


@pytest.mark.parametrize("ending", ["os._exit(7)", "os.kill(os.getpid(), 9)", "os.abort()"])
def test_a_program_that_is_cut_short_leaves_what_was_seen_until_then(ending: str, tmp_path: Path) -> None:
    text = (
        "import os, time, resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\ndef f(a): return a + 1\n"
        "until = time.time() + 0.6\nwhile time.time() < until or time.process_time() < 0.2: f(1)\n"
        f"{ending}\n"
    )
    code, run = _capture(tmp_path, [sys.executable, _script(tmp_path, text)])
    assert code == {"os._exit(7)": 7, "os.abort()": 128 + signal.SIGABRT}.get(ending, 128 + 9)
    assert [doubt.kind for doubt in run.doubts] == ["unfinished-python-record"]
    assert "BINARY_OP_ADD_INT" in _decided(run, "program:f")
    assert run.profile is not None
    assert run.profile.total > 10_000_000


def test_a_signal_reaches_the_program(tmp_path: Path) -> None:
    text = (
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
        f"open({str(tmp_path / 'ready')!r}, 'w').close()\nwhile True: time.sleep(30)\n"
    )
    words = [sys.executable, "-c", DRIVER, str(tmp_path), sys.executable, _script(tmp_path, text)]
    with subprocess.Popen(words) as process:
        deadline = time.monotonic() + 30  # generous: three interpreters start on a loaded machine
        while not (tmp_path / "ready").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.terminate()
        # Well below the program's sleep: a signal that went to the recorder's thread would not wake it.
        assert process.wait(20) == 9


def test_time_goes_to_the_function_and_line_that_spends_it(tmp_path: Path) -> None:
    text = (
        "def hot(n):\n    t = 0\n    for i in range(n):\n        t += i * i % 7\n    return t\n"
        "def mild(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\n"
        "for _ in range(10):\n    hot(300_000)\n    mild(60_000)\n"
    )
    _, run = _capture(tmp_path, ["-c", text], CaptureOptions(tick_ms=2))
    periods = {unit.method: unit.period for unit in run.units}
    # hot does over five times the work; the lock's switches fall on its loop.
    assert periods["<string>:hot"] > 2 * periods["<string>:mild"]
    assert run.profile is not None
    assert run.profile.unit == "nanoseconds"


def test_threads_share_the_time_as_the_kernel_counts_it(tmp_path: Path) -> None:
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("this kernel has no schedstat")
    text = (
        "import threading, time\nstop = threading.Event()\n"
        "def wait(): stop.wait(60)\n"
        "def work():\n    until = time.process_time() + 0.5\n    n = 0\n"
        "    while time.process_time() < until: n += 1\n"
        "threads = [threading.Thread(target=wait) for _ in range(6)]\n"
        "for t in threads: t.start()\nw = threading.Thread(target=work); w.start(); w.join(); stop.set()\n"
    )
    _, run = _capture(tmp_path, [sys.executable, _script(tmp_path, text)])
    assert run.profile is not None
    (share,) = (unit.period / run.profile.total for unit in run.units if unit.method == "program:work")
    assert share > 0.7  # six waiting threads would have got six sevenths if time were not asked for


def test_without_a_sampling_thread_no_time_is_known(tmp_path: Path) -> None:
    _, run = _capture(tmp_path, [sys.executable, _script(tmp_path, KNOWN), os.devnull], CaptureOptions(tick_ms=0))
    assert run.profile is None
    assert "BINARY_OP_ADD_INT" in _decided(run, "program:add")


def test_an_interpreter_that_ignores_the_environment_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(MissingCapability, match="no Python in it started the recorder") as caught:
        capture_python.run([sys.executable, "-I", "-c", "pass"], tmp_path, QUICK)
    assert caught.value.slug == "no-python-record"


def test_commands_of_python_are_known_by_their_words(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!{sys.executable}\n")
    tool.chmod(0o755)
    for words in (
        ["script.py"],
        ["python3.12", "x"],
        ["/a/b/python", "x"],
        ["-m", "json.tool"],
        ["-c", ""],
        [str(tool)],
    ):
        assert capture_python.recognises(words), words
    for words in (["java", "X"], ["clang", "x.c"], ["sh", "x.py"], ["-m"]):
        assert not capture_python.recognises(words), words


def test_modules_run_by_name(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text("[1]")
    out = tmp_path / "out.json"
    code, run = _capture(tmp_path, ["-m", "json.tool", str(tmp_path / "in.json"), str(out)])
    assert code == 0
    assert json.loads(out.read_text()) == [1]
    assert run.kind == "cpython"
