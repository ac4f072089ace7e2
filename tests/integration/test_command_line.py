"""The command line as a person meets it: help, mistakes, and sonde under sonde."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from measuring import SONDE, calls_by_name, environment, run_sonde, run_sonde_here
from report_json import all_rows, facts
from sonde.cli.verbs import VERBS
from sonde.instruments.bench.verb.bench import QUESTIONS as BENCH_QUESTIONS
from sonde.instruments.contexts.profile import read_profile
from sonde.instruments.decisions.verb.decisions import QUESTIONS as DECISIONS_QUESTIONS

APP = "def f(): return sum(range(100_000))\nfor _ in range(3): f()\nprint('ran')\n"


@pytest.fixture
def app(tmp_path: Path) -> Path:
    path = tmp_path / "app.py"
    path.write_text(APP)
    (tmp_path / "notes.ipynb").write_text('{"cells": []}')
    (tmp_path / "r.ipynb").write_text('{"cells": [], "metadata": {"kernelspec": {"name": "ir", "language": "R"}}}')
    return path


QUESTIONS = [
    *(f"bench {question}" for question in BENCH_QUESTIONS),
    *(f"decisions {question}" for question in DECISIONS_QUESTIONS if question != "profdiff"),  # Graal's own layout
    "vm run",
]


@pytest.mark.parametrize("verb", [*VERBS, *QUESTIONS])
def test_every_verb_has_help_that_fits_eighty_columns(verb: str) -> None:
    done = run_sonde(*verb.split(), "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: sonde {verb}")
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []


def test_help_lists_the_verbs() -> None:
    done = run_sonde("--help")

    assert done.returncode == 0
    assert all(verb in done.stdout for verb in VERBS)
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["contxts", "app.py"], 2, "did you mean 'sonde contexts'?"),
        (["app.py"], 2, "sonde contexts app.py"),
        (["contexts"], 2, "no program was given"),
        (["contexts", "missing.py"], 2, "cannot run 'missing.py': no such file"),
        (["contexts", "-m", "no_such_module"], 2, "has no module 'no_such_module'"),
        (["contexts", "--", "no-such-command"], 2, "no such command on PATH"),
        (["contexts", "--", "/"], 2, "cannot run '/': it is a folder"),
        (["contexts", "--", "./app.py"], 2, "cannot run './app.py': it may not be executed\nhint: chmod +x ./app.py"),
        (["contexts", "notes.ipynb"], 2, "cannot run 'notes.ipynb': it is a notebook, not a script"),
        (["sample", "r.ipynb"], 2, "cannot run 'r.ipynb': it is a notebook, and its language is R"),
        (["contexts", "--", "./missing"], 2, "cannot run './missing': no such file"),
        (["contexts", "--nonsense", "app.py"], 2, "--nonsense"),
        (["contexts", "-o", "missing/run.sonde", "app.py"], 1, "there is no folder 'missing'"),
        (["contexts", "-o", "app.py", "app.py"], 2, "it exists already"),
        (["contexts", "--quiet", "app.py"], 2, "would go nowhere"),
        (["view", "missing.sonde"], 1, "no such file"),
        (["export", ".", "--to", "speedscope"], 1, "cannot read '.': it is a folder"),
        (["diff", "/", "missing.sonde"], 2, "cannot read '/': it is a folder"),
        (["merge", "", "missing.sonde", "-o", "all.sonde"], 1, "it is a folder"),
        (["export", "missing.sonde", "--to", "speedscope"], 1, "no such file"),
        (["diff", "missing.sonde", "missing.sonde"], 2, "no such file"),
    ],
)
def test_a_mistake_has_one_message_and_the_documented_exit_code(
    words: list[str], code: int, said: str, app: Path
) -> None:
    check_mistake(run_sonde_here(*words, cwd=app.parent), code, said)


def test_so_has_a_program_that_cannot_be_measured(app: Path) -> None:
    done = run_sonde("contexts", "--", "python3", "-I", "-c", "pass", cwd=app.parent)
    check_mistake(done, 3, "nothing was measured")


def check_mistake(done: "subprocess.CompletedProcess[str]", code: int, said: str) -> None:
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("sonde: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.fixture(scope="module")
def doctor() -> "subprocess.CompletedProcess[str]":
    """What `sonde doctor` says on a narrow terminal."""
    return run_sonde("doctor", COLUMNS="40")


def test_help_and_doctor_fit_a_narrow_terminal(app: Path, doctor: "subprocess.CompletedProcess[str]") -> None:
    run_sonde("contexts", "--quiet", "-o", "run.sonde", "app.py", cwd=app.parent)
    answers = [run_sonde(*words, cwd=app.parent, COLUMNS="40") for words in (("--help",), ("view", "run.sonde"))]
    for done in (*answers, doctor):
        # What is typed is not broken.
        wide = [line for line in done.stdout.splitlines() if len(line) > 40 and " " in line[8:].strip()]
        assert [line for line in wide if "sonde " not in line] == []


INTERRUPTED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == MODULE:
            os.kill(os.getpid(), signal.SIGINT)
MODULE = sys.argv.pop()
sys.meta_path.insert(0, Finder())
from sonde.__main__ import main
code = main()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
sys.exit(code)
"""


@pytest.mark.parametrize(("module", "code"), [("sonde.cli.main", -signal.SIGINT), ("nothing", 0)])
def test_a_command_that_is_interrupted_while_it_is_imported_ends_without_a_traceback(module: str, code: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment())

    assert (done.returncode, done.stderr) == (code, "")


def test_the_report_goes_to_stderr_and_json_is_one_line_of_stdout(app: Path) -> None:
    text, data = run_sonde("contexts", app), run_sonde("contexts", "--json", app)

    assert text.stdout == "ran\n"
    assert "calling contexts" in text.stderr
    assert max(map(len, text.stderr.splitlines())) <= 80
    ran, line = data.stdout.splitlines()
    assert ran == "ran"
    answer = json.loads(line)
    assert (answer["schema"], answer["kind"]) == ("sonde.report/1", "contexts")
    assert [row["calls"] for row in all_rows(answer, "unfolded_contexts") if row["function"]["label"] == "f"] == [3]


def test_what_is_to_be_typed_next_names_files_as_a_shell_reads_them(app: Path) -> None:
    folder = app.parent
    for words, said in (
        (["contexts", "-o", "my run.sonde", "app.py"], "sonde view 'my run.sonde' --html"),
        (["export", "my run.sonde", "--to", "pprof"], "go tool pprof -http=: 'my run.pb.gz'"),
        (["export", "my run.sonde", "--to", "pprof", "-o", "a b/c"], "mkdir -p 'a b'"),
    ):
        assert said in run_sonde(*words, cwd=folder).stderr


EXITS_WITH_7 = "print('ran'); raise SystemExit(7)"


@pytest.mark.parametrize("options", [(), ("--live",)])
@pytest.mark.parametrize("full", [False, True], ids=["no reader", "full"])
def test_a_report_that_nobody_reads_leaves_the_program_its_exit_code(
    options: tuple[str, ...], full: bool, tmp_path: Path
) -> None:
    output = tmp_path / "run.sonde"
    command = [*SONDE, "contexts", *options, "-o", str(output), "-c", EXITS_WITH_7]
    with unread(full=full) as nowhere:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=nowhere, text=True, env=environment(), timeout=600
        )

    assert (done.returncode, done.stdout) == (7, "ran\n")
    assert read_profile(output).run.ended == "exited 7"


def test_an_answer_that_nobody_reads_still_has_its_exit_code(app: Path) -> None:
    folder = app.parent
    other = folder / "other.py"
    other.write_text("def g(): return sum(range(100_000))\nfor _ in range(3): g()\n")
    for program, output in ((app, "a.sonde"), (other, "b.sonde")):
        assert run_sonde("contexts", "--quiet", "-o", output, program, cwd=folder).returncode == 0
    for words, code in (
        (["diff", "a.sonde", "b.sonde"], 4),
        (["diff", "a.sonde", "b.sonde", "--metric", "calls", "--json"], 1),
        (["diff", "a.sonde", "a.sonde"], 0),
        (["view", "a.sonde"], 0),
        (["contexts", "--json", "-c", "raise SystemExit(7)"], 7),
        (["bench", "false", "--rounds", "1"], 1),
    ):
        with unread() as nowhere:
            done = subprocess.run(
                [*SONDE, *words], cwd=folder, stdout=nowhere, stderr=subprocess.DEVNULL, env=environment(), timeout=600
            )
        assert done.returncode == code, words


@contextmanager
def unread(*, full: bool = False) -> Iterator[int]:
    """A descriptor to write to whose reader has gone, or which is on a full disk."""
    if full:
        descriptor = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, descriptor = os.pipe()
        os.close(reader)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_a_whole_round_from_measuring_to_every_view(app: Path) -> None:
    folder = app.parent
    assert run_sonde("contexts", "--quiet", "-o", "run.sonde", "app.py", cwd=folder).returncode == 0

    for words in (
        ["view", "run.sonde"],
        ["view", "run.sonde", "--html", "run.html"],
        ["diff", "run.sonde", "run.sonde"],
        *(["export", "run.sonde", "--to", name] for name in ("speedscope", "pprof", "collapsed", "chrome")),
    ):
        done = run_sonde(*words, cwd=folder)
        assert done.returncode == 0, (words, done.stderr)


def test_sonde_measures_sonde(app: Path) -> None:
    folder = app.parent
    outer = ["contexts", "--quiet", "-o", "outer.sonde", "-m", "sonde"]

    done = run_sonde(*outer, "contexts", "--quiet", "-o", "inner.sonde", "app.py", cwd=folder)

    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert calls_by_name(read_profile(folder / "inner.sonde"))["f"] == 3
    assert calls_by_name(read_profile(folder / "outer.sonde"))["run_with_agent"] == 1


def test_a_run_that_goes_on_can_be_looked_at(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text("import time\ndef f(): pass\nfor _ in range(100): f()\nprint('go', flush=True)\ntime.sleep(60)")
    command = [*SONDE, "contexts", "--quiet", "-o", str(tmp_path / "run.sonde"), str(script)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        for _ in range(50):
            if (tmp_path / "run.sonde-live" / "run.json").exists():
                break
            time.sleep(0.05)

        done = run_sonde("view", tmp_path / "run.sonde", "--json")

        assert done.returncode == 0, done.stderr
        assert "still goes on" in done.stderr
        assert facts(json.loads(done.stdout), "run")["ended"] == "still running"
    finally:
        process.terminate()
        process.communicate(timeout=600)
    assert calls_by_name(read_profile(tmp_path / "run.sonde"))["f"] == 100


def test_doctor_needs_nothing_on_path(tmp_path: Path) -> None:
    done = run_sonde("doctor", PATH=str(tmp_path))

    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "ok invocations " in told and "no 'valgrind' on PATH" in told


def test_doctor_finds_a_working_installation(doctor: "subprocess.CompletedProcess[str]") -> None:
    data = run_sonde("doctor", "--json")

    assert (doctor.returncode, data.returncode) == (0, 0)
    findings = {finding["what"]: finding for finding in json.loads(data.stdout)["findings"]}
    assert findings["measuring"]["verdict"] == "ok"
    # What a container may forbid has a cure; the rest needs nobody's leave.
    assert "timer" in findings["sampling inside"]["fact"].partition("; not")[0]
    assert findings["sampling outside"]["verdict"] == "ok" or findings["sampling outside"]["cure"]
    assert all(what in doctor.stdout for what in findings)
