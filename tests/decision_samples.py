"""A run of every compiler whose decisions sonde reads; what can be written by hand is, the others are captured."""

import sys
from collections.abc import Callable
from pathlib import Path

import hotspot_logs
from graal_logs import call, did, entry, phase, receivers, root, unit, write_log, write_profile
from made_remarks import Function, inlined, stack_size, too_costly
from made_remarks import place as remark_place
from sonde.instruments.decisions.capture import capture

_PROGRAM = "def weigh(number):\n    return len(str(number))\n\n\nprint(sum(weigh(each) for each in range(20_000)))\n"
_METHOD = "demo.Foo.foo()"


def decision_sample(reader: str, folder: Path) -> Path:
    """Leave a run for a reader in a folder of its own."""
    place = folder / f"sample-{reader}"
    place.mkdir()
    return _SAMPLES[reader](place)


def _graal(folder: Path) -> Path:
    seen = receivers(("demo.Square", 0.75, "demo.Square.area()"), ("demo.Circle", 0.25, None))
    write_log(
        folder / "optimization_log",
        unit(
            _METHOD,
            "10",
            root(
                _METHOD,
                call("demo.Bar.bar()", 1, "inlined", call(None, 0, "deleted"), reason=["trivial"]),
                call("demo.Shape.area()", 9, "indirect", receivers=seen),
            ),
            phase("RootPhase", phase("LoopPhase", did("Loop", "Peeling", {_METHOD: 7}, peelings=1, factor=0.5))),
        ),
        unit("demo.Bar.bar%%key()", "11"),
    )
    write_profile(folder / "profile.json", 100, entry(60, _METHOD, "10"), entry(5, "demo.Bar.bar()", "11%"))
    return folder


def _llvm(folder: Path) -> Path:
    main, leaf, big = Function("main", 30), Function("leaf", 10), Function("big", 1)
    where = remark_place("prog.c", 33, 5)
    remarks = (
        inlined(leaf, main, [(main, 32, 9)]),
        too_costly(big, main, where),
        *map(stack_size, (main, leaf, big)),
    )
    (folder / "prog.opt.yaml").write_text("".join(remarks))
    return folder


def _hotspot(folder: Path) -> Path:
    call_of_half = "<bc code='184' bci='11'/>\n<call method='34' count='9'/>\n<inline_fail reason='too big'/>\n"
    tasks = [hotspot_logs.task(hotspot_logs.parse(30, call_of_half))]
    return hotspot_logs.write_log(folder, hotspot_logs.log(tasks))


def _cpython(folder: Path) -> Path:
    (program := folder / "program.py").write_text(_PROGRAM)
    code = capture([sys.executable, str(program)], folder / "run", say=lambda line: None)
    assert code == 0
    (record,) = (path for path in (folder / "run").iterdir() if path.suffix != ".json")
    return record


_SAMPLES: dict[str, Callable[[Path], Path]] = {
    "graal": _graal,
    "llvm": _llvm,
    "hotspot": _hotspot,
    "cpython": _cpython,
}
