"""Real runs of `sonde bench`: killed, interrupted, resumed, failing; what is kept and what is said."""

import json
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from measuring import SONDE, environment, run_sonde, run_sonde_here
from report_json import all_rows
from sonde.instruments.bench.results_file import read_events, read_meta, read_results

SUITE = """
[run]
rounds = 12
warmup = 1
seed = 7
[benchmark.sleep]
command.short = "sleep 0.01"
command.long = "sleep 0.02"
[benchmark.true]
command = "true"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.toml"
    path.write_text(SUITE)
    return path


@contextmanager
def begun(*words: str | Path, cwd: Path) -> "Iterator[subprocess.Popen[str]]":
    """A sonde in a session of its own, to be killed with nobody else; it does not outlive the block."""
    run = subprocess.Popen(
        [*SONDE, "bench", *map(str, words)],
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with run:
        try:
            yield run
        finally:
            run.kill()


def count(path: Path) -> int:
    """Invocations in a results file, while it is written."""
    try:
        return sum(len(series.invocations) for series in read_results(path).series)
    except Exception:  # noqa: BLE001 - it has only just been made
        return 0


def begun_invocations(path: Path) -> int:
    """The same, so quickly that the run has the processor."""
    try:
        with closing(sqlite3.connect(path.resolve().as_uri() + "?mode=ro", uri=True)) as db:
            return int(db.execute("SELECT count(*) FROM invocation").fetchone()[0])
    except sqlite3.Error:
        return 0


def wait_for(path: Path, invocations: int) -> None:
    deadline = time.monotonic() + 60
    while begun_invocations(path) < invocations:
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.005)


def order(path: Path) -> list[tuple[str, str, int | None]]:
    """Who ran, in order, without warming up."""
    found = [
        (invocation.position, series.benchmark, series.alternative, invocation.round)
        for series in read_results(path).series
        for invocation in series.invocations
        if (invocation.round or 0) >= 0
    ]
    return [cell[1:] for cell in sorted(found)]


def test_a_run_that_is_killed_again_and_again_loses_and_repeats_nothing(suite: Path, tmp_path: Path) -> None:
    results, whole = tmp_path / "run.sonde", tmp_path / "whole.sonde"
    reached = 0
    for kill_at in (3, 9, 20, 31):
        with begun("run", suite, "-o", results, "--resume", "--quiet", cwd=tmp_path):
            wait_for(results, max(kill_at, reached + 1))
        assert count(results) >= reached
        reached = count(results)
    done = run_sonde("bench", "run", suite, "-o", results, "--resume", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("bug")) == (0, 0)
    run_sonde("bench", "run", suite, "-o", whole, "--quiet", cwd=tmp_path)
    assert order(results) == order(whole)
    assert Counter(cell[:2] for cell in order(results)) == {
        ("sleep", "short"): 12,
        ("sleep", "long"): 12,
        ("true", ""): 12,
    }
    kinds = [event.kind for event in read_events(results)]
    assert kinds == ["began", *["resumed"] * 4, "ended"]
    with sqlite3.connect(results) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_ctrl_c_ends_the_process_reports_what_there_is_and_names_the_way_on(suite: Path, tmp_path: Path) -> None:
    results = tmp_path / "run.sonde"
    with begun("run", suite, "--rounds", "1000", "-o", results, cwd=tmp_path) as run:
        wait_for(results, 12)
        run.send_signal(signal.SIGINT)
        said, told = run.communicate(timeout=600)
    assert run.returncode == 130
    assert "sleep" in said and "95%" in said
    assert f"interrupted; what was measured is in '{results}'; go on with --resume" in told
    assert read_events(results)[-1].kind == "interrupted"


def test_what_was_measured_without_a_file_is_kept_when_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "count").touch()
    counting = "echo >> count"
    with begun("--rounds", "10000", "--warmup", "0", "--shell", counting, cwd=tmp_path) as run:
        deadline = time.monotonic() + 60
        while (tmp_path / "count").stat().st_size < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        _, told = run.communicate(timeout=600)
    assert run.returncode == 128 + signal.SIGTERM
    found = re.search(r"what was measured is in '([^']*)'", told)
    assert found, told
    assert count(Path(found[1])) > 0
    Path(found[1]).unlink()
    Path(found[1]).parent.rmdir()


def test_a_finished_run_without_a_file_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    done = run_sonde("bench", "--rounds", "3", "true", "--json", cwd=tmp_path, TMPDIR=str(tmp_path / "tmp"))
    assert (done.returncode, list((tmp_path / "tmp").iterdir())) == (0, [])
    assert json.loads(done.stdout)["schema"] == "sonde.report/1"


def test_a_resumed_run_must_measure_the_same(suite: Path, tmp_path: Path) -> None:
    results = tmp_path / "run.sonde"
    run_sonde_here("bench", "run", suite, "-o", results, "--rounds", "2", "--quiet", cwd=tmp_path)
    more = run_sonde_here("bench", "run", suite, "-o", results, "--rounds", "3", "--resume", "--quiet", cwd=tmp_path)
    assert (more.returncode, len(order(results))) == (0, 9)
    suite.write_text(SUITE.replace("sleep 0.02", "sleep 0.03"))
    other = run_sonde_here("bench", "run", suite, "-o", results, "--resume", cwd=tmp_path)
    assert other.returncode == 2
    assert "alternative 'long', command was 'sleep 0.02', is 'sleep 0.03'" in other.stderr
    assert len(order(results)) == 9


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["no-such-program-of-ours"], 2, "no program of that name is on PATH"),
        (["true | cat"], 2, "--shell"),
        ([], 2, "no command was given"),
        (["true", "--name", "a", "--name", "b"], 2, "2 names were given"),
        (["true", "--rounds", "3", "--precision", "1%"], 2, "cannot use --precision with --rounds"),
        (["true", "--loops", "3"], 2, "add --steady"),
        (["--steady", "--shell", "a:b"], 2, "leave out --shell"),
        (["--steady", "nomodule_of_ours:f"], 2, "no module 'nomodule_of_ours'"),
        (["true", "--resume"], 2, "no file was named"),
        (["true", "--budget", "soon"], 2, "'soon' is not a duration"),
        (["true", "-o", "there.sonde"], 2, "it exists already"),
        (["true", "-o", "there.sonde", "--resume"], 1, "not a SQLite database"),
        (["true", "--env", "A"], 2, "it is not NAME=VALUE"),
        (
            ["true", "--rounds", "2", "--setup", "echo no >&2; exit 3"],
            1,
            "cannot set up 'echo no >&2; exit 3': exit code 3: no",
        ),
        (["run", "missing.toml"], 1, "cannot read suite 'missing.toml'"),
        (["true", "-o", "one.sonde", "--html", "one.sonde"], 2, "it is the file of results"),
        (["true", "-o", "one.sonde", "--output", "./one.sonde"], 2, "it is the file of results"),
        (["true", "--output", "there.sonde"], 2, "it exists already"),
        (["true", "--stdin", "there.sonde", "--output", "there.sonde", "--force"], 2, "it is the file of the input"),
        (["true", "--hash-seed", "4294967296"], 2, "4294967295 is the most"),
        (["true", "--steady", "--loops", "99999999999"], 2, "is too large"),
        (["true", "--window", "0"], 2, "'0' is not a whole number from 2 on"),
        (["true", "false", "--name", "a"], 2, "cannot name 2 commands: 1 name was given"),
        (["true", "--timeout", "200ms", "--setup", "sleep 30"], 1, "cannot set up 'sleep 30': ended after 0.2 s"),
        (["false", "--rounds", "2"], 1, "exit code 1"),
    ],
)
def test_a_mistake_is_said_before_anything_is_measured(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "there.sonde").write_text("not ours")
    done = run_sonde_here("bench", *words, cwd=tmp_path)
    assert (done.returncode, said in done.stderr + done.stdout) == (code, True), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there.sonde"]
    assert (tmp_path / "there.sonde").read_text() == "not ours"


def test_a_command_that_fails_now_and_then_is_counted_and_the_others_are_judged(tmp_path: Path) -> None:
    results = tmp_path / "run.sonde"
    flaky = "n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; test $((n % 3)) != 1"
    done = run_sonde_here(
        "bench", "--shell", "--rounds", "9", "--warmup", "0", "-o", results, flaky, "true", cwd=tmp_path
    )
    assert done.returncode == 1
    first, second = read_results(results).series
    assert Counter(one.outcome for one in first.invocations) == {"ok": 6, "failed": 3}
    assert Counter(one.outcome for one in second.invocations) == {"ok": 9}
    ignored = run_sonde_here("bench", "--rounds", "2", "--ignore-failure", "--quiet", "false", cwd=tmp_path)
    assert ignored.returncode == 0


def test_a_failed_preparation_is_a_failed_invocation(tmp_path: Path) -> None:
    results = tmp_path / "run.sonde"
    done = run_sonde_here(
        "bench",
        "--rounds",
        "5",
        "--warmup",
        "0",
        "--prepare",
        "echo sorry >&2; exit 4",
        "-o",
        results,
        "true",
        cwd=tmp_path,
    )
    (series,) = read_results(results).series
    assert done.returncode == 1
    assert [one.detail for one in series.invocations] == [
        "not run: 'echo sorry >&2; exit 4' failed: exit code 4: sorry"
    ] * 3


def test_a_time_out_is_a_failure_that_says_so(tmp_path: Path) -> None:
    results = tmp_path / "run.sonde"
    done = run_sonde_here(
        "bench", "--rounds", "1", "--warmup", "0", "--timeout", "200ms", "-o", results, "sleep 30", cwd=tmp_path
    )
    (series,) = read_results(results).series
    assert (done.returncode, series.invocations[0].outcome) == (1, "timeout")


def test_functions_are_measured_in_processes_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "import sys\ndef short(): sum(range(int(sys.argv[1])))\ndef long():\n    for _ in range(20): short()\n"
    )
    results = tmp_path / "run.sonde"
    done = run_sonde(
        "bench", "--steady", "work:short", "work:long", "--arguments", "1000",
        "--iterations", "10:20", "--min-time", "1ms",
        "--rounds", "3", "--warmup", "0", "-o", results, "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    short, long = read_results(results).series
    assert (short.mode, long.benchmark, len(short.invocations)) == ("steady", "functions", 3)
    assert all(10 <= len(one.values) <= 20 for one in short.invocations)
    means = [min(one.values.min() for one in series.invocations) for series in (short, long)]
    # It does the work twenty times; the least of thirty values and more is not five times too long on one side alone.
    assert 4 < means[1] / means[0] < 100
    assert read_meta(results)["plan"]["benchmarks"][0]["alternatives"][0]["work"]["target"] == "work:short"


def test_the_suite_of_the_examples_runs(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "bench" / "suite.toml"
    listed = run_sonde_here("bench", "run", example, "--list", "--json", cwd=tmp_path)
    done = run_sonde("bench", "run", example, "--rounds", "2", "-o", tmp_path / "run.sonde", "--quiet", cwd=tmp_path)
    assert (listed.returncode, done.returncode) == (0, 0), listed.stderr + done.stderr
    series = read_results(tmp_path / "run.sonde").series
    assert len(series) == len(all_rows(json.loads(listed.stdout), "cells"))
    assert all(sum(1 for one in each.invocations if (one.round or 0) >= 0) == 2 for each in series)


@pytest.mark.parametrize("spoil", ["rm -f {}", ": > {}", "rm -f {0}; cp other {0}", "cp other {}"])
def test_results_that_somebody_spoils_meanwhile_are_reported_and_written_elsewhere(spoil: str, tmp_path: Path) -> None:
    results = tmp_path / "run.sonde"
    run_sonde_here("bench", "--rounds", "1", "-o", tmp_path / "other", "--quiet", "true", cwd=tmp_path)
    late = f"echo >> count; test $(wc -l < count) -ne 4 || {{ {spoil.format(results.name)}; }}"
    done = run_sonde("bench", "--rounds", "5", "--warmup", "0", "--shell", "-o", results, late, cwd=tmp_path)
    assert done.returncode == 1
    assert "what was measured is in 'run.sonde'" not in done.stderr
    assert f"cannot keep results in '{results}'" in done.stderr
    assert f"hint: what was measured is in '{tmp_path / 'run.rescued.sonde'}'" in done.stderr
    assert "ms" in done.stdout
    assert count(tmp_path / "run.rescued.sonde") >= 3


def test_a_metric_that_there_is_not_ends_the_run_at_its_first_invocation(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    words = ("bench", "--rounds", "50", "--metric", "frob", "--shell", "echo >> count")
    done = run_sonde(*words, cwd=tmp_path, TMPDIR=str(tmp_path / "tmp"))
    assert (done.returncode, (tmp_path / "count").read_text()) == (2, "\n")
    assert "cannot judge 'echo >> count' of 'commands' by 'frob'" in done.stderr
    assert "hint: it has wall, " in done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    kept = run_sonde(*words, "-o", "run.sonde", cwd=tmp_path)
    assert (kept.returncode, count(tmp_path / "run.sonde")) == (2, 1)


def test_a_preparation_that_hangs_fails_its_invocation(tmp_path: Path) -> None:
    words = ("--rounds", "1", "--warmup", "0", "--timeout", "200ms", "--prepare", "sleep 30", "-o", "run.sonde")
    done = run_sonde_here("bench", *words, "true", cwd=tmp_path)
    (series,) = read_results(tmp_path / "run.sonde").series
    assert done.returncode == 1
    assert [one.detail for one in series.invocations] == ["not run: 'sleep 30' failed: ended after 0.2 s"]


def test_a_sigterm_while_cleaning_up_leaves_no_folder_behind(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    run = subprocess.Popen(
        [*SONDE, "bench", "-v", "--rounds", "2", "--cleanup", "touch begun; sleep 30", "true"],
        cwd=tmp_path,
        env={**environment(), "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with run:
        deadline = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        said, told = run.communicate(timeout=600)
    assert (run.returncode, list((tmp_path / "tmp").iterdir())) == (143, []), told
    assert "cannot clean up 'touch begun; sleep 30': interrupted" in said


def test_what_would_run_is_listed_as_json_and_without_control_characters(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text('[benchmark."a\\u001b[31m"]\ncommand.x = "true"')
    plain = run_sonde_here("bench", "run", "suite.toml", "--list", cwd=tmp_path)
    assert plain.stdout.splitlines()[-1].split() == ["startup", "a\ufffd[31m", "x", "true"]
    data = json.loads(run_sonde_here("bench", "run", "suite.toml", "--list", "--json", cwd=tmp_path).stdout)
    assert (data["schema"], data["kind"]) == ("sonde.report/1", "bench-list")
    assert all_rows(data, "cells") == [
        {
            "benchmark": "a\x1b[31m",
            "alternative": "x",
            "levels": {"alternative": "x"},
            "mode": "startup",
            "work": "true",
        }
    ]


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("bench", "--rounds", "2", "--quiet", "true")])
def test_a_full_device_on_standard_output_is_said_and_is_no_bug(words: tuple[str, ...], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*SONDE, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=environment(),
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        1,
        "sonde: cannot write to standard output: No space left on device\n",
    )


def test_a_folder_that_was_removed_is_said(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"rmdir {gone}; exec {shlex.join(SONDE)} bench true"
    done = subprocess.run(["sh", "-c", line], cwd=gone, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot measure in the current folder: No such file or directory" in done.stderr


RECORD_AND_SAY_SO = """
import os, sys
import numpy as np
from pathlib import Path
from sonde.instruments.bench.measurements import Invocation, Series
from sonde.instruments.bench.results_file import ResultsWriter
with ResultsWriter(Path(sys.argv[1]), resume=True) as writer:
    number = writer.add_series(Series("b", "a", "startup", ()))
    while True:
        writer.record(number, Invocation(np.full(500, 0.5)))
        os.write(1, b".")
"""


def test_whatever_was_recorded_when_the_kill_came_is_in_the_file(tmp_path: Path) -> None:
    """The guarantee of `ResultsWriter`, at moments that nobody chose; most of each is spent writing."""
    results, known = tmp_path / "run.sonde", 0
    for attempt in range(8):
        writer = subprocess.Popen(
            [sys.executable, "-c", RECORD_AND_SAY_SO, results], stdout=subprocess.PIPE, env=environment()
        )
        assert writer.stdout is not None
        said = len(writer.stdout.read(1))  # it has begun
        time.sleep(0.05 + 0.037 * attempt)
        writer.kill()
        said += len(writer.stdout.read())
        writer.wait()
        writer.stdout.close()
        found = read_results(results).series[0].invocations
        assert known + said <= len(found) <= known + said + 1
        assert all((one.values == 0.5).all() and len(one.values) == 500 for one in found)
        known = len(found)


def measured(path: Path) -> dict[tuple[str, str], tuple[str, list[float]]]:
    """(benchmark, alternative) -> mode, and the values of its last invocation."""
    return {
        (one.benchmark, one.alternative): (one.mode, one.invocations[-1].values.tolist())
        for one in read_results(path).series
    }


def test_one_command_is_measured_with_each_value_and_by_what_it_prints(tmp_path: Path) -> None:
    script = shlex.join(["sh", "-c", "for i in $(seq {n}); do echo score: {n}.$i; done"])
    words = ("--metric", "score=score: ([0-9.]+)", "--rounds", "2", "-o", "x.sonde", "--json")

    run = run_sonde_here("bench", "--parameter", "n=1,3", script, *words, cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert measured(tmp_path / "x.sonde") == {
        ("commands", "n=1"): ("startup", [1.1]),
        ("commands", "n=3"): ("steady", [3.1, 3.2, 3.3]),
    }
    assert [one.levels for one in read_results(tmp_path / "x.sonde").series] == [{"n": "1"}, {"n": "3"}]
    facts = [fact for block in json.loads(run.stdout)["blocks"] for fact in block.get("facts", ())]
    assert "score, higher is better" in [fact["value"] for fact in facts]


def test_several_commands_are_compared_for_each_value(tmp_path: Path) -> None:
    words = ("--metric", "n=(.*)", "--rounds", "2", "-o", "x.sonde")

    run = run_sonde_here("bench", "--parameter", "n=1..2", "echo {n}", "printf {n}0", *words, cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    assert {name: values for name, (_, values) in measured(tmp_path / "x.sonde").items()} == {
        ("n=1", "echo {n}"): [1.0],
        ("n=1", "printf {n}0"): [10.0],
        ("n=2", "echo {n}"): [2.0],
        ("n=2", "printf {n}0"): [20.0],
    }


def test_a_run_in_which_nothing_matches_has_failed_and_says_what_was_printed(tmp_path: Path) -> None:
    run = run_sonde_here("bench", "echo usage: x", "--metric", "score=score: (.*)", "--rounds", "1", cwd=tmp_path)

    assert run.returncode == 1
    assert "no 'score' was printed: the last line of its output is 'usage: x'" in run.stderr
