"""What becomes of a run of `sonde memory` when sonde is killed, or the disk is full: as little as can be is lost."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from measuring import SONDE, environment, run_sonde
from needed import needs
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.source import (
    RECORD,
    ToolOptions,
    ToolRun,
    built_tool,
    check_tool,
    read_record,
    run_under_tool,
    target_of,
)
from sonde.store.run_folder import live_folder

pytestmark = [
    needs(check_tool),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]

PROGRAM = """\
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile long cells[1000];
static void go_on(int number) { (void)number; }
static void fill(void) { for (int i = 0; i < 1000; i++) cells[i]++; }
int main(int count, char **words) {
    const char *what = words[1];
    if (strstr(what, "handles")) signal(SIGTERM, go_on);
    if (strstr(what, "ignores")) signal(SIGTERM, SIG_IGN);
    fill();
    puts("ready");
    fflush(stdout);
    for (;;) strstr(what, "waits") ? pause() : fill();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "program.c", "-o", "program"], cwd=folder, check=True)
    return folder / "program"


def started(program: Path, what: str, output: Path, cache: str) -> "subprocess.Popen[str]":
    """Sonde, whose program has done its work and goes on."""
    command = [*SONDE, "memory", "--quiet", "-o", str(output), "--", str(program), what]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(XDG_CACHE_HOME=cache))
    assert run.stdout is not None
    assert run.stdout.readline() == "ready\n"
    return run


@pytest.mark.parametrize("what", ["works", "handles, waits", "ignores, works"])
def test_a_run_whose_sonde_was_killed_is_recovered(program: Path, what: str, tmp_path: Path, cache: str) -> None:
    output = tmp_path / "run.sonde"
    run = started(program, what, output, cache)
    run.kill()
    assert run.communicate()[0] == ""  # when the program has ended, too
    assert live_folder(output).is_dir() and not output.exists()
    spare = Path(json.loads((live_folder(output) / "memory-run.json").read_text(encoding="utf-8"))["spare"])
    assert spare.is_dir()

    seen = run_sonde("view", output, "--json")

    assert seen.returncode == 0, seen.stderr
    assert "was cut off; recovered what it had counted" in seen.stderr
    profile = read_memory_profile(output)
    assert (profile.run.ended, profile.run.complete) == ("cut off", False)
    assert profile.run.command == (str(program), what)
    of_fill = [
        line.loads
        for line in profile.native_lines
        if profile.functions[profile.places[line.place].frames[0][0]].name == "fill"
    ]
    assert sum(of_fill) >= 1000  # up to its end: it was too short for a record on the way
    assert not live_folder(output).exists() and not spare.exists()


def test_a_run_that_goes_on_is_left_alone(program: Path, tmp_path: Path, cache: str) -> None:
    output = tmp_path / "run.sonde"
    run = started(program, "waits", output, cache)
    try:
        seen = run_sonde("view", output)
        again = run_sonde("memory", "--force", "--quiet", "-o", output, "--", program, "works", XDG_CACHE_HOME=cache)
    finally:
        run.terminate()
        run.communicate()
    assert (seen.returncode, again.returncode) == (1, 2)
    assert "has written no record" in seen.stderr and "hint: wait" in seen.stderr
    assert "another run that is to write it goes on" in again.stderr
    assert read_memory_profile(output).run.ended == "killed by SIGTERM"
    assert not live_folder(output).exists()


def test_what_is_left_of_a_run_is_thrown_away_by_force_only(tmp_path: Path, cache: str) -> None:
    output = tmp_path / "run.sonde"
    live_folder(output).mkdir()
    (live_folder(output) / "memory-run.json").write_text(json.dumps({"command": ["x"]}), encoding="utf-8")

    refused = run_sonde("memory", "--quiet", "-o", output, "--", "true", XDG_CACHE_HOME=cache)

    assert refused.returncode == 2 and "holds a run that was cut off" in refused.stderr
    empty = run_sonde("view", output)
    assert empty.returncode == 1 and "has written no record" in empty.stderr


CACHES = "I1:32768,8,64;D1:32768,8,64"
FULL = Path("/dev/full")


def run_true(folder: Path, cache: str, monkeypatch: pytest.MonkeyPatch, options: ToolOptions) -> ToolRun:
    """`true` under the tool, whose record goes to a disk that is full from the first byte on."""
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    spool = folder / "spool"
    spool.mkdir()
    if options.trace is None:
        (spool / f"{RECORD}.part").symlink_to(FULL)  # as it is called until it is whole
    with built_tool() as tool:
        return run_under_tool(target_of(("true",)), tool, spool, options)


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_record_that_its_disk_has_no_room_for_goes_to_another(
    tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run_true(tmp_path, cache, monkeypatch, ToolOptions(CACHES, spare=tmp_path))

    assert (ended.outcome.in_words, ended.fault, ended.record) == ("exited 0", None, tmp_path / RECORD)
    read = read_record(ended.record).counted
    assert read.run.complete and read.accesses > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == [RECORD, "spool"]  # nothing that is not whole


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_record_that_goes_nowhere_is_told_of(tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = run_true(tmp_path, cache, monkeypatch, ToolOptions(CACHES))

    assert not ended.record.exists()
    assert ended.fault is not None and "the tool could not write what it found" in ended.fault


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_trace_says_how_much_it_lacks(tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = run_true(tmp_path, cache, monkeypatch, ToolOptions(CACHES, trace=FULL))

    counted = read_record(ended.record).counted
    (loss,) = [loss for loss in counted.losses if loss.kind == "accesses-not-traced"]
    assert loss.amount == counted.accesses
