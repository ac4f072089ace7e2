"""Signatures of continuations, and how they are called: conventions, tail calls, attributes that still hold."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from sonde.ir import Module, Parameter, Signature, element_type, members_of
from sonde.ir.edits import with_linkage
from sonde.osr.refusals import Refused

Convention = Literal["", "fastcc"]
"""How a continuation is called. (`tailcc`, by which any call in the last place is a jump, is no choice: where arguments
lie on the stack, LLVM 22 does not pass those that it is given.)"""
Marker = Literal["", "tail"]


class LiveValue(NamedTuple):
    """A value that is handed over."""

    name: str
    """With sigil, in the function that is left."""
    type: str


@dataclass(frozen=True, slots=True)
class Transition:
    """How control leaves a function: what is handed over, and by which kind of call."""

    values: tuple[LiveValue, ...]
    """Those in registers first."""
    return_type: str
    result_attributes: str
    """Of the value that is returned: `zeroext`."""
    convention: Convention
    marker: Marker
    """Empty: the frame that is left stays until the continuation returns."""
    spilled: int = 0
    """So many of the last values lie in an area of memory, whose address is handed over in a register."""
    caught: tuple[str, ...] = ()
    """The types that the function which is left catches, by number; see `caught_types`."""

    @property
    def in_registers(self) -> tuple[LiveValue, ...]:
        return self.values[: len(self.values) - self.spilled]

    @property
    def in_area(self) -> tuple[LiveValue, ...]:
        return self.values[len(self.values) - self.spilled :]

    @property
    def area_type(self) -> str:
        """The type of what lies in the area."""
        return f"{{ {', '.join(each.type for each in self.in_area)} }}"


AREA = "%osr.area"
"""The stack slot, in a function that is left, of values that find no room in registers. Its continuations hand its
address on, so that they leave nothing on the stack when they are left in turn."""
AREA_BYTES = 2048
_CONVENTION = re.compile(r"(?:^|(?<= ))(cc ?[0-9]+|[a-z0-9_]+cc)(?= |$)")
_REGISTERS = 6, 8
"""Of the System V convention, for integers and pointers, and for floating-point numbers and vectors."""
_VECTOR_BITS = 128
_RETURNED = 2, 2
"""As many registers a result may take."""
_UNTRUE = re.compile(
    r"\b(?:memory\([^)]*\)|readnone|readonly|writeonly|argmemonly|inaccessiblememonly|inaccessiblemem_or_argmemonly|"
    r"nofree|nosync|speculatable|alwaysinline|allockind\(\"[^\"]*\"\)|allocsize\([^)]*\))|\"alloc-[a-z-]+\"(?:=\"[^\"]*\")?"
)
"""What is said of a function as a whole, and need not hold of its rest: that it leaves alone memory which its caller
can see, for what was its own is now its caller's; that it waits for no other thread; which parameter counts bytes."""
_NOALIAS = re.compile(r"\bnoalias\b ?")
_GROUP = re.compile(r"#([0-9]+)")
_REFUSED_ATTRIBUTES = ("naked", "presplitcoroutine", "returns_twice", "nounwind_undefined")
_UNCOUNTED = ("token", "metadata", "label", "x86_amx")


def convention_of(signature: Signature) -> str:
    """The calling convention; empty for C's."""
    match = _CONVENTION.search(signature.prefix)
    found = match[1] if match else ""
    return "" if found == "ccc" else found


def result_attributes(signature: Signature) -> str:
    """What a signature says of the result, as a call may repeat it."""
    return _NOALIAS.sub("", _CONVENTION.sub("", with_linkage(signature, "external").prefix)).strip()


def continuation_signature(
    module: Module, signature: Signature, name: str, parameters: Sequence[Parameter], convention: str, linkage: str
) -> Signature:
    """The signature of a function's continuation.

    Raises:
        Refused: `function attribute`.
    """
    words = [linkage if linkage != "external" else "", convention, result_attributes(signature)]
    return replace(
        signature,
        prefix=" ".join(word for word in words if word),
        name=name,
        parameters=tuple(parameters),
        is_varargs=False,
        suffix=partial_attributes(module, signature),
    )


def partial_attributes(module: Module, signature: Signature) -> str:
    """The end of a signature without what need not hold of a function that begins, or ends, in the middle.

    Raises:
        Refused: `function attribute`.
    """

    def changed(match: re.Match[str]) -> str:
        text = module.attribute_groups.get(int(match[1]), "")
        for word in _REFUSED_ATTRIBUTES:
            if re.search(rf"(?<![\w\"-]){word}(?![\w\"-])", text):
                raise Refused("function attribute", f"{signature.name} is '{word}'")
        kept = re.sub(r"  +", " ", _UNTRUE.sub("", text))
        if kept == text:
            return match[0]
        if not kept.strip("{ }"):
            return ""
        for number, other in module.attribute_groups.items():
            if other == kept:
                return f"#{number}"
        number = max(module.attribute_groups, default=-1) + 1
        module.attribute_groups[number] = kept
        return f"#{number}"

    head, quote, rest = signature.suffix.partition('"')  # groups come first, names of sections later
    head = _GROUP.sub(changed, head)
    return re.sub(r"  +", " ", head + quote + rest).strip(" ")


def transition(
    signature: Signature, values: Sequence[LiveValue], types: Mapping[str, str], *, frame_is_needed: bool
) -> Transition:
    """Choose how to leave a function.

    By a tail call, where its frame is not needed any more and all values fit into registers. Otherwise by a call, and
    the frame stays; it has an area for the values that do not fit.

    Args:
        types: the module's named types.
    Raises:
        Refused: `live value`, of a type that no function takes.
    """
    for value in values:
        if value.type in _UNCOUNTED or value.type.startswith("target("):
            raise Refused("live value", f"{value.name} cannot be handed over: no function takes a {value.type}")
    here = convention_of(signature)
    result = signature.return_type
    is_simple = here in ("", "fastcc") and (result == "void" or _fits([result], types, _RETURNED))
    marker: Marker = "tail" if is_simple and not frame_is_needed else ""
    ordered, spilled = list(values), 0
    if not _fits([each.type for each in values], types, _REGISTERS):
        marker = ""
        chosen = _chosen_for_registers(values, types)
        rest = [each for each in values if each not in chosen]
        if sum(_area_bytes(each.type, types) for each in rest) <= AREA_BYTES:
            ordered, spilled = [*chosen, *rest], len(rest)
    convention: Convention = "fastcc" if here == "fastcc" else ""
    return Transition(tuple(ordered), result, result_attributes(signature), convention, marker, spilled)


def _chosen_for_registers(values: Sequence[LiveValue], types: Mapping[str, str]) -> list[LiveValue]:
    """The first values that fit into registers, but for one, which has the address of the area."""
    chosen: list[LiveValue] = []
    for value in values:
        if _fits(["ptr", *(each.type for each in chosen), value.type], types, _REGISTERS):
            chosen.append(value)
    return chosen


def _area_bytes(type_: str, types: Mapping[str, str]) -> int:
    """What a value takes in the area at most, alignment included."""
    if type_ == "x86_fp80":
        return 32
    needed = _registers(type_, types)
    return AREA_BYTES + 1 if needed is None else 16 * needed[0] + 32 * needed[1]


def _fits(listed: Sequence[str], types: Mapping[str, str], most: tuple[int, int]) -> bool:
    integers = floats = 0
    for type_ in listed:
        needed = _registers(type_, types)
        if needed is None:
            return False
        integers, floats = integers + needed[0], floats + needed[1]
    return integers <= most[0] and floats <= most[1]


def _registers(type_: str, types: Mapping[str, str]) -> tuple[int, int] | None:
    """How many registers of either kind a value takes; None where that is not so simple."""
    if type_.startswith("ptr"):
        return 1, 0
    if type_ in ("half", "bfloat", "float", "double"):
        return 0, 1
    if type_[:1] == "i" and type_[1:].isdigit():
        return ((int(type_[1:]) + 63) // 64, 0) if int(type_[1:]) <= 128 else None
    if type_.startswith("<") and not type_.startswith("<{"):
        match = re.fullmatch(r"<([0-9]+) x (?:i([0-9]+)|(half|bfloat)|(float)|(double)|ptr)>", type_)
        if match is None:
            return None
        bits = int(match[1]) * (int(match[2]) if match[2] else 16 if match[3] else 32 if match[4] else 64)
        return 0, (bits + _VECTOR_BITS - 1) // _VECTOR_BITS
    count = members_of(type_, types)
    if count is None or count > sum(_REGISTERS):
        return None
    integers = floats = 0
    for member in range(count):
        needed = _registers(element_type(type_, [member], types), types)
        if needed is None:
            return None
        integers, floats = integers + needed[0], floats + needed[1]
    return integers, floats
