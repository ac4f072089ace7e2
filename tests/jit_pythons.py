"""Interpreters with their JIT off, and on where they have one (CPython 3.14 and later, as it is built)."""

import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from interpreters import version_of

_FIRST = (3, 14)
"""That can be asked."""


def with_jits(pythons: Iterable[Path]) -> list[object]:
    """Cases for `pytest.mark.parametrize`: each interpreter with the values that `PYTHON_JIT` is to have."""
    return [
        pytest.param(python, jit, id=f"{python.parts[-3]}{'-jit' if jit == '1' else ''}")
        for python in pythons
        for jit in (("0", "1") if _has_jit(python) else ("0",))
    ]


@cache
def _has_jit(python: Path) -> bool:
    if version_of(python) < _FIRST:
        return False
    asked = subprocess.run([python, "-c", "import sys; print(sys._jit.is_available())"], capture_output=True, text=True)
    return asked.stdout == "True\n"
