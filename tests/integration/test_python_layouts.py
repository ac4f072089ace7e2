"""Where a CPython keeps its frames, as sonde knows it, and as the headers of each interpreter that is here say."""

import json
import subprocess
from pathlib import Path

import pytest

from sampled_pythons import on_each_python
from sonde._native import python_layout

_ASK = """
import ctypes, json, sys, sysconfig
runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
told = ctypes.string_at(runtime, 1024).hex() if sys.version_info >= (3, 13) else ""
print(json.dumps([sys.hexversion, sysconfig.get_path("include"), told]))
"""
_SOURCE = Path(__file__).parents[1] / "oracles" / "python_layout.c"


@on_each_python
def test_the_layout_is_that_of_the_headers(python: Path, tmp_path: Path) -> None:
    version, include, told = json.loads(subprocess.check_output([python, "-c", _ASK], text=True))
    if not Path(include, "internal", "pycore_frame.h").exists():
        pytest.skip("the interpreter's own headers are not here")
    subprocess.run(["cc", f"-I{include}", _SOURCE, "-o", tmp_path / "tell"], check=True)
    lines = subprocess.check_output([tmp_path / "tell"], text=True).split("\n")
    wanted = {name: int(offset) for name, _, offset in (line.partition(" ") for line in lines if line)}
    found = python_layout(version, bytes.fromhex(told))
    assert found is not None
    assert {name: found[name] for name in wanted} == wanted
    without = {"held_frame": 2**32 - 1, "owner_c": 255, "frame_entry": 0, "runtime_lock": 0, "interpreter_lock": 0}
    del found["task_coroutine"]  # that of a module; see test_asyncio_tasks.py
    assert {name: offset for name, offset in found.items() if name not in wanted}.items() <= without.items()


def test_versions_that_are_not_known_have_no_layout() -> None:
    assert python_layout(0x030A00F0, b"") is None
    assert python_layout(0x030D00F0, bytes(1024)) is None
