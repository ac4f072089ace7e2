"""What an instruction works on, with types, and the type of what it yields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sonde.ir.call_site import CALLS, call_site, find_type
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.phi import incoming_of, phi_type
from sonde.ir.types import element_type, matching, split_list, type_end, with_same_shape

_NO_OPERAND = re.compile(r"![-\w.$]+ ![0-9]+|align [0-9]+|addrspace\([0-9]+\)")
"""Attachments, alignment, address space."""
CASTS = frozenset(
    (
        "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "ptrtoaddr",
        "inttoptr", "bitcast", "addrspacecast",
    )
)  # fmt: skip
_ORDERING = re.compile(r'(?: syncscope\("[^"]*"\))?(?: (?:unordered|monotonic|acquire|release|acq_rel|seq_cst))+\Z')
_ATOMIC = ("load", "store", "cmpxchg", "atomicrmw")
_BEFORE_INDICES = {"extractvalue": 1, "insertvalue": 2}
"""How many operands these have: what follows are indices."""
_PARENT = re.compile(r"(?:within|from) (none|%[^\s\"]+|%\"[^\"]*\")")
_CLAUSE = re.compile(r"\n\s+(?:catch|filter) ")
_TOKENS = ("catchpad", "cleanuppad", "catchswitch")
_OF_FUNCLETS = (*_TOKENS, "catchret", "cleanupret")
_WITHOUT_VALUE = frozenset(
    ("store", "fence", "ret", "br", "switch", "indirectbr", "resume", "unreachable", "cleanupret", "catchret")
)


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: a local or global name, a constant, or a block (of type `label`)."""

    type: str
    value: str


def operands_of(instruction: Instruction) -> list[Operand]:
    """The operands, in the order of the text; the type that is written once counts for all that follow it.

    A call's callee comes last, its operand bundles are left out; blocks follow values. The indices of `extractvalue`
    and `insertvalue` are no operands, nor are the cases of a `switch`; the mask of `shufflevector` is one.

    >>> operands_of(Instruction.from_text("store i32 7, ptr %p, align 4, !dbg !3"))
    [Operand(type='i32', value='7'), Operand(type='ptr', value='%p')]
    >>> operands_of(Instruction.from_text("icmp slt i64 %a, %b", "%c"))
    [Operand(type='i64', value='%a'), Operand(type='i64', value='%b')]
    """
    opcode = instruction.opcode
    if opcode == "phi":
        type_, pairs = phi_type(instruction), incoming_of(instruction)
        return [
            *(Operand(type_, value) for value, _ in pairs),
            *(Operand("label", block) for _, block in pairs),
        ]
    if opcode in CALLS:
        site = call_site(instruction)
        return [
            *(Operand(each.type, each.value) for each in site.arguments),
            *(Operand("label", block) for block in instruction.successors()),
            Operand("ptr", site.callee),
        ]
    text = instruction.text
    labels = [Operand("label", block) for block in instruction.successors()]
    if opcode in ("switch", "indirectbr"):
        return [*_listed(text[: text.index(", ")], len(opcode)), *labels]
    if opcode == "landingpad":
        clauses = [part.partition(", !")[0] for part in _CLAUSE.split(text)[1:]]
        return [operand for clause in clauses for operand in _listed(clause, 0)]
    if parent := opcode in _OF_FUNCLETS and _PARENT.search(text):
        begin = text.find("[", parent.end()) if opcode in ("catchpad", "cleanuppad") else -1
        arguments = _listed(text[begin + 1 : matching(text, begin) - 1], 0) if begin >= 0 else []
        return [*arguments, Operand("token", parent.group(1)), *labels]
    return _listed(text, len(opcode), opcode)[: _BEFORE_INDICES.get(opcode)]


def _listed(text: str, start: int, opcode: str = "") -> list[Operand]:
    """Operands of what has them in one list, separated by commas."""
    found: list[Operand] = []
    type_ = ""
    for part in split_list(text[start:].strip(" ")):
        if not part or _NO_OPERAND.fullmatch(part):
            continue
        if opcode in _ATOMIC:
            part = _ORDERING.sub("", part)
        elif opcode in CASTS:
            part = part.rpartition(" to ")[0]
        begin, end = _type_in(part)
        if part.startswith(" ", end):
            type_, part = part[begin:end], part[end + 1 :]
        elif not type_ or opcode == "va_arg":
            continue  # a type alone: what is loaded, allocated or walked through
        found.append(Operand(type_, part))
    return found


def _type_in(part: str) -> tuple[int, int]:
    try:
        return find_type(part, 0)
    except ValueError:
        return 0, 0


def result_type(instruction: Instruction, named_types: Mapping[str, str]) -> str | None:
    """The type of what an instruction yields; None when it yields nothing.

    Args:
        named_types: of the module.
    Raises:
        ValueError: the instruction is not as LLVM prints it.

    >>> result_type(Instruction.from_text("extractvalue { i8, [2 x i64] } %x, 1, 0", "%y"), {})
    'i64'
    >>> result_type(Instruction.from_text("getelementptr i8, ptr %p, <2 x i64> %i", "%y"), {})
    '<2 x ptr>'
    """
    opcode, text = instruction.opcode, instruction.text
    if opcode in _WITHOUT_VALUE:
        return None
    if opcode in CALLS:
        returned = call_site(instruction).return_type
        return None if returned == "void" else returned
    if opcode == "phi":
        return phi_type(instruction)
    if opcode in _TOKENS:
        return "token"
    if opcode in CASTS:
        start = text.rindex(" to ") + 4 if " to <" not in text else text.rindex(" to <") + 4
        return text[start : type_end(text, start)]
    begin, end = find_type(text, len(opcode) + 1)
    first = text[begin:end]
    return _yielded(opcode, text, first, end, named_types)


def _yielded(opcode: str, text: str, first: str, end: int, named_types: Mapping[str, str]) -> str:
    match opcode:
        case "icmp" | "fcmp":
            return with_same_shape(first, "i1")
        case "alloca":
            space = re.search(r", addrspace\(([0-9]+)\)", text)
            return f"ptr addrspace({space.group(1)})" if space else "ptr"
        case "getelementptr":
            types = [text_type for text_type in map(_own_type, split_list(text[end + 2 :])) if text_type]
            shape = next((each for each in types if each.startswith("<")), "")
            return types[0] if types[0].startswith("<") else with_same_shape(shape, types[0])
        case "select":
            return _own_type(split_list(text[end + 1 :])[1])
        case "extractvalue":
            parts = split_list(text[end + 1 :])[1:]
            indices = [int(part) for part in parts if part.isdigit()]
            return element_type(first, indices, named_types)
        case "extractelement":
            return element_type(first, [0], named_types)
        case "shufflevector":
            mask = _own_type(split_list(text[end + 1 :])[2])
            return with_same_shape(mask, element_type(first, [0], named_types))
        case "cmpxchg":
            compared = _own_type(split_list(text[end + 1 :])[1])
            return f"{{ {compared}, i1 }}"
        case "atomicrmw":
            return _own_type(split_list(text[end + 1 :])[1])
        case "va_arg":
            return _own_type(split_list(text[end + 1 :])[1])
        case _:
            return first


def _own_type(part: str) -> str:
    return part[: type_end(part)]


def value_types(function: Function, named_types: Mapping[str, str]) -> dict[str, str]:
    """The type of every local value of a function, parameters first.

    Cost: some 3 us an instruction.
    """
    types = {parameter.name: parameter.type for parameter in function.parameters}
    for instruction in function.instructions():
        if instruction.result is not None:
            type_ = result_type(instruction, named_types)
            assert type_ is not None
            types[instruction.result] = type_
    return types
