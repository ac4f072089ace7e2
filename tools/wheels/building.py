"""Build one wheel, or the source distribution, by the project's own back end."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from wheels.compilers import compiler_commands
from wheels.platforms import Platform
from wheels.pythons import BuildPython, headers_for

ROOT = Path(__file__).parents[2]

_BUILD = """
import json, sys
from scikit_build_core.build import build_wheel
print(build_wheel(sys.argv[1], json.loads(sys.argv[2])))
"""
_SDIST = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
_STRIPPED = "-s -Wl,--hash-style=gnu"


class BuildFailed(Exception):
    """What the back end said."""


def build_wheel(python: BuildPython, platform: Platform, folder: Path, objects: Path) -> Path:
    """A wheel with the tag `linux`.

    Args:
        folder: where it is put.
        objects: where what is compiled is kept: what does not depend on Python is compiled once for a platform.
    Raises:
        BuildFailed: with what was said.
    """
    commands = compiler_commands(platform, objects / "bin")
    settings = {
        "build-dir": str(objects / "objects"),
        "install.strip": "false",  # the linker does
        "cmake.define.CMAKE_AR": str(commands["ar"]),
        "cmake.define.CMAKE_RANLIB": str(commands["ranlib"]),
        "cmake.define.SONDE_STATIC_CXX": "ON",
        "cmake.define.SONDE_SMALL": "ON",
        "cmake.define.Python_INCLUDE_DIR": str(headers_for(python, platform, objects / "include")),
        **{f"cmake.define.CMAKE_{kind}_LINKER_FLAGS": _STRIPPED for kind in ("MODULE", "SHARED")},
        "cmake.define.CMAKE_EXE_LINKER_FLAGS": f"{_STRIPPED} -dynamic",  # with musl zig puts all of it in, else
    }
    machine = platform.abi.partition("-")[0]
    environment = {
        **_environment(),
        "CC": str(commands["cc"]),
        "CXX": str(commands["c++"]),
        "SETUPTOOLS_EXT_SUFFIX": f".cpython-{python.version[0]}{python.version[1]}-{platform.abi}.so",
        "_PYTHON_HOST_PLATFORM": f"linux-{machine}",
    }
    folder.mkdir(parents=True, exist_ok=True)
    return folder / _run([str(python.path), "-c", _BUILD, str(folder), json.dumps(settings)], environment)


def build_sdist(folder: Path) -> Path:
    """The source distribution.

    Raises:
        BuildFailed: with what was said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return folder / _run([sys.executable, "-c", _SDIST, str(folder)], _environment())


def _environment() -> dict[str, str]:
    """Where any Python finds the back end of this one, which is written in Python alone."""
    spec = find_spec("scikit_build_core")
    if spec is None or spec.origin is None:
        raise SystemExit("cannot build wheels: the package scikit-build-core is not installed")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**os.environ, "PYTHONPATH": str(Path(spec.origin).parents[1]), "PATH": path, "PYTHONNOUSERSITE": "1"}


def _run(command: list[str], environment: dict[str, str]) -> str:
    """The last line of what it says: the name of the file."""
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    lines = done.stdout.split("\n")
    if done.returncode or len(lines) < 2:
        raise BuildFailed((done.stdout + done.stderr)[-4000:])
    return lines[-2]
