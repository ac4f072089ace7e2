"""Capturing what rustc decides, by itself and under cargo."""

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.capture.remark_folder import REMARKS
from sonde.launch import run_to_end

_BUILDS = {"build": ("build",), "b": ("build",), "run": ("build",), "r": ("build",), "rustc": ("rustc",),
           "test": ("test", "--no-run"), "t": ("test", "--no-run"), "bench": ("bench", "--no-run")}  # fmt: skip
"""Command of cargo -> what compiles the same, and does not run it."""
_UNSTABLE = {"RUSTC_BOOTSTRAP": "1"}
"""`-Zremark-dir` is not stable, and rustc would refuse it."""
_DEBUG = re.compile(r"(?:-C\s?|--codegen[ =])debuginfo=(?:[12]|full|limited|line-tables-only)\b|(?<!\S)-g(?!\S)")
_OUTPUT = ("-o", "--out-dir", "--emit", "--print")
_SUPPRESSED = "the remarks are asked for with -Zremark-dir, which RUSTC_BOOTSTRAP=1 allows in a second compilation"


def recognises(command: Sequence[str]) -> bool:
    """Whether it is rustc, or cargo compiling."""
    name = Path(command[0]).name
    return name == "rustc" or (name == "cargo" and _cargo_verb(command) is not None)


def run(command: Sequence[str], folder: Path, _: CaptureOptions) -> Captured:
    """Run it, and compile again for the remarks.

    Raises:
        UsageError: `nothing-compiled`.
        SondeError: `cannot-execute`.
    """
    is_cargo = Path(command[0]).name == "cargo"
    if not is_cargo and not any(word.endswith(".rs") for word in command[1:]):
        raise UsageError(
            f"cannot capture '{' '.join(command)}': it names no source file",
            slug="nothing-compiled",
            hint="rustc -O program.rs",
        )
    exit_code = run_to_end(command).shell_code
    record = folder / REMARKS
    record.mkdir(exist_ok=True)
    said = [_SUPPRESSED]
    if exit_code == 0 or (is_cargo and _cargo_verb(command) in ("run", "r", "test", "t", "bench")):
        with tempfile.TemporaryDirectory(prefix="sonde-capture-") as made:
            said += _with_cargo(command, record, Path(made)) if is_cargo else _with_rustc(command, record, Path(made))
        said += _nothing(record)
    return Captured("llvm", exit_code, record, compiler=_version(command[0]), remarks=tuple(said))


def _with_rustc(command: Sequence[str], record: Path, made: Path) -> list[str]:
    argv = [command[0], *_without_output(command[1:]), "--out-dir", str(made), "--emit=obj", *_asking(record, command)]
    return _compile(argv, {**os.environ, **_UNSTABLE})


def _with_cargo(command: Sequence[str], record: Path, made: Path) -> list[str]:
    """Into a folder of its own, through a wrapper of rustc: options in `RUSTFLAGS` would replace those of the project,
    and what is compiled already would not be compiled again."""
    wrapper = made / "rustc-with-remarks"
    asking, bare = shlex.join(_asking(record, ("-g",))), shlex.join(_asking(record, ()))
    # What runs during the build is not the program.
    wrapper.write_text(
        "#!/bin/sh\n"
        'case " $* " in\n'
        '*" --crate-name build_script_"* | *" --crate-type proc-macro "* | *" --print"*) exec "$@" ;;\n'
        f'*"debuginfo=1"* | *"debuginfo=2"* | *"debuginfo=full"*) exec "$@" {asking} ;;\n'
        f'*) exec "$@" {bare} ;;\n'
        "esac\n",
        encoding="utf-8",
    )
    wrapper.chmod(0o700)
    at = next(k for k, word in enumerate(command) if k and word == _cargo_verb(command))
    rest = list(command[at + 1 :])
    if "--" in rest and command[at] != "rustc":
        rest = rest[: rest.index("--")]  # what follows is for the program
    argv = [*command[:at], *_BUILDS[command[at]], *rest]
    target = {"CARGO_TARGET_DIR": str(made / "target"), "CARGO_INCREMENTAL": "0"}
    return _compile(argv, {**os.environ, **_UNSTABLE, **target, "RUSTC_WRAPPER": str(wrapper)})


def _asking(record: Path, words: Sequence[str]) -> list[str]:
    """Options for remarks, and for debug information unless the command has them."""
    debug = [] if _DEBUG.search(" ".join(words)) else ["-Cdebuginfo=2"]
    return [*debug, "-Cremark=all", f"-Zremark-dir={record.resolve()}"]


def _without_output(words: Sequence[str]) -> list[str]:
    kept, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if word in _OUTPUT:
            del rest[:1]
        elif not word.startswith((*(f"{option}=" for option in _OUTPUT), "-o")):
            kept.append(word)
    return kept


def _compile(argv: Sequence[str], environment: dict[str, str]) -> list[str]:
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=environment, check=False
    )
    if not done.returncode:
        return []
    lines = [line for line in done.stderr.splitlines() if line.startswith("error")] or done.stderr.splitlines() or [""]
    return [f"it could not be compiled again for its remarks: {lines[0]}"]


def _nothing(record: Path) -> list[str]:
    return [] if any(file.stat().st_size for file in record.iterdir()) else ["the compiler left no remarks"]


def _cargo_verb(command: Sequence[str]) -> str | None:
    return next((word for word in command[1:] if word in _BUILDS), None)


def _version(compiler: str) -> str:
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return compiler
    return done.stdout.strip() or compiler
