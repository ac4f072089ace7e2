"""Runs of Graal as they lie on the disk: lines of the log byte by byte, several files, any profile of proftool."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def call(
    method: str | None,
    at: int = -1,
    *invokes: Json,
    inlined: bool = False,
    alive: bool | None = None,
    indirect: bool = False,
    reason: Sequence[str] | None = None,
    receivers: Json | None = None,
) -> Json:
    """A call site; alive if it is not inlined and not said to be dead."""
    node: Json = {
        "methodName": method,
        "callsiteBci": at,
        "inlined": inlined,
        "reason": list(reason) if reason is not None else None,
        "indirect": indirect,
        "alive": not inlined if alive is None else alive,
    }
    if receivers is not None:
        node["receiverTypeProfile"] = receivers
    if invokes:
        node["invokes"] = list(invokes)
    return node


def root(method: str, *invokes: Json) -> Json:
    """The root of an inlining tree."""
    return call(method, -1, *invokes, inlined=True)


def phase(name: str, *children: Json) -> Json:
    return {"phaseName": name, "optimizations": list(children)}


def decision(name: str, event: str, position: Mapping[str, int] | None = None, **properties: Any) -> Json:
    """An applied optimization; positions innermost first."""
    return {
        "optimizationName": name,
        "eventName": event,
        "position": dict(position) if position is not None else None,
        **properties,
    }


def unit(method: str, compilation: str, inlining: Json | None = None, optimizations: Json | None = None) -> Json:
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


def write_log(folder: Path, *units: Json, file: str = "0_7", spaced: bool = False) -> Path:
    """Add units to a file of a log folder, which is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / file).open("ab") as log:
        for document in units:
            log.write(line(document, spaced=spaced))
    return folder


def entry(compilation: str | None, name: str, period: int, level: int | None = 4) -> Json:
    """Time in compiled code, as proftool names it."""
    full = f"{compilation}: {name}" if compilation is not None else name
    return {"compileId": compilation, "name": full, "level": level, "period": period}


def write_profile(path: Path, *entries: Json, total: int | None = None, **facts: Any) -> Path:
    """Write a profile of a JIT run; `facts` go beside or in place of what stands at its top."""
    document = {
        "compilationKind": "JIT",
        "totalPeriod": sum(each["period"] for each in entries) if total is None else total,
        "executionId": "4711",
        "code": list(entries),
        **facts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=4))
    return path


def write_run(folder: Path, units: Sequence[Json], times: Mapping[str, int], *, total: int | None = None) -> Path:
    """Write a folder with a log and a profile.

    Args:
        times: compilation id -> period.
    """
    write_log(folder / "optimization_log", *units)
    names = {each["compilationId"]: each["methodName"] for each in units}
    write_profile(
        folder / "profile.json", *(entry(key, names.get(key, "x.y()"), at) for key, at in times.items()), total=total
    )
    return folder
