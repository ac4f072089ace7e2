"""The shell's parts by themselves: settings, history, completion, tables, messages between the processes."""

import json
import signal
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from sonde.base.errors import InputError, InternalError, MissingCapability, SondeError, UsageError
from sonde.instruments.vm.verb.shell.channel import Channel, Reply, error_of, problem_of
from sonde.instruments.vm.verb.shell.completion import Known, completions
from sonde.instruments.vm.verb.shell.endings import error_of_ending
from sonde.instruments.vm.verb.shell.history import History, history_path
from sonde.instruments.vm.verb.shell.settings import SETTINGS, Settings
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.worker_process import WorkerEnded
from sonde.report import Column


def test_settings_are_shown_as_they_are_typed() -> None:
    settings = Settings().changed("timeout", "1500ms").changed("times", "on")

    assert {name: settings.shown(name) for name in SETTINGS} == {"timeout": "1.50s", "times": "on"}
    assert settings.changed("timeout", settings.shown("timeout")) == settings
    assert settings.changed("timeout", "off").changed("times", "off") == Settings()


@pytest.mark.parametrize(
    ("name", "value", "slug", "hint"),
    [
        ("timout", "5s", "unknown-setting", "did you mean 'timeout'?"),
        ("colour", "on", "unknown-setting", "timeout, times"),
        ("timeout", "5", "bad-setting", "set shows"),
        ("timeout", "soon", "bad-setting", "set shows"),
        ("times", "yes", "bad-setting", "set shows"),
    ],
)
def test_settings_that_make_no_sense_are_refused(name: str, value: str, slug: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        Settings().changed(name, value)

    assert caught.value.slug == slug
    assert hint in (caught.value.hint or "")


def test_history_is_in_the_file_before_a_command_is_done(tmp_path: Path) -> None:
    path = tmp_path / "state" / "sonde" / "vm_history"
    history = History(path)
    for line in ("load a.c", "call f()", "call f()", "", " hidden", "call g('ü')"):
        history.add(line)

    assert path.read_text() == "load a.c\ncall f()\ncall g('ü')\n"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert History(path).lines == history.lines


def test_a_long_history_is_cut_back_to_its_newest_lines(tmp_path: Path) -> None:
    path = tmp_path / "vm_history"
    path.write_text("".join(f"call f({number})\n" for number in range(10_001)))

    lines = History(path).lines

    assert (len(lines), lines[0], lines[-1]) == (5_000, "call f(5001)", "call f(10000)")
    assert path.read_text().splitlines() == lines


def test_a_history_that_cannot_be_written_says_so_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    history = History(tmp_path / "file" / "vm_history")
    history.add("load a.c")
    history.add("call f()")

    assert history.lines == ["load a.c", "call f()"]
    assert history.problem == "Not a directory"


def test_history_that_is_no_text_is_kept_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "vm_history"
    path.write_bytes(b"call f('\xff')\ncut o")

    history = History(path)
    history.add("quit")

    assert len(history.lines) == 2
    assert path.read_bytes().startswith(b"call f('\xff')\n")


def test_the_state_folder_is_the_one_that_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_path() == tmp_path / "sonde" / "vm_history"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert history_path() == tmp_path / ".local" / "state" / "sonde" / "vm_history"


def functions(prefix: str) -> Sequence[str]:
    return [name for name in ("isord", "isord@fast", "main") if name.startswith(prefix)]


KNOWN = Known(functions, modules=lambda: ["isord", "other"], passes=lambda: ["adce", "sroa"])


@pytest.mark.parametrize(
    ("before", "offered"),
    [
        ("lo", ["load "]),
        ("- lo", ["load "]),
        ("  v", ["versions "]),
        ("nonsense ", []),
        ("help sw", ["switch "]),
        ("set ti", ["timeout ", "times "]),
        ("ir is", ["isord ", "isord@fast "]),
        ("ir isord ", []),
        ("call m", ["main("]),
        ("call main(1, is", []),
        ("repeat m", ["main("]),
        ("repeat 10 m", ["main("]),
        ("opt isord O", ["O0", "O1", "O2", "O3"]),
        ("opt isord sroa,ad", ["sroa,adce"]),
        ("opt isord sroa ad", ["adce"]),
        ("opt isord --a", ["--as "]),
        ("opt isord --as new s", ["sroa"]),
        ("cfg m", ["main "]),
        ("cfg main --f", ["--full ", "--force "]),
        ("switch isord@", ["isord@fast "]),
        ("unload o", ["other "]),
        ("where 0x", []),
        ("ir main --", ["--save ", "--force "]),
        ("osr ", ["insert ", "points ", "show ", "fire ", "hold "]),
        ("osr show is", ["isord ", "isord@fast "]),
        ("osr points main ", []),
        ("osr insert s", ["shared "]),
        ("osr insert open in isord@", ["isord@fast "]),
        ("osr insert open in isord at x w", ["when "]),
        ("osr insert open in isord at ", []),
        ("osr insert open in isord at x when f", ["flag "]),
        ("osr insert open in isord at x when flag ", ["every "]),
        ("osr insert open in isord at x when counter 3 ", ["to "]),
        ("osr insert shared in isord at x when counter 3 ", ["at ", "to "]),
        ("osr insert shared in isord at x when never to c", ["clone "]),
        ("osr insert open in isord at x when never to clone a", ["as "]),
    ],
)
def test_tab_offers_what_fits_at_this_place(before: str, offered: list[str]) -> None:
    assert completions(before, KNOWN) == offered


def test_tab_offers_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "isord.c").touch()
    (tmp_path / "is two.c").touch()
    (tmp_path / ".hidden").touch()
    (tmp_path / "include").mkdir()
    monkeypatch.chdir(tmp_path)

    assert completions("load is", KNOWN) == ['"is two.c" ', "isord.c "]
    assert completions("load ", KNOWN) == ["include/", '"is two.c" ', "isord.c "]
    assert completions("load .h", KNOWN) == [".hidden "]
    assert completions(f"source {tmp_path}/isord", KNOWN) == [f"{tmp_path}/isord.c "]
    for before in ("cfg main --svg is", "ir main --save is"):
        assert completions(before, KNOWN) == ['"is two.c" ', "isord.c "]
    assert completions("load missing/", KNOWN) == []


def test_tables_fit_the_terminal_and_are_whole_elsewhere() -> None:
    columns = [Column("name", "name"), Column("type", "type")]
    rows = [["f", "i32 (i32, ptr)"], ["longer", "void ()"]]

    assert max(map(len, text_table(columns, rows, width=20).splitlines())) <= 20
    assert text_table(columns, rows).splitlines()[1] == "f       i32 (i32, ptr)"


@pytest.mark.parametrize("family", [SondeError, UsageError, InputError, MissingCapability, InternalError])
def test_errors_arrive_as_they_were_sent(family: type[SondeError]) -> None:
    sent = family("cannot do 'it'", slug="usage", hint="do another")
    arrived = error_of(problem_of(sent))

    assert (type(arrived), str(arrived), arrived.slug) == (family, str(sent), "usage")


def test_long_messages_arrive_whole() -> None:
    one, other = map(Channel, socket.socketpair())
    text = "ü\n" * 300_000  # a socket does not take that much at once
    sending = threading.Thread(target=one.send, args=[Reply(text=text, data={}, running=False)])
    sending.start()

    assert other.is_ready(1)
    assert json.loads(other.receive()) == {"text": text, "data": {}, "running": False}
    sending.join()
    one.close()
    with pytest.raises(EOFError):
        other.receive()
    other.close()


@pytest.mark.parametrize(
    ("ended", "slug", "said"),
    [
        (WorkerEnded("signal", signal.SIGSEGV), "program-crashed", "killed by SIGSEGV (it used memory"),
        (WorkerEnded("signal", 64), "program-crashed", "killed by "),
        (WorkerEnded("signal", 63), "program-crashed", "killed by signal 63"),
        (WorkerEnded("exit", 3), "program-exited", "with exit code 3"),
        (WorkerEnded("timeout", 9), "call-timed-out", "longer than 5.00 s"),
        (WorkerEnded("interrupt", 2), "call-interrupted", "stopped by Ctrl-C"),
    ],
)
def test_the_end_of_a_program_is_told_with_the_command(ended: WorkerEnded, slug: str, said: str) -> None:
    error = error_of_ending("call f(0)", ended, timeout_ns=5_000_000_000)

    assert (error.slug, error.exit_code) == (slug, 1)
    assert "'call f(0)'" in error.message
    assert said in error.message
