"""Real programs run by the JIT pass their own tests, and do what a build by a system's linker does."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from measuring import SONDE, environment
from real_programs import PROGRAMS, Check, RealProgram, built_ahead, real_program
from sweeps import rare

WAYS = {"O0": ("0",), "O2": ("2",), "slots": ("0", "slots")}
_PATIENCE_S = 600
_SERVER = Path(__file__).parents[1] / "program_server.py"


class Outcome(NamedTuple):
    """What a run left behind."""

    status: int
    """As `waitpid` gives it."""
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds a program ahead of time, once for all tests."""
    return cache(lambda name: built_ahead(name, tmp_path_factory.mktemp("built"), level=1))


@pytest.fixture(scope="module")
def ahead() -> dict[str, list[Outcome]]:
    """Program -> outcomes of its checks when built ahead of time; filled as tests need it."""
    return {}


CASES = [(name, way) for name in PROGRAMS for way in WAYS]
SAMPLE = [("lua", "O0"), ("bzip2", "O0"), ("zlib-example", "slots"), ("zlib-infcover", "O2")]
"""Of small programs; the others take minutes to compile."""


@pytest.mark.parametrize(("name", "way"), rare(CASES, SAMPLE))
def test_it_does_what_it_does_when_built_ahead(
    name: str, way: str, build: Callable[[str], Path], ahead: dict[str, list[Outcome]], tmp_path: Path
) -> None:
    program = real_program(name)
    if name not in ahead:
        ahead[name] = [_run_ahead(build(name), check, _folder(tmp_path, check)) for check in program.checks]
    with _server(program, WAYS[way], tmp_path) as server:
        for check, expected in zip(program.checks, ahead[name], strict=True):
            assert _ask(server, name, check, _folder(tmp_path, check)) == expected, check.name
            if check.expected is not None:
                assert expected.stdout == check.expected, check.name


@pytest.mark.parametrize("name", rare(["bzip2", "zlib-minigzip"], ["bzip2"]))
def test_it_does_the_same_from_the_command_line(name: str, build: Callable[[str], Path], tmp_path: Path) -> None:
    program = real_program(name)
    files = list(map(str, program.files))
    for level, check in (("-O2", program.checks[0]), ("-O0", program.checks[-1])):
        # Programs complain by the name that they were called by.
        expected = _run([files[0], *check.arguments], check, _folder(tmp_path, check), executable=build(name))
        command = [*SONDE, "vm", "run", level, *program.options, *files, "--", *check.arguments]
        assert _run(command, check, _folder(tmp_path, check)) == expected, check.name


def _folder(parent: Path, check: Check) -> Path:
    folder = parent / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in check.fresh:
        shutil.copy(path, folder)
    return folder


def _run_ahead(path: Path, check: Check, folder: Path) -> Outcome:
    return _run([path.name, *check.arguments], check, folder, executable=path)


def _run(command: list[str], check: Check, folder: Path, executable: Path | None = None) -> Outcome:
    with (check.stdin or Path("/dev/null")).open("rb") as stdin:
        done = subprocess.run(
            command, executable=executable, stdin=stdin, capture_output=True, cwd=folder, timeout=_PATIENCE_S,
            env=environment(), check=False,
        )  # fmt: skip
    status = done.returncode << 8 if done.returncode >= 0 else -done.returncode
    return Outcome(status, _comparable(done.stdout, check), done.stderr, _written(check, folder))


def _comparable(output: bytes, check: Check) -> bytes:
    return re.sub(rb" *[0-9]+\.[0-9]+", b" T", output) if check.prints_times else output


def _written(check: Check, folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in check.writes}


@contextmanager
def _server(program: RealProgram, way: tuple[str, ...], folder: Path) -> "Iterator[subprocess.Popen[str]]":
    request = {"files": list(map(str, program.files)), "options": program.options, "libraries": program.libraries}
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    level, *slots = way
    command = [sys.executable, str(_SERVER), level, str(folder / "request.json"), *slots]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        yield server
        assert server.stdin is not None
        server.stdin.close()


def _ask(server: "subprocess.Popen[str]", name: str, check: Check, folder: Path) -> Outcome:
    assert server.stdin is not None and server.stdout is not None
    streams = {stream: str(folder.parent / stream) for stream in ("stdout", "stderr")}
    for path in streams.values():
        Path(path).write_bytes(b"")
    run = {"arguments": [name, *check.arguments], "folder": str(folder), "stdin": str(check.stdin or "/dev/null")}
    print(json.dumps({**run, **streams}), file=server.stdin, flush=True)
    status = int(server.stdout.readline().split()[0])
    stdout = _comparable(Path(streams["stdout"]).read_bytes(), check)
    return Outcome(status, stdout, Path(streams["stderr"]).read_bytes(), _written(check, folder))
