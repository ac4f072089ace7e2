"""Sources of Debian's packages, fetched once and kept.

They are fetched with the machine's own apt, its mirrors and its keys, into a state of its own: nothing of the
machine's changes. Where that cannot be done (no apt, no network), the test that asks for one is skipped.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_PATIENCE_S = 600


def cache_folder() -> Path:
    named = os.environ.get("SONDE_REAL_PROGRAMS")
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sonde/programs"


def source_of(package: str) -> Path:
    """The unpacked source of a Debian package."""
    folder = cache_folder() / package
    if not folder.is_dir():
        for command in ("apt-get", "dpkg-source"):
            if shutil.which(command) is None:
                pytest.skip(f"the source of {package} is fetched with {command}, which is not here")
        _fetch(package, folder)
    return folder


def _fetch(package: str, folder: Path) -> None:
    state = cache_folder() / f".apt-{os.getpid()}"
    try:
        options = _private_apt(state)
        run_quietly(["apt-get", *options, "update"], state)
        # apt checks what it fetches against its signed index.
        run_quietly(["apt-get", *options, "source", "--download-only", package], state)
        (description,) = state.glob("*.dsc")
        run_quietly(["dpkg-source", "--no-check", "-x", description.name, "unpacked"], state)
        (state / "unpacked").rename(folder)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"the source of {package} cannot be had: {error}")
    finally:
        shutil.rmtree(state, ignore_errors=True)


def _private_apt(state: Path) -> list[str]:
    """Options for an apt with the machine's mirrors, for sources instead of packages, and a state of its own."""
    for name in ("lists/partial", "archives/partial", "parts"):
        (state / name).mkdir(parents=True)
    configuration = Path("/etc/apt")
    one_line = configuration / "sources.list"
    texts = [one_line.read_text(encoding="utf-8")] if one_line.is_file() else []
    for path in (configuration / "sources.list.d").glob("*.list"):
        texts.append(path.read_text(encoding="utf-8"))
    lines = [line.replace("deb ", "deb-src ", 1) for line in "\n".join(texts).split("\n") if line.startswith("deb ")]
    (state / "parts" / "all.list").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for path in (configuration / "sources.list.d").glob("*.sources"):
        text = path.read_text(encoding="utf-8").replace("Types: deb\n", "Types: deb-src\n")
        (state / "parts" / path.name).write_text(text, encoding="utf-8")
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": state / "parts",
        "Dir::State": state,
        "Dir::State::lists": state / "lists",
        "Dir::Cache": state,
        "Dir::Cache::archives": state / "archives",
        "APT::Sandbox::User": "",
        "Acquire::Retries": 2,
        "Acquire::Languages": "none",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def run_quietly(command: list[str], folder: Path) -> None:
    """Run a command, and say its last words when it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise subprocess.SubprocessError(f"{command[0]}: {words[-1]}")


def generated(name: str, make: Callable[[Path], None]) -> Path:
    """A folder of generated files, made once."""
    folder = cache_folder() / name
    if not folder.is_dir():
        partial = cache_folder() / f".{name}-{os.getpid()}"
        partial.mkdir(parents=True)
        try:
            make(partial)
            partial.rename(folder)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"{name} cannot be made: {error}")
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return folder
