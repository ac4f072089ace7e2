"""The CPythons that wheels are built for, found on this machine, and their headers for other platforms."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wheels.platforms import Platform

VERSIONS = ((3, 11), (3, 12), (3, 13), (3, 14), (3, 15))

_ASKED = """
import json, sys, sysconfig
print(json.dumps([sys.implementation.name, sys.version_info[:2], sysconfig.get_path("include"),
                  sysconfig.get_platform(), bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))
"""


@dataclass(frozen=True, slots=True)
class BuildPython:
    """A CPython for x86-64 and glibc, with its headers."""

    path: Path
    version: tuple[int, int]
    include: Path


def find_pythons(asked: Sequence[str]) -> tuple[list[BuildPython], list[str]]:
    """One of each version, and the versions that are not on this machine.

    Looked for in `asked`, on PATH, in pyenv, and where `tests/fetch_pythons.sh` puts them.
    """
    home = Path.home()
    fetched = Path(os.environ.get("SONDE_PYTHONS") or home / ".cache" / "sonde" / "pythons")
    found: dict[tuple[int, int], BuildPython] = {}
    for path in [
        *map(Path, asked),
        *sorted((home / ".pyenv" / "versions").glob("3.*/bin/python")),
        *(folder / "bin" / f"python{folder.name}" for folder in sorted(fetched.glob("3.*"))),
        *(Path(named) for major, minor in VERSIONS if (named := shutil.which(f"python{major}.{minor}"))),
    ]:
        python = _ask(path)
        if python and python.version in VERSIONS:
            found.setdefault(python.version, python)
    missing = [f"{major}.{minor}" for major, minor in VERSIONS if (major, minor) not in found]
    return [found[version] for version in sorted(found)], missing


def _ask(path: Path) -> BuildPython | None:
    try:
        asked = subprocess.run([path, "-c", _ASKED], capture_output=True, text=True, check=False)
    except OSError:
        return None
    if asked.returncode:
        return None  # a stub in place of one that is not installed
    implementation, version, include, platform, is_free_threaded = json.loads(asked.stdout)
    if implementation != "cpython" or platform != "linux-x86_64" or is_free_threaded:
        return None
    is_whole = Path(include, "Python.h").exists() and Path(include, "internal", "pycore_frame.h").exists()
    return BuildPython(path, (version[0], version[1]), Path(include)) if is_whole else None


def headers_for(python: BuildPython, platform: Platform, folder: Path) -> Path:
    """Headers of the same CPython for another platform: all are the same but for `pyconfig.h`.

    Args:
        folder: where they are put, if any differ.
    """
    if not platform.undefined and not platform.defined:
        return python.include
    include = folder / f"python{python.version[0]}.{python.version[1]}"
    shutil.rmtree(include, ignore_errors=True)
    shutil.copytree(python.include, include)
    config = include / "pyconfig.h"
    text = config.read_text(encoding="utf-8")
    for name in platform.undefined:
        text = re.sub(rf"^#define {name} .*$", f"/* #undef {name} */", text, flags=re.M)
    for name in platform.defined:
        text = re.sub(rf"^/\* #undef {name} \*/$", f"#define {name} 1", text, flags=re.M)
    config.write_text(text, encoding="utf-8")
    return include
