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


def made_lines(seed: int = 1) -> list[bytes]:
    """Lines of a log, largest first; sizes fall as they do in real logs, where few units are large."""
    random = Random(seed)
    units = [_unit(number, max(4, _LARGEST // (number + 1)), random) for number in range(UNITS)]
    return [json.dumps(unit, separators=(",", ":")).encode() for unit in units]


def _unit(number: int, calls: int, random: Random) -> dict[str, Any]:
    root = _call(f"made.Root{number}.run(Object)", -1, random)
    positions = [{root["methodName"]: 0}]
    inlined = [(root, positions[0])]
    for _ in range(calls):
        caller, position = random.choice(inlined)
        bci = random.randrange(200)
        site = _call(f"made.Type{random.randrange(300)}.method{random.randrange(40)}(Object, int)", bci, random)
        caller.setdefault("invokes", []).append(site)
        if site["inlined"]:
            first, *rest = position.items()
            below = {site["methodName"]: random.randrange(200), first[0]: bci, **dict(rest)}
            positions.append(below)
            inlined.append((site, below))
    phases = [_phase(random, positions) for _ in range(calls // 6 + 1)]
    optimizations = {"phaseName": "RootPhase", "optimizations": phases}
    head = {"methodName": root["methodName"], "compilationId": str(number)}
    return {**head, "inliningTree": root, "optimizationTree": optimizations}


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
