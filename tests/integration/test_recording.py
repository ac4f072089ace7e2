"""Traces as files: killed, damaged, cut, full disks, odd names, several processes."""

import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from measuring import (
    PROGRAMS,
    SONDE,
    calls_by_name,
    calls_by_path,
    environment,
    measure,
    replay,
    run_sonde,
    run_sonde_here,
)
from sonde.instruments.contexts.profile import ContextProfile, read_profile

STEPS = """
import sys, time
def step(i): return i
steps = 0
while True:
    for i in range(1000): step(i)
    steps += 1000
    print(steps, flush=True)
    if steps >= int(sys.argv[1]): break
time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    return write_steps(tmp_path)


def write_steps(folder: Path) -> Path:
    path = folder / "steps.py"
    path.write_text(STEPS)
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a trace of a good many blocks, of its profile and of the program."""
    folder = tmp_path_factory.mktemp("recorded")
    done = run_sonde(
        *("contexts", "--quiet", "-o", folder / "run.sonde", "--record", folder / "t.trace"),
        *(write_steps(folder), "200000", "0"),
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def trace(recorded: Path, tmp_path: Path) -> Path:
    """A copy, which may be harmed."""
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path / "t.trace"


def replayed_steps(tmp_path: Path) -> int:
    profile = read_profile(tmp_path / "again.sonde")
    profile.check_valid()
    return calls_by_name(profile)["step"]


def test_a_killed_program_leaves_every_call_in_its_trace(steps: Path, tmp_path: Path) -> None:
    command = [*SONDE, "contexts", "--quiet", "-o", str(tmp_path / "run.sonde"), "--record", str(tmp_path / "t.trace")]
    process = subprocess.Popen(
        [*command, str(steps), "50000", "60"], stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout is not None
    while process.stdout.readline() != "50000\n":
        pass
    time.sleep(0.2)
    process.kill()
    process.communicate(timeout=600)

    done = run_sonde_here("replay", "--exact", "-o", tmp_path / "again.sonde", tmp_path / "t.trace")

    assert done.returncode == 0, done.stderr
    assert "the recording has no end" in " ".join(done.stdout.split())
    assert replayed_steps(tmp_path) == 50_000
    assert [loss.kind for loss in read_profile(tmp_path / "again.sonde").losses] == ["trace-cut-off"]


@pytest.mark.parametrize("where", [0.3, 0.9])
def test_a_damaged_trace_is_counted_up_to_the_damage(where: float, trace: Path, tmp_path: Path) -> None:
    content = bytearray(trace.read_bytes())
    content[round(where * len(content))] ^= 4
    trace.write_bytes(content)

    done = run_sonde_here("replay", "--exact", "--quiet", "-o", tmp_path / "again.sonde", trace)

    assert done.returncode == 1
    assert "checksum is wrong" in done.stderr or "cannot be" in done.stderr
    assert "events before that are intact" in done.stderr
    assert 0.5 * where * 200_000 < replayed_steps(tmp_path) < 200_000
    assert "trace-damaged" in [loss.kind for loss in read_profile(tmp_path / "again.sonde").losses]


@pytest.mark.parametrize("where", [0.3, 0.5, 0.99])
def test_a_trace_that_is_cut_is_counted_as_far_as_it_goes(where: float, trace: Path, tmp_path: Path) -> None:
    os.truncate(trace, round(where * trace.stat().st_size))

    done = run_sonde_here("replay", "--exact", "--quiet", "-o", tmp_path / "again.sonde", trace)

    assert (done.returncode, done.stderr) == (0, "")
    assert 0.5 * where * 200_000 < replayed_steps(tmp_path) <= 200_000
    assert [loss.kind for loss in read_profile(tmp_path / "again.sonde").losses] == ["trace-cut-off"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is not a trace of sonde's"),
        (b"#!/bin/sh\n" * 100, "it is not a trace of sonde's"),
        (None, "no such file"),
    ],
    ids=["empty", "something else", "missing"],
)
def test_what_is_no_trace_is_refused(content: bytes | None, said: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "t.trace").write_bytes(content)

    done = run_sonde_here("replay", "--quiet", "-o", tmp_path / "again.sonde", tmp_path / "t.trace")

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert not (tmp_path / "again.sonde").exists()


def test_a_profile_is_no_trace_and_a_trace_no_profile(trace: Path, tmp_path: Path) -> None:
    profile_as_trace = run_sonde_here("replay", "--quiet", "-o", tmp_path / "x.sonde", tmp_path / "run.sonde")
    trace_as_profile = run_sonde_here("view", trace)

    assert (profile_as_trace.returncode, trace_as_profile.returncode) == (1, 1)
    assert "it is not a trace of sonde's" in profile_as_trace.stderr
    assert f"it is a trace of calls\nhint: sonde replay {trace}" in trace_as_profile.stderr
    assert f"hint: sonde view {tmp_path / 'run.sonde'}" in profile_as_trace.stderr


FAMILY = """
import os, subprocess, sys
def leaf(): pass
os.chdir("/")
for _ in range(100): leaf()
subprocess.run([sys.executable, "-c", "def leaf(): pass\\nfor _ in range(50): leaf()"], check=True)
pid = os.fork()
for _ in range(30): leaf()
if pid: os.waitpid(pid, 0)
"""


def test_every_process_that_is_followed_has_a_trace_and_together_they_are_the_run(tmp_path: Path) -> None:
    script = tmp_path / "family.py"
    script.write_text(FAMILY)
    done = run_sonde(
        *("contexts", "--follow", "--exact", "--quiet", "-o", "run.sonde", "--record", "t.trace", script), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    traces = sorted(tmp_path.glob("t.trace*"))

    profile = replay(tmp_path, "--exact", *traces)

    run = read_profile(tmp_path / "run.sonde")
    assert len(traces) == len(run.processes) == 3
    assert calls_by_name(profile)["leaf"] == 100 + 50 + 30 + 30
    assert calls_by_path(profile) == calls_by_path(run)
    assert sorted(process.pid for process in profile.processes) == sorted(process.pid for process in run.processes)


def test_counting_beside_the_program_follows_its_processes(tmp_path: Path) -> None:
    script = tmp_path / "family.py"
    script.write_text(FAMILY)

    measured = measure(tmp_path, "--follow", "--concurrent", script)

    assert calls_by_name(measured.profile)["leaf"] == 100 + 50 + 30 + 30
    assert len(measured.profile.processes) == 3


def test_files_beside_the_trace_are_nobody_elses_business(tmp_path: Path) -> None:
    """Traces of an earlier run of more processes, and what a person calls `t.trace.txt`."""
    family, script = tmp_path / "family.py", PROGRAMS / "plain_calls.py"
    family.write_text(FAMILY)
    measure(tmp_path, "--follow", "--record", tmp_path / "t.trace", family)
    (tmp_path / "t.trace.txt").write_text("notes")
    wanted = measure(tmp_path, "--exact", script).profile

    measured = measure(tmp_path, "--exact", "--concurrent", "--record", tmp_path / "t.trace", script)

    assert measured.stderr == ""
    assert measured.profile.total_calls == wanted.total_calls
    assert calls_by_name(measured.profile)["leaf"] == 0


@pytest.mark.parametrize("name", ["a\nb with space", "quote'\" *[x]? 100%", "ünï", os.fsdecode(b"bad\xff")])
def test_a_trace_may_have_any_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    script = PROGRAMS / "exceptions.py"

    measured = measure(tmp_path, "--exact", "--concurrent", "--record", folder / f"{name}.trace", script)

    assert calls_by_path(replay(tmp_path, "--exact", folder / f"{name}.trace")) == calls_by_path(measured.profile)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["contexts", "--record", "missing/t.trace", "steps.py", "0", "0"], 1, "there is no folder 'missing'"),
        (["contexts", "--record", ".", "steps.py", "0", "0"], 1, "it is a folder"),
        (["contexts", "--record", "/dev/full", "steps.py", "0", "0"], 1, "it is not a regular file"),
        (["contexts", "--record", "t.trace", "steps.py", "0", "0"], 2, "it exists already"),
        (["contexts", "--record", "both", "-o", "both", "steps.py", "0", "0"], 2, "both"),
        (["replay", "t.trace", "-o", "run.sonde"], 2, "it exists already"),
        (["replay", "t.trace", "-o", "t.trace", "--force"], 2, "t.trace"),
        (["replay", "t.trace", "t.trace", "-o", "x.sonde"], 2, "same file"),
        (["replay", "t.trace", "--adaptive", "10%"], 2, "--adaptive"),
        (["replay", "t.trace", "--exact", "--phi", "0.1"], 2, "exclude each other"),
        (["replay", "t.trace", "--quiet"], 2, "go nowhere"),
    ],
)
def test_a_mistake_has_one_message_and_harms_no_file(words: list[str], code: int, said: str, trace: Path) -> None:
    before = trace.read_bytes()

    done = run_sonde_here(*words, cwd=trace.parent)

    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert said in done.stderr
    assert done.stderr.startswith("sonde: ")
    assert "bug in sonde" not in done.stderr
    assert trace.read_bytes() == before


def test_force_replaces_a_trace(trace: Path, tmp_path: Path) -> None:
    measured = measure(tmp_path, "--exact", "--force", "--record", trace, PROGRAMS / "plain_calls.py")

    assert calls_by_path(replay(tmp_path, "--exact", trace)) == calls_by_path(measured.profile)


def test_a_recording_without_times_is_not_looked_at_in_bursts(tmp_path: Path) -> None:
    measure(tmp_path, "--no-time", "--record", tmp_path / "t.trace", PROGRAMS / "plain_calls.py")

    done = run_sonde_here("replay", "--burst", "20ms/2ms", tmp_path / "t.trace")

    assert (done.returncode, done.stdout) == (2, "")
    assert "it has no times" in done.stderr


@pytest.mark.parametrize("concurrent", [[], ["--concurrent"]], ids=["inline", "concurrent"])
def test_a_trace_that_finds_no_room_disturbs_nothing_and_says_so(
    concurrent: list[str], steps: Path, tmp_path: Path
) -> None:
    command = [
        *SONDE,
        "contexts",
        "--quiet",
        "-o",
        "run.sonde",
        *concurrent,
        "--record",
        "t.trace",
        str(steps),
        "400000",
        "0",
    ]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    done = subprocess.run(
        command, preexec_fn=limit, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False
    )

    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "400000"), done.stderr
    run = read_profile(tmp_path / "run.sonde")
    lost = lost_events(run)
    assert lost > 100_000
    assert done.stderr == f"sonde: t.trace is not whole: {lost:,} events found no room\n"
    if not concurrent:
        assert calls_by_name(run)["step"] == 400_000
    again = run_sonde_here("replay", "--exact", "--quiet", "-o", tmp_path / "again.sonde", tmp_path / "t.trace")
    assert again.returncode == 0, again.stderr
    assert 0 < replayed_steps(tmp_path) < 400_000
    assert lost_events(read_profile(tmp_path / "again.sonde")) == lost


@pytest.mark.parametrize("end", ["pass", "os._exit(0)"])
def test_a_run_and_its_replay_say_the_same_of_a_trace_that_found_no_room(end: str, tmp_path: Path) -> None:
    script = tmp_path / "defines.py"
    script.write_text(
        "import os\ndef step(): pass\n"
        "for i in range(100_000):\n    step()\n    if i % 1000 == 0: exec(f'def f{i}(): pass\\nf{i}()', {})\n" + end
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    command = [*SONDE, "contexts", "--quiet", "-o", "run.sonde", "--record", "t.trace", str(script)]
    done = subprocess.run(command, preexec_fn=limit, cwd=tmp_path, env=environment(), check=False)

    run_sonde_here("replay", "--exact", "--quiet", "-o", tmp_path / "again.sonde", tmp_path / "t.trace")
    run, again = read_profile(tmp_path / "run.sonde"), read_profile(tmp_path / "again.sonde")
    assert done.returncode == 1
    assert lost_events(run) == lost_events(again) > 0


def lost_events(profile: ContextProfile) -> int:
    return sum(loss.amount for loss in profile.losses if loss.kind == "events-not-recorded")


def test_a_program_that_ends_by_a_signal_is_recorded_up_to_then(tmp_path: Path) -> None:
    script = tmp_path / "dies.py"
    script.write_text(
        "import os, signal\ndef f(): pass\nfor _ in range(500): f()\nos.kill(os.getpid(), signal.SIGSEGV)"
    )
    done = run_sonde("contexts", "--quiet", "-o", tmp_path / "run.sonde", "--record", tmp_path / "t.trace", script)
    assert done.returncode == -signal.SIGSEGV

    again = run_sonde_here("replay", "--exact", "--quiet", "-o", tmp_path / "again.sonde", tmp_path / "t.trace")

    assert again.returncode == 0, again.stderr
    assert calls_by_name(read_profile(tmp_path / "again.sonde"))["f"] == 500


def test_files_that_a_run_is_writing_are_not_taken_from_it_with_force(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text("def f(): pass\nfor _ in range(500): f()\nprint('waits', flush=True)\ninput()")
    first = [*SONDE, "contexts", "--quiet", "-o", "run.sonde", "--record", "t.trace", str(script)]
    with subprocess.Popen(
        first, cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        assert run.stdout.readline() == "waits\n"

        others = [
            run_sonde("contexts", "--force", *option, script, cwd=tmp_path)
            for option in (["-o", "run.sonde"], ["--record", "t.trace"])
        ]
        run.stdin.write("\n")
        run.stdin.close()

    assert [(other.returncode, other.stdout) for other in others] == [(2, ""), (2, "")]
    assert "another run that is to write it goes on" in others[0].stderr
    assert "is recording into it" in others[1].stderr
    assert run.returncode == 0
    assert calls_by_name(read_profile(tmp_path / "run.sonde"))["f"] == 500
    assert calls_by_name(replay(tmp_path, tmp_path / "t.trace"))["f"] == 500
