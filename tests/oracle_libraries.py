"""Libraries of C that tests load beside programs, each compiled once for all tests of a process."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from debian_sources import run_quietly

_ORACLES = Path(__file__).with_name("oracles")


@cache
def oracle_library(name: str, *words: str) -> Path:
    """`oracles/NAME.c` as a library.

    Args:
        words: other options and sources.
    """
    path = _folder() / f"{name}.so"
    source = str(_ORACLES / f"{name}.c")
    run_quietly(["cc", "-std=gnu17", "-O2", "-shared", "-fPIC", *words, source, "-o", str(path)], path.parent)
    return path


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="sonde-oracles-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
