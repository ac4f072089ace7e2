"""How Valgrind is called, and what its log says."""

import os
import resource
from pathlib import Path

import pytest

from sonde.instruments.memory.source import BuiltTool, Target, ToolOptions
from sonde.instruments.memory.source.run import command_of
from sonde.valgrind.installation import ValgrindInstallation
from sonde.valgrind.tool_log import fault_in

CACHES = "I1:32768,8,64;D1:32768,8,64"


def words(folder: Path, options: ToolOptions) -> tuple[str, ...]:
    here = Path("/opt/valgrind")
    tool = BuiltTool(Path("/cache/tool"), ValgrindInstallation(here / "bin/valgrind", (3, 19, 0), here, here, here))
    return command_of(Target(("prog", "--tool=x"), Path("/bin/prog"), False, False), tool, folder, options)


def test_the_tool_runs_the_program_with_its_own_words_last(tmp_path: Path) -> None:
    command = words(tmp_path, ToolOptions(CACHES))
    assert command[:2] == ("/cache/tool/sonde-amd64-linux", "--tool=sonde")
    assert command[-2:] == ("prog", "--tool=x")
    assert f"--sonde-record={tmp_path}/record" in command
    assert f"--sonde-caches={CACHES}" in command


def test_nothing_of_the_users_own_valgrind_options_is_used(tmp_path: Path) -> None:
    assert "--command-line-only=yes" in words(tmp_path, ToolOptions(CACHES))


def test_options_of_the_tool(tmp_path: Path) -> None:
    default = words(tmp_path, ToolOptions(CACHES))
    for word in (
        "--sonde-policy=lru",
        "--sonde-inclusion=neither",
        "--sonde-write-allocate=yes",
        "--sonde-classify=no",
        "--sonde-mode=full",
        "--sonde-window=all",
        "--read-inline-info=yes",
        "--sonde-objects=yes",
        "--sonde-sharing=no",
    ):
        assert word in default
    other = ToolOptions(CACHES, "random", "exclusive", False, True, True, "program", tmp_path / "t.addr")
    for word in (
        "--sonde-policy=random",
        "--sonde-inclusion=exclusive",
        "--sonde-write-allocate=no",
        "--sonde-classify=yes",
        "--sonde-mode=count",
        "--sonde-window=requests",
        f"--sonde-trace={tmp_path}/t.addr",
    ):
        assert word in words(tmp_path, other)
    assert "--sonde-sharing=yes" in words(tmp_path, ToolOptions(CACHES, sharing=True))
    assert "--sonde-objects=no" in words(tmp_path, ToolOptions(CACHES, lines_only=True))


def test_the_tool_ends_with_its_launcher_and_has_a_second_place_for_its_record(tmp_path: Path) -> None:
    assert f"--sonde-launcher={os.getpid()}" in words(tmp_path, ToolOptions(CACHES))
    assert f"--sonde-spare={tmp_path}/spare/record" in words(tmp_path, ToolOptions(CACHES, spare=tmp_path / "spare"))


def test_sites_of_what_was_there_before_are_wanted_where_a_program_opens_its_window(tmp_path: Path) -> None:
    wanted = "--sonde-sites-before=yes"
    assert wanted in words(tmp_path, ToolOptions(CACHES, window="manual"))
    assert wanted not in words(tmp_path, ToolOptions(CACHES, window="program"))
    assert wanted not in words(tmp_path, ToolOptions(CACHES, window="manual", agent=False))  # sonde's own start-up


def test_a_percent_sign_in_the_logs_path_is_no_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "100%p"
    assert f"--log-file={tmp_path}/100%%p/valgrind-%p.log" in words(folder, ToolOptions(CACHES))


@pytest.mark.parametrize(
    ("limit", "given"),
    [
        (8 << 20, []),
        (64 << 20, ["--main-stacksize=67108864"]),
        (resource.RLIM_INFINITY, ["--main-stacksize=1073741824"]),
    ],
)
def test_a_stack_larger_than_valgrinds_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, given: list[str]
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert [word for word in words(tmp_path, ToolOptions(CACHES)) if word.startswith("--main-stacksize")] == given


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", None),
        ("==12== \n==12== Process terminating with default action of signal 11 (SIGSEGV)\n", None),
        (
            "sonde: tool.c:3 (f): Assertion 'x' failed.\n",
            "Valgrind itself failed, and ended the program: sonde: tool.c:3 (f): Assertion",
        ),
        (
            "\nsonde: the 'impossible' happened:\n   no memory for sonde's tables\n",
            "the tool had no address space left, and ended the program: measure it without a limit on that"
            " (ulimit -v, RLIMIT_AS)",
        ),
        (
            "valgrind: the 'impossible' happened:\n   tables full\n",
            "Valgrind itself failed, and ended the program: valgrind: the 'impossible' happened: tables full",
        ),
        (
            "==7== \n==7==     Valgrind's memory management: out of memory:\n",
            "Valgrind had no memory left, and ended the program: Valgrind's memory management: out of memory:",
        ),
        (
            "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1\nvex amd64->IR:   REX=0 REX.W=0\n"
            "==7== valgrind: Unrecognised instruction at address 0x109149.\n"
            "==7==    at 0x109149: wide (ill.c:3)\n==7==    by 0x109174: main (ill.c:4)\n",
            "Valgrind does not know an instruction of the program, which got SIGILL there:"
            " 62 f1 in wide (ill.c:3), called from main (ill.c:4)\nhint: it is of AVX-512: ",
        ),
        (
            "vex amd64->IR: unhandled instruction bytes: 0xF 0x7\n"
            "==7== valgrind: Unrecognised instruction at address 0x109149.\n",
            "Valgrind does not know an instruction of the program, which got SIGILL there: f 7 in address 0x109149",
        ),
        # It was translated, but what stands before it went elsewhere; the program's own trap.
        ("vex amd64->IR: unhandled instruction bytes: 0x62 0xF1\n", None),
        ("==7== valgrind: Unrecognised instruction at address 0x109149.\n==7==    at 0x109149: f (x.c:3)\n", None),
        ("==3== sonde: cannot write '/tmp/x/record.part'\n", "the tool could not write what it found: sonde: cannot"),
        ("--9-- WARNING: unhandled amd64-linux syscall: 451\n", "the program made a system call that this Valgrind"),
        ("--9-- WARNING: unhandled amd64-linux syscall: 434\n==9== You may be able to write your own handler.\n", None),
    ],
)
def test_faults_in_the_log(tmp_path: Path, text: str, fault: str | None) -> None:
    log = tmp_path / "log"
    log.write_text(text, encoding="utf-8")
    found = fault_in(log)
    assert found is None if fault is None else found is not None and found.startswith(fault)


def test_no_log_is_no_fault(tmp_path: Path) -> None:
    assert fault_in(tmp_path / "missing") is None
