"""Operand bundles of calls: values that a call carries along under a tag, `[ "deopt"(i64 %i, ptr %p) ]`."""

from collections.abc import Sequence

from sonde.ir.call_site import call_site
from sonde.ir.instruction import Instruction
from sonde.ir.operands import Operand
from sonde.ir.types import matching, split_list, type_end

_OPENING = " [ "
_BEFORE_BLOCKS = "\n          to label "


def has_bundles(call: Instruction) -> bool:
    """Whether a call, invoke or callbr carries any."""
    return _end(call)[1] is not None


def bundle_of(call: Instruction, tag: str) -> tuple[Operand, ...] | None:
    """What a call carries under a tag, if that is the only tag; None otherwise.

    >>> call = Instruction.from_text('call void @f(i32 %x) #1 [ "deopt"(i64 7, ptr %p) ], !dbg !3')
    >>> bundle_of(call, "deopt")
    (Operand(type='i64', value='7'), Operand(type='ptr', value='%p'))
    """
    begin, end = _end(call)
    text = call.text
    head = f'{_OPENING}"{tag}"('
    if end is None or not text.startswith(head, begin):
        return None
    close = matching(text, begin + len(head) - 1)
    if close + len(" ]") != end:
        return None
    found = []
    for part in split_list(text[begin + len(head) : close - 1]):
        if part:
            at = type_end(part)
            found.append(Operand(part[:at], part[at + 1 :]))
    return tuple(found)


def add_bundle(call: Instruction, tag: str, operands: Sequence[Operand]) -> None:
    """Let a call that carries nothing carry values.

    Raises:
        ValueError: it carries something.

    >>> call = Instruction.from_text("call void @f(i32 %x) #1, !dbg !3")
    >>> add_bundle(call, "deopt", [Operand("i64", "7"), Operand("ptr", "%p")])
    >>> print(call)
    call void @f(i32 %x) #1 [ "deopt"(i64 7, ptr %p) ], !dbg !3
    """
    begin, end = _end(call)
    if end is not None:
        raise ValueError(f"'{call}' has operand bundles")
    pieces = [f'{_OPENING}"{tag}"(']
    for number, each in enumerate(operands):
        pieces[-1] += f"{', ' if number else ''}{each.type} "
        if each.value.startswith("%"):
            pieces += [each.value, ""]
        else:
            pieces[-1] += each.value
    pieces[-1] += ") ]"
    at, offset = _piece_at(call, begin)
    written = call.pieces[at]
    head, tail = written[:offset], written[offset:]
    pieces[0] = head + pieces[0]
    pieces[-1] += tail
    call.pieces[at : at + 1] = pieces


def drop_bundles(call: Instruction) -> None:
    """Let a call carry nothing."""
    begin, end = _end(call)
    if end is None:
        return
    first, offset = _piece_at(call, begin)
    last, behind = _piece_at(call, end)
    call.pieces[first : last + 1] = [call.pieces[first][:offset] + call.pieces[last][behind:]]


def _end(call: Instruction) -> tuple[int, int | None]:
    """Where bundles stand in a call's text, or would; and where they end, if there are any."""
    text = call.text
    at = matching(text, call_site(call).callee_span[1])
    while at < len(text):
        if text[at] == '"':
            at = text.index('"', at + 1)
        elif text[at] == "(":
            at = matching(text, at) - 1
        elif text.startswith(_OPENING, at):
            return at, matching(text, at + 1)
        elif text.startswith((", !", _BEFORE_BLOCKS), at):
            break
        at += 1
    return at, None


def _piece_at(call: Instruction, place: int) -> tuple[int, int]:
    """The number of the piece, and the place in it, of a place in the text that is in no name."""
    for number, piece in enumerate(call.pieces):
        if place <= len(piece) and number % 2 == 0:
            return number, place
        place -= len(piece)
    raise ValueError(f"'{call}' is shorter")
