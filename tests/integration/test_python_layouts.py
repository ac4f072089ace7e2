"""Where a CPython keeps its frames, as sonde knows it, and as the headers of each interpreter that is here say."""

import json
import subprocess
from pathlib import Path

import pytest

from interpreters import version_of
from sampled_pythons import PYTHONS, on_each_python
from sonde._native import python_layout

_ASK = """
import ctypes, json, sys, sysconfig
runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
told = ctypes.string_at(runtime, 1024).hex() if sys.version_info >= (3, 13) else ""
print(json.dumps([sys.hexversion, sysconfig.get_path("include"), told]))
"""
_NOT_EVERYWHERE = (
    "frame_entry", "runtime_lock", "interpreter_lock", "frame_tags", "frame_copy", "code_copies", "type_name",
    "text_shift", "is_free_threaded",
)  # fmt: skip
_OF_MODULES = ("task_coroutine", "state_task")
"""See test_asyncio_tasks.py."""
_SOURCE = Path(__file__).parents[1] / "oracles" / "python_layout.c"


@on_each_python
def test_the_layout_is_that_of_the_headers(python: Path, tmp_path: Path) -> None:
    version, include, told = json.loads(subprocess.check_output([python, "-c", _ASK], text=True))
    tell = _compiled(Path(include), tmp_path)
    _check(python_layout(version, bytes.fromhex(told)), tell)


@pytest.mark.parametrize("python", [each for each in PYTHONS if version_of(each) >= (3, 14)])
def test_the_layout_of_a_build_without_a_global_lock_is_that_of_the_headers(python: Path, tmp_path: Path) -> None:
    """No such build is needed: headers say how it would be laid out, and what it would tell."""
    version, include, _ = json.loads(subprocess.check_output([python, "-c", _ASK], text=True))
    tell = _compiled(Path(include), tmp_path, "-DPy_GIL_DISABLED=1")
    told = bytes.fromhex(subprocess.check_output([tell, "told"], text=True))
    found = python_layout(version, told.ljust(1024, b"\0"))
    _check(found, tell)
    assert found is not None
    assert found["is_free_threaded"]


def _compiled(include: Path, folder: Path, *options: str) -> Path:
    if not (include / "internal" / "pycore_frame.h").exists():
        pytest.skip("the interpreter's own headers are not here")
    subprocess.run(["cc", *options, f"-I{include}", _SOURCE, "-o", folder / "tell"], check=True)
    return folder / "tell"


def _check(found: dict[str, int] | None, tell: Path) -> None:
    lines = subprocess.check_output([tell], text=True).split("\n")
    wanted = {name: int(offset) for name, _, offset in (line.partition(" ") for line in lines if line)}
    assert found is not None
    assert {name: found[name] for name in wanted} == wanted
    without = dict.fromkeys(_NOT_EVERYWHERE, 0) | {"held_frame": 2**32 - 1, "owner_c": 255}
    left = {name: offset for name, offset in found.items() if name not in wanted and name not in _OF_MODULES}
    assert left.items() <= without.items()


def test_versions_that_are_not_known_have_no_layout() -> None:
    assert python_layout(0x030A00F0, b"") is None
    assert python_layout(0x030D00F0, bytes(1024)) is None
