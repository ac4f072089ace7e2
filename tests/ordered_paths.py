"""Runs a program with path probes, counting with several k, and once writing each path down.

    python ordered_paths.py FOLDER FILE LOG KIND ...

FILE is compiled once; LOG is the library of oracles/path_order.c. For each kind, an argument of the program, FOLDER
gets: `KIND.plain` (status and output), and for each k of `KS` `KIND.K` with the same, and the sequences: by function,
activations, and times of each sequence; `KIND.log`, the records. `functions` has by number their names, which of their
paths are ends, and whether it is known how many are left midway. All but the records are JSON.
"""

import ctypes
import json
import mmap
import os
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from sonde.instruments.paths.profile import PathProfile
from sonde.instruments.paths.sources.compiled import OrderedProgram
from sonde.jit import Engine, link_program, run_alone, run_main
from sonde.options.compiled_program import CompiledProgram

KS = (1, 2, 5)
_MOST = 1 << 20
_LOG_BYTES = 256 << 20
_ENTER, _NEXT = "sn_paths_enter", "sn_paths_next"


def main() -> None:
    folder, file, log_path, *kinds = sys.argv[1:]
    options = ["-w"]
    program = OrderedProgram.compile(CompiledProgram([file], options, ["m"]))
    linked = link_program([file], options, level=2)
    log = ctypes.CDLL(log_path)
    for kind in kinds:
        arguments = (file, kind)

        def plain(arguments: tuple[str, ...] = arguments) -> NoReturn:
            run_alone(linked, 2, program.libraries, arguments)

        (Path(folder) / f"{kind}.plain").write_text(json.dumps(_run(plain)))
        for k in KS:
            spools = Path(folder) / f"{kind}-{k}"
            spools.mkdir()
            counting = replace(program, arguments=arguments)

            def counted(counting: OrderedProgram = counting, spools: Path = spools, k: int = k) -> NoReturn:
                counting.become(spools, k, _MOST)

            ran = _run(counted)
            found = {"ran": ran, "profile": _told(program.counted(spools, k, _MOST))}
            (Path(folder) / f"{kind}.{k}").write_text(json.dumps(found))

        records = mmap.mmap(-1, _LOG_BYTES)
        records[:16] = (0).to_bytes(8, "little") + ((_LOG_BYTES - 16) // 24).to_bytes(8, "little")

        def logged(arguments: tuple[str, ...] = arguments, records: mmap.mmap = records) -> NoReturn:
            ctypes.c_void_p.in_dll(log, "path_order").value = ctypes.addressof(ctypes.c_char.from_buffer(records))
            imports = {name: ctypes.cast(log[name], ctypes.c_void_p).value or 0 for name in (_ENTER, _NEXT)}
            code = Engine(program.libraries).load(file, [program.image], imports, program.users)
            run_main(code, arguments)

        _run(logged)
        count = int.from_bytes(records[:8], "little")
        assert count <= (_LOG_BYTES - 16) // 24, kind
        (Path(folder) / f"{kind}.log").write_bytes(records[16 : 16 + 24 * count])
    names = [each.name for each in program.functions]
    taken = {
        (routine, path)
        for each in Path(folder).glob("*.log")
        for _, path, routine, begins in struct.iter_unpack("<QQII", each.read_bytes())
        if not begins
    }
    ends = [
        [path for routine, path in taken if routine == at and each.is_end(path)]
        for at, each in enumerate(program.paths)
    ]
    watched = [each.begun is not None for each in program.paths]
    (Path(folder) / "functions").write_text(json.dumps([names, ends, watched]))


def _run(become: Callable[[], NoReturn]) -> list[Any]:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.dup2(write, 1)
        signal.alarm(100)
        become()
    os.close(write)
    with os.fdopen(read, "rb") as output:
        text = output.read().decode("latin-1")
    return [os.waitpid(pid, 0)[1], text]


def _told(profile: PathProfile) -> dict[str, Any]:
    losses = {loss.kind: loss.amount for loss in profile.losses}
    told: dict[str, Any] = {"losses": losses, "functions": {}}
    for routine in profile.routines:
        sequences = {
            " ".join(map(str, path)): count
            for path, count in zip(routine.forest.paths(), routine.forest.counts, strict=True)
        }
        told["functions"][routine.function.name] = [routine.activations, sequences]
    return told


if __name__ == "__main__":
    main()
