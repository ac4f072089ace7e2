"""Optimization logs of Graal and profiles of proftool, made by hand from short words.

unit("a.A.f()", "7", call("a.A.f()", kind="root"), phase("RootPhase", did("Loop", "Peeling", {"a.A.f()": 3})))
"""

import json
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
    kind: str = "inlined",
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


def did(name: str, event: str, position: dict[str, int] | None = None, **properties: object) -> Json:
    """An optimization."""
    return {"optimizationName": name, "eventName": event, "position": position, **properties}


def unit(method: str, compilation: str, inlining: Json | None = None, optimizations: Json | None = None) -> Json:
    """A compilation unit."""
    return {
        "methodName": method,
        "compilationId": compilation,
        "inliningTree": inlining or root(method),
        "optimizationTree": optimizations or phase("RootPhase"),
    }


def write_log(folder: Path, *units: Json, more: bytes = b"") -> Path:
    """Write a folder with a log in one file.

    Args:
        more: what stands after the units.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(each, separators=(",", ":")) + "\n" for each in units)
    (folder / "0_14").write_bytes("".join(lines).encode() + more)
    return folder


def entry(period: int, name: str, compilation: str | None = None, level: int | None = 4) -> Json:
    """A line of a profile of a run compiled just in time."""
    named = name if compilation is None else f"{compilation}: {name}"
    return {"compileId": compilation, "name": named, "level": None if compilation is None else level, "period": period}


def write_jit_profile(path: Path, total: int, *entries: Json, execution: str | None = None) -> Path:
    """Write a profile of a run compiled just in time."""
    document = {"compilationKind": "JIT", "totalPeriod": total, "executionId": execution, "code": list(entries)}
    path.write_text(json.dumps(document, indent=4))
    return path


def write_aot_profile(path: Path, total: int, **periods: int) -> Path:
    """Write a profile of a run compiled ahead of time."""
    code = [{"name": name, "period": period} for name, period in periods.items()]
    path.write_text(json.dumps({"compilationKind": "AOT", "totalPeriod": total, "code": code}, indent=4))
    return path
