"""Runs a program with path probes, counting with several k, and once writing each path down.

    python ordered_paths.py FOLDER WHEN FILE LOG KIND ...

FILE is compiled once, with probes WHEN: late or early; LOG is the library of oracles/path_order.c. For each kind, an
argument of the program, FOLDER gets: `KIND.plain` (status and output), and for each k of `KS` `KIND.K` with the same,
and the sequences: by function, activations, and times of each sequence; `KIND.log`, the records. Of early probes,
`KIND.unoptimised` has what the last `KIND.K` has, counted by late ones in code that no optimiser has seen. Of late
ones, `KIND.on` has that by code for bursts, in one burst, and `KIND.off` what it counts where there is none.
`KIND.counters` has what `KIND.1` has, by counters of single paths.
`functions` has by number their names, which of their paths are ends, and whether it is known how many are left midway.
All but the records are JSON.
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
from sonde.instruments.paths.sources.compiled.path_library import thread_offset
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, link_program, link_with_lines, run_alone, run_main
from sonde.launch.burst_clock import BURSTS
from sonde.llvm import LlvmModule
from sonde.options.compiled_program import CompiledProgram
from sonde.passes import FOLLOW_PATH, PATH_FOREST, PathProbes
from sonde.passes.path_rows import Row
from sonde.passes.path_sequences import FIRST_NODE

KS = (1, 2, 5)
_MOST = 1 << 20
_PAGE = 4096
_LOG_BYTES = 256 << 20
_HEAD_BYTES = 32
_THREADS, _NODES = 16, 1 << 22
"""As of path_order.c."""


def main() -> None:
    folder, when, file, log_path, *kinds = sys.argv[1:]
    options = ["-w"]
    asked = CompiledProgram([file], options, ["m"])
    program = OrderedProgram.compile(asked, when="early" if when == "early" else "late")
    ways = {str(k): (program, k) for k in KS}
    acyclic = OrderedProgram.compile(asked, when="early" if when == "early" else "late", acyclic=True)
    ways["counters"] = (acyclic, 1)
    if when == "early":
        ways["unoptimised"] = (_unoptimised(program, file, options), max(KS))
    else:
        switched = OrderedProgram.compile(asked, bursts=True)
        ways |= {"on": (switched, max(KS)), "off": (switched, max(KS))}
    linked = link_program([file], options, level=2)
    image = linked.module.object(2)
    log = ctypes.CDLL(log_path)
    for kind in kinds:
        arguments = (file, kind)

        def plain(arguments: tuple[str, ...] = arguments) -> NoReturn:
            run_alone(linked, image, program.libraries, arguments)

        (Path(folder) / f"{kind}.plain").write_text(json.dumps(_run(plain)))
        for way, (chosen, k) in ways.items():
            spools = Path(folder) / f"{kind}-{way}"
            spools.mkdir()
            counting = replace(chosen, arguments=arguments)
            if way in ("on", "off"):  # a file in which no burst has begun, and one in which one has ended
                (spools / BURSTS).write_bytes(struct.pack("<QQ", 0, way == "off").ljust(_PAGE, b"\0"))

            def counted(counting: OrderedProgram = counting, spools: Path = spools, k: int = k) -> NoReturn:
                counting.become(spools, k, _MOST)

            ran = _run(counted)
            found = {"ran": ran, "profile": _told(counting.counted(spools, k, _MOST))}
            (Path(folder) / f"{kind}.{way}").write_text(json.dumps(found))

        records = mmap.mmap(-1, _LOG_BYTES)
        nodes = mmap.mmap(-1, 24 * _THREADS * _NODES)
        most = (_LOG_BYTES - _HEAD_BYTES) // 24
        first = [FIRST_NODE]
        for each in program.paths:
            first.append(first[-1] + Row(0, each.row).places)
        struct.pack_into("<QQQQ", records, 0, 0, most, first[-1], 0)

        def logged(
            arguments: tuple[str, ...] = arguments, records: mmap.mmap = records, nodes: mmap.mmap = nodes
        ) -> NoReturn:
            where = (ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in (records, nodes))
            log.path_order_begin(*map(ctypes.c_void_p, where), ctypes.c_ssize_t(thread_offset()))
            imports = {name: ctypes.cast(log[name], ctypes.c_void_p).value or 0 for name in (FOLLOW_PATH, PATH_FOREST)}
            code = Engine(program.libraries).load(file, [program.image], imports, program.users)
            run_main(code, arguments)

        assert _run(logged) == json.loads((Path(folder) / f"{kind}.plain").read_text()), kind
        count, _, _, threads = struct.unpack_from("<QQQQ", records)
        assert count <= most, kind
        log_bytes = records[_HEAD_BYTES : _HEAD_BYTES + 24 * count]
        more = _without_paths(log_bytes, nodes, threads, first[:-1])
        (Path(folder) / f"{kind}.log").write_bytes(log_bytes + more)
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


def _unoptimised(program: OrderedProgram, file: str, options: list[str]) -> OrderedProgram:
    """A program with late probes in what its early ones were put into."""
    module = parse_module(link_with_lines([file], options, None).module.text())
    probed = PathProbes(thread_offset(), with_order=True).insert(module)
    assert [each.name for each in probed.functions] == [each.name for each in program.paths]
    image = LlvmModule.from_text(print_module(module), "unoptimised").object(0)
    return replace(program, image=image, paths=probed.functions)


def _without_paths(log: bytes, nodes: mmap.mmap, threads: int, first: list[int]) -> bytes:
    """Records of activations that were entered, and left before any path ended.

    Args:
        first: the node of each routine.
    """
    entered = [
        sum(struct.unpack_from("<Q", nodes, 24 * (thread * _NODES + node) + 8)[0] for thread in range(threads))
        for node in first
    ]
    for _, _, routine, begins in struct.iter_unpack("<QQII", log):
        entered[routine] -= begins
    return b"".join(struct.pack("<QQII", 0, 0, routine, 1) * count for routine, count in enumerate(entered))


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
