"""Tools of the tool language, compiled by the C compiler that is here and run on a list of events."""

import os
import shutil
import struct
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from sonde.instruments.memory.toolkit import ToolResults, ToolSource, read_results
from sonde.instruments.memory.toolkit.host import Event

ROOT = Path(__file__).parents[1]
CORE = ROOT / "native" / "core"
CACHE_SOURCES = ("caches/cache_model.c", "caches/miss_kinds.c")
POINTS = (
    "object:access",
    "nonobject:access",
    "object:create",
    "object:delete",
    "object:relocate",
    "class:load",
    "method:compile",
    "method:recompile",
    "method:relocate",
    "method:enter",
    "method:leave",
    "thread:create",
    "thread:switch",
    "thread:terminate",
    "gc:start",
    "gc:stop",
)
TYPE_NAMES = {0: "Node", 1: "app.Node", 2: "stack: main thread"}
"""What the harness calls types; the others have no names."""
OBJECTS = 64
"""Numbers of objects that the harness knows."""

_WARNINGS = ("-std=gnu17", "-Wall", "-Wextra", "-Werror")


def compiler() -> str:
    """The C compiler; the test is skipped where there is none."""
    found = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "cc", "gcc", "clang"))), None)
    if found is None:
        pytest.skip("there is no C compiler")
    return found


@cache
def platform_object(folder: Path) -> Path:
    """All but the advice, compiled once and linked into one object."""
    made = folder / "platform.o"
    sources = [Path(__file__).with_name("advice_harness.c"), CORE / "advice/advice_runtime.c", CORE / "base/pages.c"]
    sources += [CORE / name for name in CACHE_SOURCES]
    command = [compiler(), *_WARNINGS, "-O0", f"-I{CORE}", "-r", "-nostdlib", "-o", made, *sources]
    subprocess.run([str(word) for word in command], check=True)
    return made


def built(source: ToolSource, folder: Path, platform: Path, *options: str) -> Path:
    """A program that runs the advice; warnings are errors. Undefined behaviour of the advice ends it."""
    text, program = folder / "advice.c", folder / "advice"
    text.write_text(source.c_text, encoding="utf-8")
    watched = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    command = [compiler(), *_WARNINGS, "-O0", *watched, *options, f"-I{CORE}", text, platform, "-o", program]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}\n{source.c_text}"
    return program


def run_compiled(program: Path, events: Iterable[Event], folder: Path) -> ToolResults:
    """What the compiled advice says after the events; outputs are written in `folder`."""
    packed = b"".join(map(_packed, events))
    done = subprocess.run([program], input=packed, capture_output=True, cwd=folder, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, b"")
    return read_results(done.stdout.decode("utf-8").splitlines())


def _packed(event: Event) -> bytes:
    loc = event.location
    words = (
        POINTS.index(event.join_point),
        loc.ip,
        loc.address,
        loc.size,
        int(loc.is_load),
        int(loc.is_store),
        loc.thread,
        loc.place,
        loc.method,
        loc.line,
        int(loc.was_there),
        loc.value,
        loc.new_value,
        event.type,
        event.object,
        event.other,
    )
    return struct.pack("<16Q", *(word & 0xFFFF_FFFF_FFFF_FFFF for word in words))
