"""The other Pythons of this machine, and sonde's agent built for one of them."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_ASKED = """
import json, sys, sysconfig
print(json.dumps([sys.implementation.name, sys.version_info[:3], sysconfig.get_path("include"),
                  sysconfig.get_config_var("EXT_SUFFIX"), bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))
"""

# Not optimised: it compiles in two thirds of the time, and what is counted with it is little.
COMPILE = ("-std=gnu17", "-O0", "-fPIC", "-fvisibility=hidden")


def other_pythons() -> list[Path]:
    """Other interpreters on this machine: CPython from 3.6 on, and PyPy."""
    names = [f"python3.{minor}" for minor in range(6, 16)] + ["pypy3"]
    pyenv = Path.home() / ".pyenv"
    found = {path for name in names if (path := shutil.which(name))}
    found -= {str(pyenv / "shims" / name) for name in names}  # scripts that take long to find one of the versions
    found |= {str(path) for kind in ("3.*", "pypy3*") for path in (pyenv / "versions").glob(f"{kind}/bin/python")}
    fetched = Path(os.environ.get("SONDE_PYTHONS") or Path.home() / ".cache" / "sonde" / "pythons")
    found |= {str(each) for folder in fetched.glob("3.*") if (each := folder / "bin" / f"python{folder.name}").exists()}
    return sorted(Path(path) for path in found)


def looked_at_pythons() -> list[Path]:
    """Those of them that sonde looks at from outside, beside the one that the tests run in."""
    return [python for python in other_pythons() if _build_of(python) is not None]


def measured_pythons(newest: tuple[int, int] = (3, 15)) -> list[Path]:
    """Those of them that sonde measures from inside, too, and has no agent for: `build_agent` makes one.

    Args:
        newest: that the instrument knows.
    """
    return [python for python in looked_at_pythons() if version_of(python) <= newest]


def version_of(python: Path) -> tuple[int, ...]:
    """Its major and minor version."""
    build = _build_of(python)
    return build.version[:2] if build else sys.version_info[:2]


class _Build(NamedTuple):
    version: tuple[int, ...]
    include: str
    suffix: str
    """How the name of an extension ends."""


@cache
def _build_of(python: Path) -> _Build | None:
    """None where it is no CPython that sonde knows, it is the release that the tests run in, or has no headers."""
    asked = subprocess.run([python, "-c", _ASKED], capture_output=True, text=True)
    if asked.returncode:
        return None  # a stub in place of one that is not installed
    implementation, version, include, suffix, is_free_threaded = json.loads(asked.stdout)
    if implementation != "cpython" or version < [3, 11] or version == list(sys.version_info[:3]) or is_free_threaded:
        return None
    return _Build(tuple(version), include, suffix) if Path(include, "Python.h").exists() else None


def build_agent(python: Path, folder: Path, cache: str, name: str = "_agent") -> bool:
    """Put the agent for `python` into `folder`.

    Args:
        name: `_memory_agent` for the one that runs under Valgrind.
        cache: where it is kept for other tests of this run, once one has built it.
    Returns:
        False where the agent is not for it, its headers are not there, or it is the release that the tests run in.
    """
    build = _build_of(python)
    if build is None:
        return False
    target, built = folder / f"{name}{build.suffix}", Path(cache) / f"{name}{build.suffix}"
    if not built.exists():
        options = [*COMPILE, "-shared", f"-I{build.include}"]
        sources = _sources(rf"python_add_library\({name}\b")
        subprocess.run(["cc", *options, "-o", target, *sources, _core(folder, Path(cache)), "-lm"], check=True)
        target.replace(built)  # whole at once: others may look for it, or build it, at the same time
    target.symlink_to(built)
    return True


def _sources(beginning: str) -> list[Path]:
    """C files of a target, by how its definition begins."""
    lists = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("CMakeLists.txt", "native/sources.cmake"))
    return [ROOT / name for name in re.findall(r"native/\S+?\.c\b", re.findall(beginning + r"[^)]*", lists)[0])]


def _core(folder: Path, cache: Path) -> Path:
    """An archive of the core, which is the same for every interpreter: that of the package, if it was built here."""
    built = sorted(ROOT.glob("build/*/libsonde_core.a"), key=lambda path: path.stat().st_mtime)
    if built:
        return built[-1]
    archive = cache / "core.a"
    if not archive.exists():
        objects = folder / "core"
        objects.mkdir()
        subprocess.run(["cc", *COMPILE, "-c", *_sources(r"set\(SONDE_CORE_SOURCES")], cwd=objects, check=True)
        subprocess.run(["ar", "rcs", folder / "core.a", *objects.iterdir()], check=True)
        (folder / "core.a").replace(archive)
    return archive
