"""Java programs captured: they do not notice, and the record says what the compilers did, by other witnesses too."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from java_programs import compile_java, graal_jars, instructions, jdks, printed_inlining
from sonde.base.errors import UsageError
from sonde.instruments.decisions.model import CallKind, CallSite, Decision, DecisionRun, Phase, Unit
from sonde.instruments.decisions.readers import read_run
from sweeps import rare

DRIVER = """
import sys
from pathlib import Path
from sonde.instruments.decisions.capture import capture
sys.exit(capture(sys.argv[2:], Path(sys.argv[1]), say=lambda line: None))
"""
pytestmark = pytest.mark.skipif(not jdks(), reason="no JDK from 17 on with its jfr tool is installed")


class Jdk(NamedTuple):
    """A JDK with the program compiled by it."""

    home: Path
    classes: Path

    @property
    def java(self) -> str:
        return str(self.home / "bin" / "java")

    def words(self, *options: str, kind: str = "clean", steps: int = 150_000, code: int = 0) -> list[str]:
        return [self.java, *options, "-cp", str(self.classes), "Shapes", kind, str(steps), str(code)]


@pytest.fixture(scope="module", params=rare(jdks(), jdks()[-1:]), ids=lambda home: home.name)
def jdk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Jdk:
    folder = tmp_path_factory.mktemp("classes")
    compile_java(request.param, "Shapes", folder)
    return Jdk(request.param, folder)


Runs = Callable[..., DecisionRun]


@pytest.fixture(scope="module")
def captured(jdk: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Capture the program once for each way to run it, and read what is left."""
    done: dict[tuple[object, ...], DecisionRun] = {}

    def run(*options: str, kind: str = "clean") -> DecisionRun:
        key = (*options, kind)
        if key not in done:
            folder = tmp_path_factory.mktemp("run") / "run"
            # Compilations are waited for: on a busy machine the program would else be over before C2 is.
            capture_run(folder, jdk.words("-Xbatch", *options, kind=kind)).check_returncode()
            done[key] = read_run(folder)
        return done[key]

    return run


def capture_run(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", DRIVER, str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@contextmanager
def endless_run(folder: Path, jdk: Jdk) -> "Iterator[subprocess.Popen[bytes]]":
    """A capture of a program that does not end by itself; nothing of it is left behind, whatever the test does."""
    command = [sys.executable, "-c", DRIVER, str(folder), *jdk.words(steps=10**12)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as sonde:
        try:
            yield sonde
        finally:
            with suppress(ProcessLookupError):
                os.killpg(sonde.pid, signal.SIGKILL)


def sites(site: CallSite) -> Iterator[tuple[CallSite, CallSite]]:
    """Every call with the one in whose code it is."""
    for child in site.children:
        yield site, child
        yield from sites(child)


def decisions(phase: Phase) -> Iterator[Decision]:
    for child in phase.children:
        if isinstance(child, Phase):
            yield from decisions(child)
        else:
            yield child


def compiled(run: DecisionRun, method: str) -> list[Unit]:
    """Compilations of a method by C2, for all of it; the method is named without parameters."""
    return [unit for unit in run.units if unit.method.split("(")[0] == method and unit.version == "C2"]


def test_streams_and_exit_code_stay(jdk: Jdk, tmp_path: Path) -> None:
    plain = subprocess.run(jdk.words(steps=10, code=3), capture_output=True, text=True)
    done = capture_run(tmp_path / "run", jdk.words(steps=10, code=3))
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert done.returncode == 3


def test_time_goes_to_compilations(jdk: Jdk, tmp_path: Path) -> None:
    # The longer it runs, the more of its time is in compiled code: on a busy machine it takes more steps. So it does on
    # a quick one, where few samples are taken, one in 10 ms: which method is hottest in these is chance.
    fifty_samples = 50 * 10_000_000
    for steps in (2_400_000, 9_600_000):
        capture_run(folder := tmp_path / str(steps), jdk.words(steps=steps)).check_returncode()
        run = read_run(folder)
        assert run.profile is not None
        assert run.profile.unit == "nanoseconds"
        share = run.compiled_period / run.profile.total
        assert 0 <= share <= 1
        if share > 0.6 and run.compiled_period >= fifty_samples:
            break
    assert share > 0.6
    hottest = max(run.units, key=lambda unit: unit.period)
    assert hottest.method.startswith(("Shapes.", "java.util.HashMap."))
    assert not [each for each in run.doubts if each.kind in ("compilations-not-in-log", "profile-of-another-run")]


def test_every_call_is_at_an_instruction_that_calls(jdk: Jdk, captured: Runs) -> None:
    code = instructions(jdk.home, jdk.classes, "Shapes")
    checked = 0
    for unit in captured().units:
        for caller, call in sites(unit.load().inlining):
            caller_class, _, name = (caller.method or "").split("(")[0].rpartition(".")
            if caller_class == "Shapes":
                assert code[name][call.at].startswith("invoke"), (unit.id, caller.method, call)
                checked += 1
    assert checked > 20


MIXED = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Shapes.pair")
"""Of one run, which is another in two ways that have nothing to do with one another: its shapes are mixed, and it is
told what not to inline."""


def test_the_receivers_of_a_warm_up_decide_what_is_inlined(captured: Runs) -> None:
    kinds: dict[str, set[tuple[CallKind, tuple[str, ...]]]] = {}
    for kind, options in (("clean", ()), ("mixed", MIXED)):
        found = kinds.setdefault(kind, set())
        for unit in compiled(captured(*options, kind=kind), "Shapes.total"):
            (site,) = [call for _, call in sites(unit.load().inlining) if call.method == "Shapes$Shape.area()"]
            assert site.receivers is not None
            found.add((site.kind, tuple(sorted(each.type_name for each in site.receivers.types))))
    assert kinds["clean"] == {(CallKind.DEVIRTUALIZED, ("Shapes$Square",))}
    assert all(kind is CallKind.INDIRECT and len(types) == 2 for kind, types in kinds["mixed"])


def test_what_was_told_not_to_be_inlined_is_not(captured: Runs) -> None:
    for run, kind in ((captured(), CallKind.INLINED), (captured(*MIXED, kind="mixed"), CallKind.DIRECT)):
        (site, *_) = [
            call
            for unit in compiled(run, "Shapes.points")
            for _, call in sites(unit.load().inlining)
            if call.method == "Shapes.pair(int, int)"
        ]
        assert site.kind is kind
    assert "disallowed by CompileCommand" in site.reasons[0]


def test_allocations_are_eliminated_unless_escape_analysis_is_off(captured: Runs) -> None:
    for options, expected in (((), True), (("-XX:-DoEscapeAnalysis",), False)):
        found = {
            decision.properties
            for unit in compiled(captured(*options), "Shapes.points")
            for decision in decisions(unit.load().optimizations)
            if decision.event == "AllocationElimination"
        }
        assert (found == {(("type", "int[]"),)}) is expected


def test_inlining_is_as_the_machine_prints_it(jdk: Jdk, tmp_path: Path) -> None:
    log = tmp_path / "log.xml"
    # One thread that compiles, as threads mix what they print; and it is waited for, so that nothing comes between.
    quiet = ["-XX:-TieredCompilation", "-XX:CICompilerCount=1", "-Xbatch", "-XX:+UnlockDiagnosticVMOptions"]
    both = ["-XX:+LogCompilation", f"-XX:LogFile={log}", "-XX:+PrintCompilation", "-XX:+PrintInlining"]
    words = jdk.words(*quiet, *both, steps=60_000)
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    expected = Counter(tuple(block) for block in printed_inlining(text) if _is_ours(block))
    found = Counter(
        tuple(lines) for unit in read_run(log).units if _is_ours(lines := list(_printed(unit.load().inlining, 0)))
    )
    assert expected == found
    assert sum(expected.values()) > 3


def _is_ours(lines: list[tuple[int, int, str, bool]]) -> bool:
    """Whether the calls are all among methods of the program: of the JDK's intrinsics more is printed than decided."""
    return bool(lines) and all(name.startswith("Shapes") for _, _, name, _ in lines)


def _printed(site: CallSite, depth: int) -> Iterator[tuple[int, int, str, bool]]:
    """As it is printed: of a virtual call only its guessed targets, if it has some."""
    for child in site.children:
        targets = child.children if child.indirect and child.children else [child]
        for target in targets:
            yield depth, target.at, (target.method or "").split("(")[0], target.inlined
            yield from _printed(target, depth + 1)


def test_a_machine_that_is_killed_leaves_what_was_compiled(jdk: Jdk, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with endless_run(folder, jdk) as sonde:
        pid = _child(sonde.pid, folder / "compilation_log.xml")
        _wait_for_c2(pid)
        time.sleep(3)  # the flight recorder writes every second
        os.kill(pid, signal.SIGKILL)
        assert sonde.wait(60) == 128 + signal.SIGKILL
    run = read_run(folder)
    assert "cut-compilation-log" in {each.kind for each in run.doubts}
    assert compiled(run, "Shapes.total")
    assert run.profile is not None
    assert run.compiled_period > 0
    assert not list(Path("/tmp").glob(f"hs_c*_pid{pid}.log"))


def test_a_signal_to_sonde_reaches_the_program(jdk: Jdk, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with endless_run(folder, jdk) as sonde:
        _wait_for_c2(_child(sonde.pid, folder / "compilation_log.xml"))
        sonde.send_signal(signal.SIGTERM)
        assert sonde.wait(60) == 128 + signal.SIGTERM
    assert read_run(folder).units


def _wait_for_c2(pid: int) -> None:
    """Wait until C2 has compiled the program's own loop."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        logs = [each.read_text(errors="replace") for each in Path("/tmp").glob(f"hs_c*_pid{pid}.log")]
        if any(
            re.search(r"<task compile_id='\d+' method='Shapes total [^>]*>.*?<task_done", log, re.S) for log in logs
        ):
            return
        time.sleep(0.2)
    raise AssertionError("C2 did not compile Shapes.total")


def _child(parent: int, log: Path) -> int:
    """The machine that writes the log, once it does."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if log.is_file() and b"<tty>" in log.read_bytes()[:65536]:
            return int(log.read_text(errors="replace").split("process='")[1].split("'")[0])
        time.sleep(0.05)
    raise AssertionError(f"process {parent} started no java")


def test_a_machine_that_cannot_start_leaves_nothing(jdk: Jdk, tmp_path: Path) -> None:
    done = capture_run(tmp_path / "run", [jdk.java, "-XX:NoSuchOption=1", "Shapes"])
    assert done.returncode == 1
    assert "NoSuchOption" in done.stdout + done.stderr
    assert not (tmp_path / "run").exists()


def test_graal_that_is_not_on_is_refused(jdk: Jdk, tmp_path: Path) -> None:
    from sonde.instruments.decisions.capture import CaptureOptions, capture

    with pytest.raises(UsageError) as caught:
        capture(jdk.words(), tmp_path / "run", CaptureOptions(kind="graal"))
    assert caught.value.slug == "capture-options"


_VERSION = "25.0.1"


def test_graal_leaves_its_log_and_a_profile_by_compilation(jdk: Jdk, tmp_path: Path) -> None:
    if "25" not in (jdk.home / "release").read_text().split("JAVA_VERSION=")[1][:8]:
        pytest.skip(f"Graal {_VERSION} runs on JDK 25")
    jars = graal_jars(_VERSION)
    if jars is None:
        pytest.skip(f"Maven has no Graal {_VERSION}")
    compiler, *modules = jars
    options = ["-XX:+UnlockExperimentalVMOptions", "-XX:+EnableJVMCI", "-XX:+UseJVMCICompiler"]
    options += [f"--module-path={':'.join(map(str, modules))}", f"--upgrade-module-path={compiler}"]
    capture_run(tmp_path / "run", jdk.words(*options, steps=600_000)).check_returncode()
    run = read_run(tmp_path / "run")
    assert (run.kind, run.compilation) == ("graal", "JIT")
    assert run.profile is not None
    assert {unit.method for unit in run.units if unit.period} & {"Shapes.total(Shapes$Shape[])", "Shapes.points(int)"}
