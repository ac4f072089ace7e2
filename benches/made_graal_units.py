"""Units of a Graal log for benchmarks where no real log is given: as large and as deep as real ones, made at random."""

import json
from random import Random
from typing import Any

UNITS = 60
_PHASES = (
    "CanonicalizerPhase",
    "LoopPeelingPhase",
    "FloatingReadPhase",
    "ConditionalEliminationPhase",
    "FixReadsPhase",
)
_LARGEST = 1_500
"""Calls in the largest unit; with its decisions some 500 KB, as in the largest of real logs."""
_METHODS = 12_000


def made_lines(seed: int = 1) -> list[bytes]:
    """Lines of a log, largest first; sizes fall as they do in real logs, where few units are large."""
    random = Random(seed)
    units = [_unit(number, max(4, _LARGEST // (number + 1)), random) for number in range(UNITS)]
    return [json.dumps(unit, separators=(",", ":")).encode() for unit in units]


def _unit(number: int, calls: int, random: Random) -> dict[str, Any]:
    root = _call(f"made.Root{number}.run(Object)", -1, random)
    positions = [{root["methodName"]: 0}]
    # Breadth first, so that what was inlined last is cut, as by a budget.
    waiting = [(root, method, positions[0]) for method in random.sample(range(_METHODS // 10), min(40, calls))]
    while waiting and calls > 0:
        caller, method, position = waiting.pop(0)
        calls -= 1
        # A call of the root has an offset of its own; else where it is is known from caller and callee.
        bci = len(caller.get("invokes", ())) * 5 if caller is root else method % 200
        site = _call(f"made.Type{method // 40}.method{method % 40}(Object, int)", bci, random)
        caller.setdefault("invokes", []).append(site)
        if site["inlined"]:
            first, *rest = position.items()
            below = {site["methodName"]: random.randrange(200), first[0]: bci, **dict(rest)}
            positions.append(below)
            waiting.extend((site, callee, below) for callee in _callees(method))
    phases = [_phase(random, positions) for _ in range(len(positions) // 4 + 1)]
    optimizations = {"phaseName": "RootPhase", "optimizations": phases}
    head = {"methodName": root["methodName"], "compilationId": str(number)}
    return {**head, "inliningTree": root, "optimizationTree": optimizations}


def _callees(method: int) -> list[int]:
    """What a method calls: the same wherever it is inlined, and never itself."""
    return [callee for callee in (2 * method + 1, 2 * method + 2, 3 * method + 1) if callee < _METHODS]


def _call(method: str, bci: int, random: Random) -> dict[str, Any]:
    inlined = bci == -1 or random.random() < 0.6
    reason = None if bci == -1 else [f"relevance-based (relevance={random.random():f}, probability=1.000000, nodes=40)"]
    flags = {"inlined": inlined, "reason": reason, "indirect": False, "alive": not inlined}
    return {"methodName": method, "callsiteBci": bci, **flags}


def _phase(random: Random, positions: list[dict[str, int]]) -> dict[str, Any]:
    done = [
        {"optimizationName": "Canonicalizer", "eventName": "CanonicalReplacement", "position": random.choice(positions)}
        | {"replacedNodeClass": random.choice(("+", "==", "Pi")), "canonicalNodeClass": "Constant"}
        for _ in range(random.randrange(12))
    ]
    return {"phaseName": random.choice(_PHASES), "optimizations": done}
