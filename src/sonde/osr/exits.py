"""Ways out of a continuation: points that its function had, whose calls may be tail calls now.

A function with stack slots keeps its frame when it is left. In its continuations these slots are those of an older
frame; so when they are left in turn, by the same points, nothing of theirs is needed any more.
"""

from sonde.ir import CALLS, Block, Function, Module, call_site
from sonde.osr.frame import FrameUse
from sonde.osr.signature import LiveValue, convention_of, transition

WAYS_OUT = "%osr.fire", "%osr.go"
"""How the blocks begin that leave a function."""


def tighten_exits(module: Module, g: Function) -> None:
    """Let a continuation leave by tail calls where it can."""
    own = convention_of(g.signature)
    frame: FrameUse | None = None
    for block in g.blocks:
        call = block.instructions[-2] if len(block.instructions) > 1 else None
        if call is None or call.opcode not in CALLS or not block.name.startswith(WAYS_OUT) or not _returns(block):
            continue
        if "tail call" in call.pieces[0]:
            continue
        site = call_site(call)
        frame = frame or FrameUse.of(module, g)
        if frame.is_needed(each.value for each in site.arguments):
            continue
        values = [LiveValue(each.value, each.type) for each in site.arguments]
        best = transition(g.signature, values, module.types, frame_is_needed=False)
        if best.marker and best.convention == own:
            call.pieces[0] = f"{best.marker} {call.pieces[0]}"


def _returns(block: Block) -> bool:
    call, end = block.instructions[-2:]
    return end.opcode == "ret" and (end.pieces[1:2] == [call.result] or call.result is None)
