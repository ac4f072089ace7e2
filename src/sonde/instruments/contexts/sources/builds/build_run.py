"""A build of a project's own, with compilers of ours before the real ones."""

import hashlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import sonde
from sonde.base.errors import MissingCapability, SondeError
from sonde.instruments.contexts.sources.builds.build_log import VARIABLE, BuildLog, read_build_log
from sonde.instruments.contexts.sources.builds.stand_in import BURSTS, CLANG
from sonde.store.user_cache import user_cache

_COMPILER = re.compile(r"(?:\w+-linux-gnu-)?(?:cc|gcc|clang|c\+\+|g\+\+|clang\+\+)(?:-\d+)?")
_VARIABLES = ("CC", "CXX")
_FOLDER = "compilers-"

_SCRIPT = """\
#!/bin/sh
# A compiler of sonde's, for builds under 'sonde contexts --build'; in all others it is the real one.
[ -n "${variable}" ] || exec {real} "$@"
exec {python} -E -s -c 'import sys; sys.path.insert(0, sys.argv.pop(1))
from sonde.instruments.contexts.sources.builds.stand_in import main
main(sys.argv[1], sys.argv[2], sys.argv[3:])' {root} {name} {real} "$@"
"""


def run_build(words: Sequence[str], *, bursts: bool = False) -> tuple[int, BuildLog]:
    """Run a build.

    Args:
        bursts: whether probes can be switched.
    Returns: its exit code, and what became of it.
    Raises:
        MissingCapability: `no-c-compiler`: `SONDE_CC` names what will not do.
        SondeError: `cannot-write`.
    """
    from sonde.jit.compilers import find_compiler  # each compiler of a build loads this module

    clang: tuple[str, ...] = ()
    try:
        if os.uname().machine == "x86_64":  # elsewhere the compiler's own calls at entries and ends do
            clang = find_compiler().command
    except MissingCapability:
        if os.environ.get("SONDE_CC"):
            raise
    with tempfile.TemporaryDirectory(prefix="sonde-build-") as folder:
        log = Path(folder) / "log"
        environment = {
            **os.environ,
            **_environment(),
            VARIABLE: str(log),
            CLANG: "\n".join(clang),
            BURSTS: "1" if bursts else "",
        }
        status = subprocess.run(words, env=environment, check=False).returncode
        return (status if status >= 0 else 128 - status), read_build_log(log)


def _environment() -> dict[str, str]:
    """PATH, CC and CXX with our compilers."""
    path = os.environ.get("PATH", os.defpath)
    real = dict[str, str]()
    for folder in path.split(os.pathsep):
        if not folder or Path(folder).name.startswith(_FOLDER) or not Path(folder).is_dir():
            continue
        for each in sorted(Path(folder).iterdir()):
            if _COMPILER.fullmatch(each.name) and each.name not in real and os.access(each, os.X_OK):
                real[each.name] = str(each.absolute())
    changed = dict[str, str]()
    for variable in _VARIABLES:
        command = shlex.split(os.environ.get(variable, ""))
        found = shutil.which(command[0]) if command else None
        if found is not None:
            real[Path(found).name] = found
            changed[variable] = shlex.join((Path(found).name, *command[1:]))
    stand_ins = _stand_ins(real)
    given = {key: f"{stand_ins}/{value}" for key, value in changed.items()}
    return {**given, "PATH": f"{stand_ins}{os.pathsep}{path}"}


def _stand_ins(real: Mapping[str, str]) -> Path:
    """A folder with a compiler of ours for each real one. It stays, since builds note where their compilers are."""
    scripts = {name: _script(name, path) for name, path in real.items()}
    digest = hashlib.sha256("\0".join(scripts.values()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        folder = user_cache() / f"{_FOLDER}{digest}"
        folder.mkdir(exist_ok=True)
        for name, script in scripts.items():
            _write(folder / name, script)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        raise SondeError(
            f"cannot put compilers before those of the build: {error}",
            slug="cannot-write",
            hint="set XDG_CACHE_HOME to a folder that you can write",
        ) from error
    return folder


def _script(name: str, real: str) -> str:
    root = str(Path(sonde.__file__).parents[1])
    python, root, name, real = map(shlex.quote, (sys.executable, root, name, real))
    return _SCRIPT.format(variable=VARIABLE, real=real, python=python, root=root, name=name)


def _write(path: Path, script: str) -> None:
    """Write a file that others may be reading."""
    if path.is_file() and path.read_text(encoding="utf-8", errors="surrogateescape") == script:
        return
    partial = path.with_name(f".{path.name}-{os.getpid()}")
    partial.write_text(script, encoding="utf-8", errors="surrogateescape")
    partial.chmod(stat.S_IRWXU)
    partial.replace(path)
