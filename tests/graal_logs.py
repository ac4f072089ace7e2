"""Runs of Graal as they lie on the disk: optimization logs and profiles of proftool, made by hand from short words.

unit("a.A.f()", "7", call("a.A.f()", kind="root"), phase("RootPhase", did("Loop", "Peeling", {"a.A.f()": 3})))
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_FLAGS = {
    "root": (True, False, False),
    "inlined": (True, False, False),
    "direct": (False, False, True),
    "indirect": (False, True, True),
    "devirtualized": (False, True, False),
    "deleted": (False, False, False),
}
"""Kind -> inlined, indirect, alive."""


def call(
    name: str | None,
    bci: int = -1,
    kind: str = "direct",
    *invokes: Json,
    reason: list[str] | None = None,
    receivers: Json | None = None,
) -> Json:
    """A call, with those in what it calls."""
    inlined, indirect, alive = _FLAGS[kind]
    node: Json = {
        "methodName": name,
        "callsiteBci": bci,
        "inlined": inlined,
        "reason": reason,
        "indirect": indirect,
        "alive": alive,
    }
    if receivers is not None:
        node["receiverTypeProfile"] = receivers
    if invokes:
        node["invokes"] = list(invokes)
    return node


def root(name: str, *invokes: Json) -> Json:
    """The call that is none."""
    return call(name, -1, "root", *invokes)


def receivers(*types: tuple[str, float, str | None], mature: bool = True) -> Json:
    """What was seen at a call; no types: that nothing was seen."""
    profile: Json = {"mature": mature}
    if types:
        profile["profiledTypes"] = [
            {"typeName": name, "probability": probability} | ({} if method is None else {"concreteMethodName": method})
            for name, probability, method in types
        ]
    return profile


def phase(name: str, *children: Json) -> Json:
    """A phase with what is in it."""
    return {"phaseName": name, "optimizations": list(children)}


def did(name: str, event: str, position: Mapping[str, int] | None = None, **properties: object) -> Json:
    """An optimization; positions innermost first."""
    where = None if position is None else dict(position)
    return {"optimizationName": name, "eventName": event, "position": where, **properties}


def unit(method: str, compilation: str, inlining: Json | None = None, optimizations: Json | None = None) -> Json:
    """A compilation unit."""
    return {
        "methodName": method,
        "compilationId": compilation,
        "inliningTree": inlining or root(method),
        "optimizationTree": optimizations or phase("RootPhase"),
    }


def line(document: Json, *, spaced: bool = False) -> bytes:
    """A line of the log; with spaces as Graal 23.0 has it."""
    separators = (", ", ": ") if spaced else (",", ":")
    return json.dumps(document, separators=separators, ensure_ascii=False).encode() + b"\n"


def write_log(folder: Path, *units: Json, file: str = "0_7", spaced: bool = False, more: bytes = b"") -> Path:
    """Add units to a file of the folder of a log, which is returned.

    Args:
        more: what stands after the units.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / file).open("ab") as log:
        log.writelines(line(document, spaced=spaced) for document in units)
        log.write(more)
    return folder


def entry(period: int, name: str, compilation: str | None = None, level: int | None = 4) -> Json:
    """A line of a profile of a run compiled just in time."""
    named = name if compilation is None else f"{compilation}: {name}"
    return {"compileId": compilation, "name": named, "level": None if compilation is None else level, "period": period}


def write_profile(path: Path, total: int | None, *entries: Json, **facts: object) -> Path:
    """Write a profile of a run compiled just in time.

    Args:
        total: None: the time of all entries.
        facts: go beside or in place of what stands at its top.
    """
    document = {
        "compilationKind": "JIT",
        "totalPeriod": sum(each["period"] for each in entries) if total is None else total,
        "executionId": None,
        "code": list(entries),
        **facts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=4))
    return path


def write_aot_profile(path: Path, total: int, **periods: int) -> Path:
    """Write a profile of a run compiled ahead of time."""
    code = [{"name": name, "period": period} for name, period in periods.items()]
    path.write_text(json.dumps({"compilationKind": "AOT", "totalPeriod": total, "code": code}, indent=4))
    return path


def write_run(folder: Path, units: Sequence[Json], times: Mapping[str, int], *, total: int | None = None) -> Path:
    """Write a folder with a log and a profile, of process 4711.

    Args:
        times: compilation id -> period.
    """
    write_log(folder / "optimization_log", *units)
    names = {each["compilationId"]: each["methodName"] for each in units}
    entries = (entry(period, names.get(compilation, "x.y()"), compilation) for compilation, period in times.items())
    write_profile(folder / "profile.json", total, *entries, executionId="4711")
    return folder
