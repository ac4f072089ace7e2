"""The shell and its worker: crashes, endless programs, Ctrl-C, scripts; with functions that misbehave as programs do.

The workbench is a fake without LLVM, in a process of its own as the real one: see `fake_workbench.py`. What the real
one does in the shell is in `test_vm_sessions.py`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from measuring import environment
from terminal_session import CTRL_BACKSLASH, CTRL_C, CTRL_D, TAB, TerminalSession

FAKE = Path(__file__).parents[1] / "fake_workbench.py"
PROMPT = "sonde> "


def shell(
    script: str, tmp_path: Path, *options: str, stdin: str | None = None, **extra: str
) -> "subprocess.CompletedProcess[str]":
    """Run a script of commands to its end; `load f.c` works in it."""
    (tmp_path / "f.c").touch()
    (tmp_path / "session.txt").write_text(script)
    return subprocess.run(
        [sys.executable, FAKE, *(options or ["session.txt"])],
        cwd=tmp_path,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=600,
        env=fake_environment(tmp_path, **extra),
    )


def fake_environment(tmp_path: Path, **extra: str) -> dict[str, str]:
    return environment(PYTHONPATH=str(FAKE.parent), XDG_STATE_HOME=str(tmp_path / "state"), **extra)


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TerminalSession]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").touch()
    with TerminalSession([sys.executable, str(FAKE)], fake_environment(tmp_path)) as session:
        session.expect(PROMPT)
        yield session


def answer(terminal: TerminalSession, line: str) -> str:
    """Type a line; what is shown up to the next prompt, without the echo."""
    terminal.type(line + "\n")
    return terminal.expect("\n" + PROMPT).partition("\n")[2]


def test_a_script_prints_answers_to_stdout_and_ends_well(tmp_path: Path) -> None:
    done = shell("# a comment\n\nload f.c -DX\nmodules\nir say\n", tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "loaded f: 8 functions, 0 globals",
        "module  functions  globals  path",
        "f               8        0  f.c -DX",
        "define i32 @say() {",
        "  ret i32 0",
        "}",
    ]


def test_a_script_stops_at_the_first_error_and_says_where(tmp_path: Path) -> None:
    done = shell("load f.c\nir nonsense\nmodules\n", tmp_path)

    assert (done.returncode, done.stdout) == (2, "loaded f: 8 functions, 0 globals\n")
    assert done.stderr == "sonde: session.txt:2: cannot find 'nonsense': no function has that name\n"


def test_a_command_after_a_minus_may_fail(tmp_path: Path) -> None:
    done = shell("load f.c\n- ir nonsense\n-nonsense\nmodules\n", tmp_path)

    assert done.returncode == 0
    assert "session.txt:2: cannot find 'nonsense'" in done.stderr
    assert "session.txt:3: cannot run 'nonsense'" in done.stderr
    assert done.stdout.endswith("f.c\n")


@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ("call segfault()", 1, "killed by SIGSEGV"),
        ("call segfault_in_python()", 1, "killed by SIGSEGV"),  # after five seconds, see `crash_notes.py`
        ("call abort()", 1, "killed by SIGABRT"),
        ("call exit()", 1, "ended the process, with exit code 7"),
        ("run aborts", 1, "'run aborts': the program was killed by SIGABRT"),
        ("load missing.c", 1, "cannot read 'missing.c'"),
        ("call say(", 2, "\n  call say(\n          ^\n"),
        ("source missing.txt", 1, "cannot read the commands in 'missing.txt': no such file"),
        ("source session.txt", 1, "each from the one before"),
        ("call bug()", 70, "this is a bug in sonde: IndexError"),
        ("where nowhere", 2, "it is not an address"),
    ],
)
def test_a_script_that_fails_exits_as_the_failure_says(script: str, code: int, said: str, tmp_path: Path) -> None:
    lines = "load f.c\n" if script != "source session.txt" else ""
    done = shell(f"{lines}{script}\n", tmp_path)

    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("sonde: session.txt:")


def test_a_script_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")

    assert "'missing.txt': no such file" in shell("", tmp_path, "missing.txt").stderr
    assert "'binary': it is not text" in shell("", tmp_path, "binary").stderr
    assert shell("", tmp_path, "binary").returncode == 1


def test_after_a_crash_a_script_goes_on_with_what_it_had_built(tmp_path: Path) -> None:
    crash = "- call segfault()\n"
    done = shell(f"load f.c\nclone say slow\n{crash}switch say@slow\n{crash}versions say\n", tmp_path)

    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("* slow")
    assert done.stderr.count("started anew") == 2
    assert done.stderr.rstrip().endswith("load, clone, switch")


def test_what_a_crash_left_unbuilt_is_not_tried_again(tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("crash")
    done = shell("load f.c\n- load bad.c\nmodules\n", tmp_path)

    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["module", "f"]


def test_what_cannot_be_built_again_is_left_out_and_said(tmp_path: Path) -> None:
    (tmp_path / "later.c").touch()
    session = subprocess.Popen(
        [sys.executable, FAKE],
        cwd=tmp_path,
        env=fake_environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert session.stdin is not None
    assert session.stdout is not None
    session.stdin.write("load later.c\nclone say slow\n")
    session.stdin.flush()
    assert [session.stdout.readline()[:6] for _ in range(2)] == ["loaded", "made s"]
    (tmp_path / "later.c").write_text("crash")

    out, err = session.communicate("- call abort()\nmodules\n", timeout=600)

    assert "'load later.c' is left out from now on: cannot finish 'load later.c': the program was killed" in err
    assert "'clone say slow' worked before, and does not now: cannot find 'say'" in err
    assert out == "no modules; load one: load FILE\n"
    assert session.returncode == 0


def test_a_call_that_never_ends_is_stopped_after_the_time_that_was_set(tmp_path: Path) -> None:
    done = shell("load f.c\nset timeout 300ms\n- call spin()\nset timeout off\ncall say()\n", tmp_path)

    assert done.returncode == 0
    assert "cannot finish 'call spin()': it ran longer than 300 ms" in done.stderr
    assert done.stdout.endswith("said by the program\n0 : i32\n")


def test_output_of_programs_comes_before_the_answer(tmp_path: Path) -> None:
    done = shell("load f.c\ncall say()\nmodules\ncall say()", tmp_path)

    assert done.stdout.splitlines()[1:3] == ["said by the program", "0 : i32"]
    assert done.stdout.splitlines()[5:] == ["said by the program", "0 : i32"]


def test_a_program_ending_by_itself_is_a_regular_end_of_run(tmp_path: Path) -> None:
    done = shell("load f.c\nrun exits\nrun a b\nmodules", tmp_path)

    assert done.returncode == 0
    assert done.stdout.splitlines()[1:3] == ["exited 5", "exited 2"]


def test_programs_of_a_script_on_stdin_do_not_read_the_commands(tmp_path: Path) -> None:
    commands = "load f.c\ncall read()\ncall read()\n"

    assert shell("", tmp_path, "-", stdin=commands).stdout.splitlines()[1:] == ["nothing : i32"] * 2
    assert shell(commands, tmp_path, stdin="one\ntwo\n").stdout.splitlines()[1] == "one : i32"


def test_programs_find_the_lowest_descriptors_free(tmp_path: Path) -> None:
    assert shell("load f.c\ncall lowest_descriptor()", tmp_path).stdout.endswith("3 : i32\n")


def test_json_has_one_object_for_each_command_and_nothing_else(tmp_path: Path) -> None:
    script = "load f.c\ncall say()\n- call abort()\n- nonsense\nsource other.txt\nhelp quit\nwhere 1\n"
    (tmp_path / "other.txt").write_text("modules\n")
    done = shell(script, tmp_path, "--json", "session.txt")

    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {each["schema"] for each in objects} == {"sonde.vm/1"}
    assert [(each["command"], each["ok"]) for each in objects] == [
        ("load f.c", True),
        ("call say()", True),
        ("call abort()", False),
        ("- nonsense", False),
        ("modules", True),
        ("help quit", True),
        ("where 1", True),
    ]
    assert objects[1]["result"] == {"result": "0", "type": "i32", "seconds": 0.0}
    assert objects[2]["error"]["slug"] == "program-crashed"
    assert objects[6]["result"]["function"] == "say"
    assert "said by the program" in done.stderr


def test_the_last_object_of_a_script_that_fails_is_the_error(tmp_path: Path) -> None:
    done = shell("load f.c\nir nonsense\nmodules\n", tmp_path, "--json", "session.txt")

    assert done.returncode == 2
    assert json.loads(done.stdout.splitlines()[-1])["error"] == {
        "slug": "no-such-function",
        "message": "cannot find 'nonsense': no function has that name",
        "hint": None,
    }


def test_a_machine_without_llvm_is_told_what_to_install(tmp_path: Path) -> None:
    done = shell("modules", tmp_path, FAKE_WORKBENCH="UnavailableWorkbench")

    assert (done.returncode, done.stdout) == (3, "")
    assert "hint: install it" in done.stderr


def test_quit_ends_a_script_also_from_a_file_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("load f.c\nquit\nnonsense\n")

    done = shell("source other.txt\nnonsense\n", tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


def test_pictures_are_not_overwritten_without_force(tmp_path: Path) -> None:
    done = shell("load f.c\ncfg say --svg s.svg\ncfg say --svg s.svg --force\ncfg say --svg s.svg\n", tmp_path)

    assert done.returncode == 2
    assert "session.txt:4: cannot write 's.svg': it exists already" in done.stderr
    assert (tmp_path / "s.svg").read_text().startswith("<svg")


def test_a_worker_that_left_a_child_behind_is_known_to_be_gone(tmp_path: Path) -> None:
    """The child has a copy of all that was open, so the socket is not closed."""
    begin = time.monotonic()
    done = shell("load f.c\n- call linger()\nmodules\n", tmp_path)

    assert "killed by SIGABRT" in done.stderr
    assert done.returncode == 0
    assert time.monotonic() - begin < 30


def test_no_process_outlives_a_shell_that_was_killed(tmp_path: Path) -> None:
    (tmp_path / "f.c").touch()
    session = subprocess.Popen(
        [sys.executable, FAKE, "-"],
        cwd=tmp_path,
        env=fake_environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert session.stdin is not None
    assert session.stdout is not None
    session.stdin.write("load f.c\ncall pid()\nrun spins\n")
    session.stdin.flush()
    session.stdout.readline()
    worker = int(session.stdout.readline().split()[0])
    child = int(session.stdout.readline())
    session.kill()
    session.communicate()

    deadline = time.monotonic() + 20  # the kernel ends them; that takes a moment on a busy machine
    while (alive(worker) or alive(child)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(worker)
    assert not alive(child)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_ctrl_c_ends_a_script(tmp_path: Path) -> None:
    with TerminalSession([sys.executable, str(FAKE), "session.txt"], fake_environment(tmp_path)) as terminal:
        assert terminal.end() == 1  # no such file: the script is written below
    (tmp_path / "f.c").touch()
    (tmp_path / "session.txt").write_text(f"load {tmp_path}/f.c\n- call stubborn()\nmodules\n")
    command = [sys.executable, str(FAKE), str(tmp_path / "session.txt")]
    with TerminalSession(command, fake_environment(tmp_path)) as terminal:
        terminal.expect("stubborn\n")
        terminal.type(CTRL_C)

        assert terminal.end() == 130


def test_a_crash_at_the_terminal_costs_neither_state_nor_history(terminal: TerminalSession, tmp_path: Path) -> None:
    answer(terminal, "load f.c")
    answer(terminal, "clone say slow")

    said = answer(terminal, "call segfault()")

    assert "killed by SIGSEGV" in said
    assert "started anew" in said
    assert "load, clone" in said
    assert "slow" in answer(terminal, "versions say")
    history = (tmp_path / "state" / "sonde" / "vm_history").read_text().splitlines()
    assert history == ["load f.c", "clone say slow", "call segfault()", "versions say"]
    assert answer(terminal, "history 2").splitlines() == ["versions say", "history 2"]
    terminal.type(CTRL_D)
    assert terminal.end() == 0


def test_history_is_there_in_the_next_session(terminal: TerminalSession, tmp_path: Path) -> None:
    answer(terminal, "load f.c")
    terminal.process.kill()

    with TerminalSession([sys.executable, str(FAKE)], fake_environment(tmp_path)) as again:
        again.expect(PROMPT)
        again.type("\x10\n")  # Ctrl-P, as the arrow up
        assert "loaded f" in again.expect("\n" + PROMPT)


def test_ctrl_c_stops_a_program_and_not_the_shell(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    terminal.type("call spin()\n")
    terminal.expect("call spin()\n")
    time.sleep(0.5)  # until it runs; before, it would be stopped as well
    terminal.type(CTRL_C)

    said = terminal.expect("\n" + PROMPT)

    assert "cannot finish 'call spin()': it was stopped by Ctrl-C" in said
    assert "started anew" in said


def test_a_program_that_handles_ctrl_c_is_stopped_by_the_second_one(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    terminal.type("call stubborn()\n")
    terminal.expect("\nstubborn\n")
    terminal.type(CTRL_C)
    terminal.expect("handles Ctrl-C itself and goes on")
    terminal.type(CTRL_C)

    assert "stopped by Ctrl-C" in terminal.expect("\n" + PROMPT)


def test_ctrl_c_in_a_whole_program_is_for_the_program(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    worker = answer(terminal, "call pid()")
    terminal.type("run spins\n")
    terminal.expect("run spins\n")
    terminal.expect("\n")  # its process's number: it runs
    terminal.type(CTRL_C)

    assert "cannot finish 'run spins': it was stopped by Ctrl-C" in terminal.expect("\n" + PROMPT)
    assert answer(terminal, "call pid()") == worker


def test_ctrl_c_at_the_prompt_clears_the_line_and_spares_a_program_in_the_background(
    terminal: TerminalSession,
) -> None:
    answer(terminal, "load f.c")
    before = answer(terminal, "call pid()")
    answer(terminal, "start forever")
    terminal.type("nonsense")
    terminal.expect("nonsense")
    time.sleep(0.5)  # Python's readline does not notice a signal between showing this and waiting for a key
    terminal.type(CTRL_C)
    terminal.expect(PROMPT)

    assert answer(terminal, "call pid()") == before


def test_the_end_of_a_program_in_the_background_is_told(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    assert answer(terminal, "start") == "started; 'wait' waits for its end"
    time.sleep(1)

    assert "the program that was started has ended; 'wait' tells how" in answer(terminal, "modules")
    assert answer(terminal, "wait") == "exited 3"


def test_ctrl_backslash_is_for_the_program(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    terminal.type("call spin()\n")
    terminal.expect("call spin()\n")
    time.sleep(0.5)
    terminal.type(CTRL_BACKSLASH)

    assert "killed by SIGQUIT" in terminal.expect("\n" + PROMPT)


def test_programs_read_from_the_terminal(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    terminal.type("call read()\n")
    terminal.expect("call read()\n")
    terminal.type("typed\n")

    assert terminal.expect("\n" + PROMPT).endswith("typed : i32")


def test_a_terminal_is_put_back_after_a_program_that_changed_it_died(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    answer(terminal, "call raw()")
    terminal.type("call read()\n")
    terminal.expect("call read()\n")
    time.sleep(0.3)  # until it reads

    assert terminal.modes_now() == terminal.modes


def test_a_program_that_dies_in_the_background_is_told_at_the_next_command(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    answer(terminal, "start later-abort")
    time.sleep(1)

    said = answer(terminal, "modules")

    assert "'start': the program was killed by SIGABRT" in said
    assert "started anew" in said
    assert "f.c" in said


def test_a_worker_that_somebody_killed_is_replaced(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    os.kill(int(answer(terminal, "call pid()").split()[0]), signal.SIGKILL)
    time.sleep(0.2)

    assert "f.c" in answer(terminal, "modules")


def test_tab_completes_commands_functions_and_files(terminal: TerminalSession) -> None:
    terminal.type("loa" + TAB + "f." + TAB)
    terminal.expect("load f.c ")
    terminal.type("\n")
    terminal.expect(PROMPT)
    terminal.type("call sp" + TAB)
    terminal.expect("call spin(")
    time.sleep(0.5)  # Python's readline does not notice a signal between showing this and waiting for a key
    terminal.type(CTRL_C)
    terminal.expect(PROMPT)


def test_end_of_input_ends_a_program_that_still_runs(terminal: TerminalSession) -> None:
    answer(terminal, "load f.c")
    answer(terminal, "start forever")
    terminal.type(CTRL_D)

    terminal.expect("still runs; it is stopped")
    assert terminal.end() == 0


def test_mistakes_at_the_terminal_are_said_and_nothing_is_lost(terminal: TerminalSession) -> None:
    assert "did you mean 'load'" in answer(terminal, "laod f.c")
    assert "usage: load" in answer(terminal, "load")
    assert "loaded" in answer(terminal, "load f.c")
    assert "0 : i32" in answer(terminal, "call say()")
    assert "took" in answer(terminal, "set times on") + answer(terminal, "modules")
    assert "usage: opt" in answer(terminal, "help opt")
