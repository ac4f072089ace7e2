"""Calling machine code of any signature from Python: a small function in between, generated for each signature.

The bridge loads the arguments from memory, calls as often as it is told to, and stores the last result, so that
repeating a call costs what the call costs, and nothing of Python.
"""

import re
from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.ir import Signature, referenced_types
from sonde.machine.value_text import CELL_BYTES, is_scalar, scalars_of

BRIDGE = "sonde.bridge"
"""The symbol of the bridge: `void (ptr callee, ptr arguments, ptr result, i64 times)`."""

_ABI_ATTRIBUTES = re.compile(r"(?:signext|zeroext|inreg|sret\(.*?\)|byval\(.*?\)|align [0-9]+|swiftself|nest)(?= |$)")
_CONVENTION = re.compile(r"(?:^| )((?:[a-z]+cc|cc ?[0-9]+))(?= |$)")


@dataclass(frozen=True, slots=True)
class BridgePlan:
    """The text of a bridge, and how large the result is that it stores."""

    text: str
    result_cells: int


def plan_bridge(signature: Signature, argument_types: tuple[str, ...], named_types: dict[str, str]) -> BridgePlan:
    """Write the bridge for a signature.

    Args:
        argument_types: of the parameters, and of what variable arguments follow.
        named_types: of the module that the signature is from.
    Raises:
        UsageError: `unsupported-type`, when a result or an argument is something that no cell holds.
    """
    scalars = [] if signature.return_type == "void" else scalars_of(signature.return_type, named_types)
    for type_ in (*argument_types, *(scalar for _, scalar in scalars)):
        if not is_scalar(type_):
            raise UsageError(
                f"cannot call '{signature.name[1:]}': nothing of type {type_} can be handed over from here",
                slug="unsupported-type",
            )
    body, arguments = [], []
    for at, type_ in enumerate(argument_types):
        body.append(f"  %p{at} = getelementptr i8, ptr %arguments, i64 {at * CELL_BYTES}")
        body.append(f"  %a{at} = load {type_}, ptr %p{at}, align 8")
        attributes = signature.parameters[at].attributes if at < len(signature.parameters) else ""
        kept = " ".join(_ABI_ATTRIBUTES.findall(attributes))
        arguments.append(f"{type_} {kept} %a{at}" if kept else f"{type_} %a{at}")
    called = signature.type if signature.is_varargs else signature.return_type
    result = "" if signature.return_type == "void" else "%r = "
    convention = _CONVENTION.search(signature.prefix)
    attributes = " ".join(re.findall(r"\b(?:signext|zeroext|inreg)\b", signature.prefix))
    call = " ".join(filter(None, ("call", convention and convention.group(1), attributes, called)))
    stores = []
    for cell, (path, scalar) in enumerate(scalars):
        value = "%r"
        if path:
            value = f"%e{cell}"
            stores.append(_member(value, signature.return_type, path))
        stores.append(f"  %q{cell} = getelementptr i8, ptr %result, i64 {cell * CELL_BYTES}")
        stores.append(f"  store {scalar} {value}, ptr %q{cell}, align 8")
    types = referenced_types(" ".join((str(signature), *argument_types)), named_types)
    text = "\n".join(
        [
            *(f"{name} = type {body}" for name, body in types.items()),
            f"define void @{BRIDGE}(ptr %callee, ptr %arguments, ptr %result, i64 %times) uwtable {{",
            "entry:",
            *body,
            "  br label %again",
            "again:",
            "  %done = phi i64 [ 0, %entry ], [ %next, %again ]",
            f"  {result}{call} %callee({', '.join(arguments)})",
            "  %next = add i64 %done, 1",
            "  %more = icmp ult i64 %next, %times",
            "  br i1 %more, label %again, label %end",
            "end:",
            *stores,
            "  ret void",
            "}",
        ]
    )
    return BridgePlan(text, len(scalars))


def _member(name: str, type_: str, path: tuple[int, ...]) -> str:
    if type_.startswith("<") and not type_.startswith("<{"):
        return f"  {name} = extractelement {type_} %r, i32 {path[0]}"
    return f"  {name} = extractvalue {type_} %r, {', '.join(map(str, path))}"
