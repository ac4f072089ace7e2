"""Loads a program with probes, a shadow stack or neither, and runs its `main` as often as asked, each time in a fork.

    python probed_server.py REQUEST < runs

REQUEST is a file with a JSON object: `module` (file with bitcode; optimised, but for early probes), `level`, `way`
(plain, late, early, an oracle of the last two: shadow-late, shadow-early, or late probes and their oracle: both, and if
they can be switched: bursts), `libraries`, `shadow` (the library with the shadow stack). The first line of standard
output has the names of the functions by their numbers, as JSON. Then, standard input has one JSON object a line:
`arguments` (argv), `folder`, `stdin`, `stdout`, `stderr` (paths), `spools` (folder for what is counted), `follow`
(forked children too), `hot` (counters and nodes of a hot plan by calls, or null), `bursts` (of way bursts: a file for
the switch, and the seed of the oracle that switches). The answer to each is a line with the status that `waitpid` gave.
"""

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

import sonde
from shadow_edit import with_shadow_stack
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, Libraries, LoadedCode, run_main
from sonde.llvm import LlvmModule
from sonde.passes.burst_switch import LEFT, SYNC
from sonde.passes.call_probes import ENTER, CallProbes


class _HotPlan(ctypes.Structure):
    _fields_ = [
        ("metric", ctypes.c_int),
        ("space_saving", ctypes.c_bool),
        ("counters", ctypes.c_uint32),
        ("nodes_limit", ctypes.c_uint64),
    ]


class _Plan(ctypes.Structure):
    """`sn_probes_plan` of native/probes/probes.h."""

    _fields_ = [
        ("folder", ctypes.c_char_p),
        ("command", ctypes.c_char_p),
        ("mechanism", ctypes.c_char_p),
        ("code", ctypes.c_uint64),
        ("code_bytes", ctypes.c_uint64),
        ("plan", _HotPlan),
        ("timed", ctypes.c_bool),
        ("follow", ctypes.c_bool),
        ("outer_enter", ctypes.c_void_p),
        ("outer_leave", ctypes.c_void_p),
    ]


_OURS = (ENTER, SYNC, LEFT)
_SHADOW = ("shadow_enter", "shadow_leave", "shadow_catch")
_BY_CALLS = 1
_CODE_BYTES = 1 << 26
"""More than the code of any program here."""


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    probes = ctypes.CDLL(str(Path(sonde.__file__).parent / "_probes.so"))
    probes.sn_probes_offset.restype = ctypes.c_ssize_t
    probes.sn_probes_switch.restype = ctypes.c_void_p
    module = LlvmModule.from_bitcode(Path(request["module"]).read_bytes(), "program")
    image, names, imported = _built(module, request["way"], request["level"], probes)
    del module
    libraries = Libraries(request["libraries"])
    sources = dict.fromkeys(_OURS, probes)
    if _SHADOW[0] in imported:
        sources |= dict.fromkeys(_SHADOW, ctypes.CDLL(request["shadow"]))
    imports = {name: ctypes.cast(sources[name][name], ctypes.c_void_p).value or 0 for name in imported}
    code = Engine(libraries).load("program", [image], imports)
    print(json.dumps(names), flush=True)
    while line := sys.stdin.readline():
        run = json.loads(line)
        pid = os.fork()
        if pid == 0:
            if ENTER in imported:
                _begin(probes, run, code)
            if SYNC in imported:
                _begin_bursts(probes, ctypes.CDLL(request["shadow"]), *run["bursts"])
            run_in_folder(run, code)
        print(os.waitpid(pid, 0)[1], flush=True)


def _built(module: LlvmModule, way: str, level: int, probes: ctypes.CDLL) -> tuple[bytes, list[str], tuple[str, ...]]:
    """Object code, names of functions, names of what it calls of ours."""
    if way == "plain":
        return module.object(level), [], ()
    if way.startswith("shadow"):
        text, names = with_shadow_stack(module.text(), late=way == "shadow-late")
        watched = LlvmModule.from_text(text, "watched")
        return watched.object(level if way == "shadow-late" else 0), names, _SHADOW
    text = with_shadow_stack(module.text(), late=True)[0] if way in ("both", "bursts") else module.text()
    parsed = parse_module(text)
    switch = probes.sn_probes_switch() if way == "bursts" else None
    names = CallProbes(probes.sn_probes_offset(), "early" if way == "early" else "late", switch=switch).insert(parsed)
    probed = LlvmModule.from_text(print_module(parsed), "probed")
    probed.verify()
    if way == "early":
        probed.optimize(level)
    imported = {"both": (ENTER, *_SHADOW), "bursts": (*_OURS, *_SHADOW)}.get(way, (ENTER,))
    return probed.object(level), names, imported


def _begin(probes: ctypes.CDLL, run: dict[str, Any], code: LoadedCode) -> None:
    hot = _HotPlan(_BY_CALLS, False, *run["hot"]) if run["hot"] else _HotPlan()
    first = min(code.addresses.values())
    plan = _Plan(
        os.fsencode(run["spools"]), b"program", b"probes", max(0, first - _CODE_BYTES // 2), _CODE_BYTES, hot, False,
        run["follow"],
    )  # fmt: skip
    error = probes.sn_probes_begin(ctypes.byref(plan))
    assert error == 0, os.strerror(error)


def _begin_bursts(probes: ctypes.CDLL, shadow: ctypes.CDLL, path: str, seed: int) -> None:
    Path(path).write_bytes(bytes(4096))
    error = probes.sn_probes_begin_bursts(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    assert error == 0, os.strerror(error)
    shadow.shadow_begin_bursts(os.fsencode(path), ctypes.c_uint64(seed))


def run_in_folder(run: dict[str, Any], code: LoadedCode) -> None:
    """Be the program from here to its end. For a fork."""
    ctypes.CDLL(None).setenv(b"SHADOW_FOLDER", os.fsencode(run["spools"]), 1)
    os.chdir(run["folder"])
    for number, (name, flags) in enumerate(
        [("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY | os.O_CREAT), ("stderr", os.O_WRONLY | os.O_CREAT)]
    ):
        os.dup2(os.open(run[name], flags, 0o600), number)
    run_main(code, run["arguments"])


if __name__ == "__main__":
    main()
