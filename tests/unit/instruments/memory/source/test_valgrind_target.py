"""What a command will execute, and which of it Valgrind cannot run."""

import struct
from pathlib import Path

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.memory.source import target_of


def elf(*, bits: int = 64, machine: int = 62, segments: tuple[int, ...] = (1, 3)) -> bytes:
    """The headers of a program; segment 3 names the dynamic loader."""
    identification = b"\x7fELF" + bytes([2 if bits == 64 else 1, 1, 1]) + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    return identification + header + b"".join(struct.pack("<I52x", kind) for kind in segments)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: Path, data: bytes, mode: int = 0o755) -> str:
    path.write_bytes(data)
    path.chmod(mode)
    return str(path)


def refusal(*argv: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        target_of(argv)
    return caught.value


def test_a_program_is_run_as_it_was_written(folder: Path) -> None:
    put(folder / "prog", elf())
    target = target_of(("prog", "-x", "1"))
    assert target == (("prog", "-x", "1"), folder / "prog", False, False)


def test_a_program_without_a_loader_is_static(folder: Path) -> None:
    put(folder / "prog", elf(segments=(1, 2)))
    assert target_of(("prog",)).is_static


@pytest.mark.parametrize("name", ["python", "python3", "python3.11"])
def test_python_is_known_by_its_name(folder: Path, name: str) -> None:
    put(folder / name, elf())
    (folder / "link").symlink_to(name)
    assert target_of((name, "app.py")).is_python
    assert target_of(("link", "app.py")).is_python


def test_a_script_is_run_by_its_interpreter(folder: Path) -> None:
    python = put(folder / "python3", elf())
    put(folder / "tool", f"#!{python} -u\nprint()\n".encode())
    target = target_of(("tool", "a"))
    assert target == (("tool", "a"), Path(python), False, True)


def test_env_in_a_first_line_is_left_out(folder: Path) -> None:
    put(folder / "python3", elf())
    script = put(folder / "tool", b"#!/usr/bin/env python3\nprint()\n")
    assert target_of(("./tool", "a")).argv == ("python3", "./tool", "a")
    assert target_of(("tool", "a")).argv == ("python3", script, "a")
    put(folder / "tool", b"#! /usr/bin/env -S python3 -X 'dev mode'\n")
    assert target_of(("tool",)).argv == ("python3", "-X", "dev mode", script)


@pytest.mark.parametrize("options", ["-i python3", "-S A=1 python3"])
def test_env_that_is_to_do_more_is_left_as_it_is(folder: Path, options: str) -> None:
    put(folder / "env", elf())
    put(folder / "tool", f"#!{folder}/env {options}\n".encode())
    target = target_of(("tool",))
    assert target.argv == ("tool",) and target.program == folder / "env"


def test_scripts_of_scripts_end(folder: Path) -> None:
    put(folder / "a", f"#!{folder}/b\n".encode())
    put(folder / "b", f"#!{folder}/a\n".encode())
    assert refusal("a").slug == "not-measurable"


def test_no_such_command() -> None:
    assert refusal("nothing").slug == "no-program"


def test_a_script_whose_interpreter_is_missing(folder: Path) -> None:
    put(folder / "tool", b"#!/no/such/python\n")
    error = refusal("tool")
    assert error.slug == "no-program" and "'/no/such/python'" in error.message


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (elf(bits=32), "it is a 32-bit program"),
        (elf(machine=183), "another processor"),
        (b"", "neither a program"),
        (b"echo hello\n", "neither a program"),
        (elf()[:40], "neither a program"),
    ],
)
def test_what_valgrind_cannot_run_is_refused(folder: Path, data: bytes, fact: str) -> None:
    path = put(folder / "prog", data)
    error = refusal("prog")
    assert error.slug == "not-measurable" and error.exit_code == 2
    assert error.message.startswith(f"cannot measure 'prog': '{path}': ") and fact in error.message


def test_rights_of_another_user_are_refused(folder: Path) -> None:
    put(folder / "prog", elf(), 0o4755)
    error = refusal("prog")
    assert error.slug == "not-measurable" and "rights of another user" in error.message


def test_what_may_be_run_but_not_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(folder / "prog", elf(), 0o111)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # the superuser may read everything
    error = refusal("prog")
    assert error.slug == "not-measurable" and "cannot be read: Permission denied" in error.message


def test_headers_that_promise_more_than_there_is_do_no_harm(folder: Path) -> None:
    data = bytearray(elf(segments=(1,)))
    struct.pack_into("<HH", data, 54, 0xFFFF, 0xFFFF)
    put(folder / "prog", bytes(data))
    assert target_of(("prog",)).is_static


def test_what_stands_in_the_way_is_said(folder: Path) -> None:
    put(folder / "plain", b"text", mode=0o644)
    (folder / "inner").mkdir()
    put(folder / "script", b"#!/not/there\n")
    put(folder / "headless", b"echo hi\n")
    said = {word: refusal(word) for word in ("./plain", "./inner", "./none", "none", "./script", "./headless")}
    assert {word: error.message.partition(": ")[2] for word, error in said.items() if word != "./headless"} == {
        "./plain": "it may not be executed",
        "./inner": "it is a folder",
        "./none": "no such file",
        "none": "no such command on PATH",
        "./script": "its first line names '/not/there', which cannot be executed",
    }
    assert said["./headless"].hint == "name what runs it, e.g. sonde memory -- sh ./headless"
    assert all(error.hint for error in said.values())
