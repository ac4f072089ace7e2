"""Runs a program with cycle probes, by a clock that it moves on itself, and without, and tells what both say.

    python cycle_server.py REQUEST

REQUEST is a file with a JSON object: `files`, `options`, `level`, `libraries`, `folder`, `probes` (the library with the
clock), `share` (of `sn_cycles_plan`), `follow`, and `runs`: arguments, standard input, and files that are copied to
where the program runs. A line of JSON for each run: `plain` and `probed` (status and what was printed, in hexadecimal),
`truth` (name -> ticks), `found` (name -> the numbers of `UnitCycles`, summed over threads), `dropped`, `lost`.
"""

import ctypes
import json
import mmap
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from clock_edit import with_own_clock
from sonde.instruments.contexts.sources.cycle_library import CyclePlan
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, Libraries, LoadedCode, link_program, run_main
from sonde.llvm import LlvmModule
from sonde.native import Spool, unit_cycles_of
from sonde.passes.cycle_probes import BEGIN, END, THREAD_OF_CYCLES, CycleProbes

_SUMS = 1 << 16


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = Path(request["folder"])
    probes = ctypes.CDLL(request["probes"])
    for name in ("sn_cycles_offset", "told_clock_offset"):
        probes[name].restype = ctypes.c_ssize_t
    offset, clock = probes["sn_cycles_offset"](), probes["told_clock_offset"]()
    shared = mmap.mmap(-1, 8 * _SUMS)  # forks have it too
    sums = (ctypes.c_uint64 * _SUMS).from_buffer(shared)
    libraries = Libraries(request["libraries"])
    level = request["level"]
    linked = link_program(request["files"], request["options"], level=level)
    text, told = with_own_clock(linked.module.text(), clock, ctypes.addressof(sums))
    module = parse_module(LlvmModule.from_text(text, "told").text())
    names = CycleProbes(offset).insert(module)
    probed = LlvmModule.from_text(print_module(module), "probed")
    probed.verify()
    imports = {name: ctypes.cast(probes[name], ctypes.c_void_p).value or 0 for name in (BEGIN, END, THREAD_OF_CYCLES)}
    code = Engine(libraries).load("program", [probed.object(level)], imports, linked.users)
    plain = Engine(libraries).load("program", [linked.module.object(level)], {}, linked.users)
    for number, run in enumerate(request["runs"]):
        own = folder / str(number)
        own.mkdir()
        ctypes.memset(sums, 0, 8 * _SUMS)
        plan = CyclePlan(os.fsencode(own), b"program", b"cycles", len(names), request["share"], request["follow"])
        ran = {
            "plain": _ran(plain, run, own / "plain", None, None),
            "probed": _ran(code, run, own / "probed", probes, plan),
        }
        found: dict[str, list[float]] = {}
        spools = [spool for path in own.glob("*.cells") if (spool := Spool(os.fsencode(path))).pid]
        for spool in spools:
            for unit, *values in unit_cycles_of(spool):
                before = found.get(names[unit], [0.0] * len(values))
                found[names[unit]] = [one + other for one, other in zip(before, values, strict=True)]
        truth = {name: ticks for name, ticks in zip(told, sums, strict=False) if ticks}
        losses = {
            "dropped": sum(each.dropped_calls for each in spools),
            "lost": sum(each.lost_events for each in spools),
        }
        print(json.dumps({**ran, "truth": truth, "found": found, **losses}), flush=True)


def _ran(
    code: LoadedCode,
    run: tuple[list[str], str, list[str]],
    output: Path,
    probes: ctypes.CDLL | None,
    plan: CyclePlan | None,
) -> list[Any]:
    arguments, stdin, fresh = run
    output.mkdir()
    for path in fresh:
        shutil.copy(path, output)
    pid = os.fork()
    if pid == 0:
        if probes is not None and plan is not None:
            error = probes.sn_cycles_begin(ctypes.byref(plan))
            assert error == 0, os.strerror(error)
        os.chdir(output)
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(os.open(f"{output}.{stream}", os.O_WRONLY | os.O_CREAT, 0o600), stream)
        run_main(code, ["program", *arguments])
    status = os.waitpid(pid, 0)[1]
    return [status, *(Path(f"{output}.{stream}").read_bytes().hex() for stream in (1, 2))]


if __name__ == "__main__":
    main()
