"""Loads a program with path probes, the same with a log of its blocks, and without either, and runs each in forks.

    python path_server.py REQUEST < runs

REQUEST is a file with a JSON object: `module` (file with bitcode; optimised, but for early probes), `level`, `when`
(late, early), `most_paths`, `most_counters` (of `PathProbes`), `libraries`, `log` (the library that logs), `folder`,
`is_one_run`. Runs are as of probed_server.py, with `what`: plain, probed or logged; in one run, what is logged has
probes too. The answer to each is a line with the status that `waitpid` gave. FOLDER/paths has what the probes count,
pickled.
"""

import ctypes
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import sonde
from block_edit import with_block_log
from probed_server import run_in_folder
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, Libraries, LoadedCode
from sonde.llvm import LlvmModule
from sonde.passes import PathProbes, ProbedPaths

_LOG = ("blocks_begin", "blocks_at", "blocks_again", "blocks_end")
_PROBES = ("sn_paths_count", "sn_paths_thread")


class Plan(ctypes.Structure):
    """`sn_paths_plan` of native/probes/path_counts.h."""

    _fields_ = [
        ("folder", ctypes.c_char_p),
        ("command", ctypes.c_char_p),
        ("mechanism", ctypes.c_char_p),
        ("counters", ctypes.c_uint64),
        ("follow", ctypes.c_bool),
    ]


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder, level, is_late = Path(request["folder"]), request["level"], request["when"] == "late"
    probes = ctypes.CDLL(str(Path(sonde.__file__).parent / "_path_probes.so"))
    probes.sn_paths_offset.restype = ctypes.c_ssize_t
    text = LlvmModule.from_bitcode(Path(request["module"]).read_bytes(), "program").text()
    libraries = Libraries(request["libraries"])
    probing = PathProbes(
        probes.sn_paths_offset(), "late" if is_late else "early", request["most_paths"], request["most_counters"]
    )
    probed, paths = _probed(text, probing)
    plain = LlvmModule.from_text(text, "plain")
    if not is_late:
        probed.optimize(level)
        plain.optimize(level)
    logged, names = with_block_log(text, late=is_late)
    last = LlvmModule.from_text(logged, "logged")
    counted = {"probed": paths}
    if request["is_one_run"]:
        last, paths = _probed(logged, probing)
        counted["logged"] = paths
    (folder / "paths").write_bytes(pickle.dumps(paths))
    _write_cuts(folder / "cuts", paths, names)
    os.environ["BLOCK_CUTS"] = str(folder / "cuts")
    log = ctypes.CDLL(request["log"])
    images = {
        "plain": (plain.object(level), {}),
        "probed": (probed.object(level), {name: address_in(probes, name) for name in _PROBES}),
        "logged": (last.object(level if is_late else 0), {name: address_in(log, name) for name in _LOG}),
    }
    if "logged" in counted:
        images["logged"][1].update(images["probed"][1])
    codes = {what: Engine(libraries).load("program", [image], given) for what, (image, given) in images.items()}
    print("ready", flush=True)
    while line := sys.stdin.readline():
        run = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(run, codes[run["what"]], probes, counted.get(run["what"]))
        print(os.waitpid(pid, 0)[1], flush=True)


def _become(run: dict[str, Any], code: LoadedCode, probes: ctypes.CDLL, paths: ProbedPaths | None) -> None:
    if paths is not None:
        plan = Plan(os.fsencode(run["spools"]), b"program", b"paths", paths.counters, run["follow"])
        error = probes.sn_paths_begin(ctypes.byref(plan))
        assert error == 0, os.strerror(error)
    run_in_folder(run, code)


def _probed(text: str, probes: PathProbes) -> tuple[LlvmModule, ProbedPaths]:
    parsed = parse_module(text)
    paths = probes.insert(parsed)
    return LlvmModule.from_text(print_module(parsed), "probed"), paths


def address_in(library: ctypes.CDLL, name: str) -> int:
    """Of a function."""
    return ctypes.cast(library[name], ctypes.c_void_p).value or 0


def _write_cuts(path: Path, paths: ProbedPaths, names: list[str]) -> None:
    number_of = {name: number for number, name in enumerate(names)}
    with path.open("w", encoding="ascii") as file:
        for each in paths.functions:
            numbering, function = each.numbering, number_of[each.name]
            for edge in numbering.cut:
                print(function, edge.source, numbering.graph.target(edge), file=file)
            for block in numbering.ending:
                print(function, block, -1, file=file)
    path.with_name("names").write_text(json.dumps(names), encoding="utf-8")


if __name__ == "__main__":
    main()
