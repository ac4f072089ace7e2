"""Capturing what is decided about a program that `sonde vm run` compiles and runs; with times, if perf works."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import EXIT_FAILED, EXIT_OK, MissingCapability
from sonde.base.program_sources import PROGRAM_SOURCES
from sonde.instruments.decisions.capture.c_command import CCommand, c_command
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.capture.remark_folder import REMARKS, Compilation, compile_all, remark_file
from sonde.launch import run_to_end

_RUN = (sys.executable, "-m", "sonde", "vm", "run")
_PROFILE = "profile.txt"
_LEVEL = 2
"""As `sonde vm run` takes it if it is not given."""
_PERF = ("perf", "record", "-q", "-e", "cpu-clock")
_OF_SONDE = ("--perf", "--debug")


def recognises(command: Sequence[str]) -> bool:
    """Whether a command is what `sonde vm run` takes: its first file is a source file."""
    words = command[: command.index("--")] if "--" in command else command
    return command[0].endswith(PROGRAM_SOURCES) or (
        command[0].startswith("-") and any(each.endswith(PROGRAM_SOURCES) for each in words)
    )


def run(command: Sequence[str], folder: Path, _: CaptureOptions) -> Captured:
    """Run it by `sonde vm run`, and compile its files again, as that did, for the remarks; or only compile them, where
    there is no llvmlite to run them.

    Raises:
        MissingCapability: `no-c-compiler`.
        SondeError: `cannot-execute`.
    """
    from sonde.jit import optimising_command  # the JIT needs LLVM, other captures do not
    from sonde.llvm import require_llvm

    words = list(command[: command.index("--")]) if "--" in command else list(command)
    parsed = c_command([word for word in words if word not in _OF_SONDE])
    compiler = optimising_command(_level(parsed))
    try:
        require_llvm()
    except MissingCapability as missing:
        said = _compile_again(compiler, parsed, folder)
        exit_code, profile = EXIT_FAILED if said else EXIT_OK, None
        said.append(f"the program was compiled, but not run, so there are no times: {missing} ({missing.hint})")
    else:
        exit_code, profile, said = _run(command, folder)
        said += _compile_again(compiler, parsed, folder)
    (folder / REMARKS).mkdir(exist_ok=True)
    return Captured("llvm", exit_code, folder / REMARKS, profile, f"sonde vm run: {compiler[0]}", tuple(said))


def _level(command: CCommand) -> int:
    digits = command.level.removeprefix("-O")
    return int(digits) if digits in ("0", "1", "2", "3") else 1 if command.level == "-O" else _LEVEL


def _compile_again(compiler: Sequence[str], command: CCommand, folder: Path) -> list[str]:
    taken: set[Path] = set()
    with tempfile.TemporaryDirectory(prefix="sonde-capture-") as made:
        jobs = []
        options = [word for word in command.options if not word.startswith("-O")]
        for number, (source, _) in enumerate(command.sources):
            path = remark_file(folder, source, taken)
            argv = (*compiler, *options, "-g", "-w", "-fsave-optimization-record",
                    f"-foptimization-record-file={path.resolve()}", "-o", str(Path(made) / f"{number}.o"),
                    source)  # fmt: skip
            jobs.append(Compilation(source, argv, path))
        return compile_all(jobs)


def _run(command: Sequence[str], folder: Path) -> tuple[int, Path | None, list[str]]:
    """Run the program; returns its exit code, the profile, and lines for people."""
    if not perf_works():
        return (
            run_to_end([*_RUN, *command]).shell_code,
            None,
            ["there are no times: 'perf record -e cpu-clock' does not work"],
        )
    before = _dumps()
    with tempfile.TemporaryDirectory(prefix="sonde-capture-") as made:
        data, code = Path(made) / "perf.data", Path(made) / "exit-code"
        # perf's own exit code is not always that of the program.
        keep = f'"$@"; echo $? > {shlex.quote(str(code))}'
        argv = [*_PERF, "-o", str(data), "--", "sh", "-c", keep, "sh", *_RUN, "--perf", *command]
        status = run_to_end(argv).shell_code
        exit_code = int(code.read_text()) if code.is_file() and code.read_text().strip() else status
        new = sorted(_dumps() - before)
        profile = _profile(data, [_process(dump) for dump in new], folder / _PROFILE) if data.is_file() else None
    for dump in new:
        dump.unlink(missing_ok=True)
        _map_of(_process(dump)).unlink(missing_ok=True)
    said = [] if profile else ["there are no times: perf saw no code of the program"]
    return exit_code, profile, said


def perf_works() -> bool:
    """Whether there is a perf that may sample programs here."""
    if shutil.which(_PERF[0]) is None:
        return False
    with tempfile.TemporaryDirectory(prefix="sonde-capture-") as made:
        argv = [*_PERF, "-o", str(Path(made) / "perf.data"), "--", "true"]
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def _dumps() -> set[Path]:
    return set(Path.cwd().glob("jit-*.dump"))


def _process(dump: Path) -> str:
    return dump.stem.removeprefix("jit-")


def _map_of(process: str) -> Path:
    return Path("/tmp") / f"perf-{process}.map"


def _profile(data: Path, processes: Sequence[str], path: Path) -> Path | None:
    """What perf saw of the program itself: of its process, from its own first code on. Before that, it was compiled."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        ["perf", "script", "--no-demangle", "-i", str(data)],
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        check=False,
    )
    kept, began = [], set[str]()
    for line in done.stdout.splitlines():
        process = next((each for each in processes if f" {each} " in line[:60]), None)
        if process is None:
            continue
        if process not in began and _map_of(process).name not in line:
            continue
        began.add(process)
        kept.append(line)
    if not kept:
        return None
    path.write_text("\n".join([*kept, ""]), encoding="utf-8")
    return path
