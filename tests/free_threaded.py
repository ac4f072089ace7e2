"""Pythons that are built without a GIL: those of this machine, and an imitation for what asks them who they are."""

import subprocess
import sys
from functools import cache
from pathlib import Path

from interpreters import other_pythons

_ASKED = "import sys; print(sys.implementation.name, *sys.version_info[:2], getattr(sys, 'abiflags', ''))"
_TOLD = "import sys, sysconfig; sysconfig.get_config_vars(); sys.abiflags = 't'\n"
"""Run at its start. What the standard library looks up by the flags is looked up before."""


@cache
def free_threaded_pythons() -> list[Path]:
    """Those that are here, from 3.14 on."""
    found = []
    for python in other_pythons():
        asked = subprocess.run([python, "-c", _ASKED], capture_output=True, text=True)
        name, major, minor, *flags = asked.stdout.split() if not asked.returncode else ("", 0, 0)
        if name == "cpython" and (int(major), int(minor)) >= (3, 14) and "t" in "".join(map(str, flags)):
            found.append(python)
    return found


def imitation(folder: Path) -> Path:
    """An interpreter that says it is one, and is this one."""
    real = Path(sys._base_executable)  # type: ignore[attr-defined]
    python = folder / "bin" / "python"
    packages = folder / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    packages.mkdir(parents=True)
    python.parent.mkdir()
    python.symlink_to(real)
    (folder / "pyvenv.cfg").write_text(f"home = {real.parent}\n", encoding="utf-8")
    (packages / "imitation.pth").write_text(_TOLD, encoding="utf-8")
    return python
