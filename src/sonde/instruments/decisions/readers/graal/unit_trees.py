"""The trees of one unit, out of its line in the log.

| since | what is called what |
|---|---|
| August 2022 | `inliningTreeRoot` of `targetMethodName`, `bci`, `inlinees`, inlined calls only; `rootPhase` |
| October 2022 | `inliningTree` of `methodName`, `callsiteBci`, `inlined`, `reason`, `invokes`; `optimizationTree` |
| November 2022 | `profilingInfo`, then `receiverTypeProfile`; `abstract`, then `indirect` |
| January 2023 | `alive` |

What was not written yet is worked out: a call that was not inlined was alive.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import (
    CallSite,
    Decision,
    Phase,
    Place,
    Position,
    ReceiverProfile,
    ReceiverType,
    Trees,
    Value,
)
from sonde.instruments.decisions.readers.graal.deep_json import parse_json
from sonde.instruments.decisions.readers.graal.method_names import split_variant
from sonde.instruments.decisions.readers.place import unreadable

_CALL_KEYS_NOW = (
    "methodName",
    "callsiteBci",
    "inlined",
    "reason",
    "indirect",
    "alive",
    "receiverTypeProfile",
    "invokes",
)
_CALL_KEYS_ONCE = ("targetMethodName", "bci", "inlinees", "abstract", "profilingInfo")
_CALL_KEYS = frozenset((*_CALL_KEYS_NOW, *_CALL_KEYS_ONCE))
_PHASE_KEYS = frozenset(("phaseName", "optimizations"))
_DECISION_KEYS = frozenset(("optimizationName", "eventName", "position"))
_SHOWN = 60
"""Characters of a value in a message."""


def read_unit(path: Path, offset: int, length: int) -> Trees:
    """Read the trees of the unit at a place in a file.

    Raises:
        InputError: `bad-decision-record`, `unreadable-decision-record`.
    Cost: O(length); 20 MB of log each second.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            line = file.read(length)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        return _trees(_object(parse_json(line.decode()), "the unit"))
    except ValueError as error:
        raise InputError(
            f"cannot read the unit at byte {offset} of '{path}': {error}",
            slug="bad-decision-record",
            hint="leave that line out, or record the run again: the program may have been stopped while it was written",
        ) from error


def _trees(unit: Mapping[str, Any]) -> Trees:
    inlining, optimizations = (
        _one_of(unit, *keys) for keys in (("inliningTree", "inliningTreeRoot"), ("optimizationTree", "rootPhase"))
    )
    if inlining is None:  # it could be, until January 2023
        name = unit.get("methodName", unit.get("compilationMethodName"))
        root = CallSite(split_variant(name)[0] if isinstance(name, str) else None, inlined=True, is_root=True)
    else:
        root = _calls(_object(inlining, "'inliningTree'"))
    return Trees(root, _phases(_object(optimizations, "'optimizationTree'")))


def _one_of(unit: Mapping[str, Any], now: str, once: str) -> Any:
    if now in unit:
        return unit[now]
    if once in unit:
        return unit[once]
    raise ValueError(f"it has no '{now}'")


def _calls(top: Mapping[str, Any]) -> CallSite:
    root = _call(top)
    root.is_root = True
    open_now = [(top, root)]
    while open_now:
        node, site = open_now.pop()
        for key in ("invokes", "inlinees"):
            for child in _items(node.get(key), key):
                inner = _call(_object(child, f"an item of '{key}'"))
                site.children.append(inner)
                open_now.append((child, inner))
    return root


def _call(node: Mapping[str, Any]) -> CallSite:
    if "targetMethodName" in node:  # 2022-08: of calls that were inlined only
        name, at, inlined = node["targetMethodName"], node.get("bci"), node.get("inlined", True)
    else:
        name, at, inlined = node.get("methodName"), node.get("callsiteBci"), node.get("inlined")
    if name is not None and type(name) is not str:
        _refuse("methodName", name, "text")
    if type(at) is not int:
        _refuse("callsiteBci", at, "a whole number")
    if type(inlined) is not bool:
        _refuse("inlined", inlined, "true or false")
    indirect = node.get("indirect")
    if indirect is None:
        indirect = node.get("abstract", False)
    if type(indirect) is not bool:
        _refuse("indirect", indirect, "true or false")
    alive = node.get("alive", not inlined)
    if type(alive) is not bool:
        _refuse("alive", alive, "true or false")
    site = CallSite(None if name is None else split_variant(name)[0], at, 0, inlined, alive, indirect)
    reasons = node.get("reason")
    if reasons is not None:
        site.reasons = tuple(_text(reason, "reason") for reason in _items(reasons, "reason"))
    profile = node.get("receiverTypeProfile")
    if profile is not None:
        site.receivers = _receivers(_object(profile, "'receiverTypeProfile'"))
    elif node.get("profilingInfo") is not None:
        site.receivers = _receivers_2022(_object(node["profilingInfo"], "'profilingInfo'"))
    if not _CALL_KEYS.issuperset(node):
        site.more = _more(node, _CALL_KEYS)
    return site


def _receivers(profile: Mapping[str, Any]) -> ReceiverProfile:
    types = []
    for entry in _items(profile.get("profiledTypes"), "profiledTypes"):
        item = _object(entry, "an item of 'profiledTypes'")
        method = item.get("concreteMethodName")
        types.append(
            ReceiverType(
                _text(item.get("typeName"), "typeName"),
                _share(item.get("probability")),
                None if method is None else _text(method, "concreteMethodName"),
            )
        )
    return ReceiverProfile(_truth(profile.get("mature"), "mature"), tuple(types))


def _receivers_2022(profile: Mapping[str, Any]) -> ReceiverProfile:
    types = _object(profile.get("typeProfile") or {}, "'typeProfile'")
    shares = tuple(ReceiverType(name, _share(share)) for name, share in types.items())
    return ReceiverProfile(_truth(profile.get("isMature"), "isMature"), shares)


def _phases(top: Mapping[str, Any]) -> Phase:
    root = _phase(top)
    open_now = [(top, root)]
    while open_now:
        node, phase = open_now.pop()
        for child in _items(node.get("optimizations"), "optimizations"):
            child = _object(child, "an item of 'optimizations'")
            if child.get("phaseName") is None:
                phase.children.append(_decision(child))
            else:
                inner = _phase(child)
                phase.children.append(inner)
                open_now.append((child, inner))
    return root


def _phase(node: Mapping[str, Any]) -> Phase:
    phase = Phase(_text(node.get("phaseName"), "phaseName"))
    if not _PHASE_KEYS.issuperset(node):
        phase.more = _more(node, _PHASE_KEYS)
    return phase


def _decision(node: Mapping[str, Any]) -> Decision:
    name, event, position = node.get("optimizationName"), node.get("eventName"), node.get("position")
    return Decision(
        _text(name, "optimizationName"),
        _text(event, "eventName"),
        () if position is None else _position(_object(position, "'position'")),
        () if _DECISION_KEYS.issuperset(node) else _more(node, _DECISION_KEYS),
    )


def _position(position: Mapping[str, Any]) -> Position:
    places = []
    for method, at in position.items():
        if type(at) is not int:
            _refuse("position", at, "a whole number")
        places.append(Place(split_variant(method)[0], at))
    return tuple(places)


def _more(node: Mapping[str, Any], known: frozenset[str]) -> tuple[tuple[str, Value], ...]:
    return tuple((key, _value(value)) for key, value in node.items() if key not in known)


def _value(value: Any) -> Value:
    if value is None or isinstance(value, str | int | float):
        return value
    try:
        return json.dumps(value)  # Graal writes none; kept as it stood
    except RecursionError:
        return "(nested too deeply)"


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if type(value) is not dict:
        raise ValueError(f"{what} is {_shown(value)}, not an object")
    return value


def _items(value: Any, key: str) -> list[Any]:
    if value is None:
        return []
    if type(value) is not list:
        _refuse(key, value, "a list")
    items: list[Any] = value
    return items


def _text(value: Any, key: str) -> str:
    if type(value) is not str:
        _refuse(key, value, "text")
    return str(value)


def _truth(value: Any, key: str) -> bool:
    if type(value) is not bool:
        _refuse(key, value, "true or false")
    return bool(value)


def _share(value: Any) -> float:
    if type(value) not in (int, float):
        _refuse("probability", value, "a number")
    return float(value)


def _refuse(key: str, value: Any, wanted: str) -> NoReturn:
    raise ValueError(f"its '{key}' is {_shown(value)}, not {wanted}")


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
