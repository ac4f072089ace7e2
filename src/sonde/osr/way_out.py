"""The way out of a function in a cold block: find the target, count, hand the values over.

%osr.fire:                                   ; target known
  %osr.result = tail call i64 @f.to(values)
  ret i64 %osr.result
"""

from sonde.ir import Block, Instruction
from sonde.osr.cell import Word, word_address
from sonde.osr.conditions import Check
from sonde.osr.signature import AREA, LiveValue, Transition
from sonde.osr.targets import Direct, Slot, Target

STUB = "@sonde.osr.stub"
"""`ptr (ptr cell, i64 value)`: where to go on; null: here."""


def way_out(
    check: Check, leaving: Transition, target: Target, fire: Block, rest: Block, location: str, value_type: str | None
) -> list[Block]:
    """Fill the cold block of a point.

    Args:
        rest: where to go on if nobody knows where to.
        location: of what calls, as it is attached; may be empty.
        value_type: of the value on which the target depends, if it does on one.
    Returns: further blocks that it leads to.
    """
    if isinstance(target, Direct):
        fire.instructions += _leave(check, leaving, target.name, location)
        return []
    code = check.name("%osr.code")
    if isinstance(target, Slot):
        fire.instructions.append(Instruction.from_text(f"load atomic ptr, ptr {check.cell} acquire, align 8", code))
        fire.instructions += _leave(check, leaving, code, location)
        return []
    check.module.declare(f"preserve_mostcc ptr {STUB}(ptr, i64)")
    go, ask = Block(check.name("%osr.go")), Block(check.name("%osr.ask"))
    known = check.name("%osr.known")
    fire.instructions.append(Instruction.from_text(f"load atomic ptr, ptr {check.cell} acquire, align 8", known))
    is_missing = check.name("%osr.missing")
    fire.instructions.append(Instruction.from_text(f"icmp eq ptr {known}, null", is_missing))
    found, value = Block(check.name("%osr.found")), "0"
    branch = f"br i1 {is_missing}, label {ask.name}, label {found.name}"
    fire.instructions.append(Instruction.from_text(branch))
    if target.value is None or value_type is None:
        found.instructions.append(Instruction.from_text(f"br label {go.name}"))
        code = known
    else:
        value = _as_word(check, target.value, value_type, fire)
        had, same, at = check.name("%osr.had"), check.name("%osr.same"), check.name("%osr.at")
        found.instructions += [
            Instruction.from_text(f"load i64, ptr {known}, align 8", had),
            Instruction.from_text(f"icmp eq i64 {had}, {value}", same),
            Instruction.from_text(f"getelementptr i64, ptr {known}, i64 1", at),
            Instruction.from_text(f"load ptr, ptr {at}, align 8", code),
            Instruction.from_text(f"br i1 {same}, label {go.name}, label {ask.name}"),
        ]
    made, is_none = check.name("%osr.made"), check.name("%osr.none")
    ask.instructions += [
        Instruction.from_text(
            f"call preserve_mostcc ptr {STUB}(ptr {check.cell}, i64 {value}) {_ASKING}{location}", made
        ),
        Instruction.from_text(f"icmp eq ptr {made}, null", is_none),
        Instruction.from_text(f"br i1 {is_none}, label {rest.name}, label {go.name}"),
    ]
    to = check.name("%osr.to")
    go.instructions.append(Instruction.from_text(f"phi ptr [ {code}, {found.name} ], [ {made}, {ask.name} ]", to))
    go.instructions += _leave(check, leaving, to, location)
    return [found, ask, go]


_ASKING = "nounwind willreturn memory(read, inaccessiblemem: readwrite)"
"""What answers is no part of the program: it may read the program's memory, and changes none of it."""


def _as_word(check: Check, value: str, type_: str, fire: Block) -> str:
    """The value as an `i64`."""
    if type_ == "i64":
        return value
    name = check.name("%osr.value")
    text = f"ptrtoint ptr {value} to i64" if type_ == "ptr" else f"zext {type_} {value} to i64"
    fire.instructions.insert(0, Instruction.from_text(text, name))
    return name


def _leave(check: Check, leaving: Transition, code: str, location: str) -> list[Instruction]:
    """Count, call, return."""
    before, after = check.name("%osr.before"), check.name("%osr.after")
    fired = word_address(check.cell, Word.FIRED)
    counting = [
        Instruction.from_text(f"load atomic i64, ptr {fired} monotonic, align 8", before),
        Instruction.from_text(f"add i64 {before}, 1", after),
        Instruction.from_text(f"store atomic i64 {after}, ptr {fired} monotonic, align 8"),
    ]
    spills: list[Instruction] = []
    arguments = list(leaving.in_registers)
    if leaving.spilled:
        arguments.append(LiveValue(AREA, "ptr"))
        area = leaving.area_type
        for at, value in enumerate(leaving.in_area):
            if value.name == "poison":  # of no use there
                continue
            place = check.name("%osr.spill")
            spills += [
                Instruction(place, "getelementptr", [
                    f"getelementptr inbounds {area}, ptr ", AREA, f", i32 0, i32 {at}"]),
                Instruction(None, "store", [f"store {value.type} ", value.name, ", ptr ", place, ""]),
            ]  # fmt: skip
    words = [leaving.marker, "call", leaving.convention, leaving.result_attributes, leaving.return_type]
    pieces = [" ".join(word for word in words if word) + " "]
    if code.startswith("%"):
        pieces += [code, "("]
    else:
        pieces[0] += f"{code}("
    for at, value in enumerate(arguments):
        pieces[-1] += ("" if at == 0 else ", ") + f"{value.type} "
        pieces += [value.name, ""]
    pieces[-1] += f"){location}"
    if leaving.return_type == "void":
        return [*counting, *spills, Instruction(None, "call", pieces), Instruction.from_text(f"ret void{location}")]
    result = check.name("%osr.result")
    returned = Instruction(None, "ret", [f"ret {leaving.return_type} ", result, location])
    return [*counting, *spills, Instruction(result, "call", pieces), returned]
