"""What a continuation may do to the stack: its own begins where it did, and the frame that was left lies above."""

from sonde.ir import Function, Instruction, Module
from sonde.osr.new_names import new_name
from sonde.osr.refusals import Refused


def restore_own_stack_only(module: Module, g: Function, taken: set[str]) -> None:
    """Let the stack be given back at most to where it was when the continuation began.

    What was saved may be of the frame that was left, which lies above: then all is given back that is the
    continuation's own. The stack grows downwards.
    """
    definitions = g.definitions()
    begin = ""
    for block in g.blocks:
        for each in [*block.instructions]:
            if each.opcode != "call" or "@llvm.stackrestore" not in each.pieces[0]:
                continue
            saved = each.pieces[1]
            if saved in definitions and "@llvm.stacksave" in definitions[saved].pieces[0]:
                continue
            if not begin:
                module.declare("ptr @llvm.stacksave.p0()")
                begin = new_name("%stack", taken)
                save = Instruction.from_text("call ptr @llvm.stacksave.p0()", begin)
                save.location = each.location
                g.entry.instructions.insert(len(g.entry.instructions) - 1, save)
            is_own, kept = new_name("%own", taken), new_name("%kept", taken)
            at = block.instructions.index(each)
            block.instructions[at:at] = [
                Instruction.from_text(f"icmp ult ptr {saved}, {begin}", is_own),
                Instruction.from_text(f"select i1 {is_own}, ptr {saved}, ptr {begin}", kept),
            ]
            each.replace_uses({saved: kept})


def resume_by_call(module: Module, g: Function, taken: set[str]) -> None:
    """Go on unwinding by a call of the unwinder, as code generators do in the end: they take a `resume` that no landing
    pad of the same function leads to for one that is never reached.

    Raises:
        Refused: `landing pad`: what is thrown is not in the form that the unwinder takes.
    """
    for block in g.blocks:
        end = block.terminator
        if end.opcode != "resume":
            continue
        if not end.pieces[0].startswith("resume { ptr, i32 } "):
            raise Refused("landing pad", f"{g.name} unwinds by '{end}', for which there is no function")
        module.declare("void @_Unwind_Resume(ptr)")
        thrown = new_name("%thrown", taken)
        pick = Instruction(thrown, "extractvalue", ["extractvalue { ptr, i32 } ", end.pieces[1], ", 0"], end.records)
        call = Instruction(None, "call", ["call void @_Unwind_Resume(ptr ", thrown, ") noreturn"])
        stop = Instruction.from_text("unreachable")
        for each in (pick, call, stop):
            each.location = end.location
        block.instructions[-1:] = [pick, call, stop]


def take_some_room(g: Function) -> None:
    """Let a function that never returns have an instruction at least.

    What leads to `unreachable` only may become a function of no bytes, at the address of the next one; of two that
    begin at one address, unwinders find either.
    """
    if not any(each.terminator.opcode == "ret" for each in g.blocks):
        g.entry.instructions.insert(
            len(g.entry.instructions) - 1, Instruction.from_text('call void asm sideeffect "nop", ""()')
        )
