"""Another way through an invoke, for a frame that comes back to it with part of what it calls already done.

    block:         ...                         block:        ...
      %r = invoke @g(...) to %fine               br i1 false, label %detour, label %block.split
           unwind %caught                      block.split:
                                                 %r = invoke @g(...) to %edge unwind %caught
                                               detour:
                                                 %r.1 = invoke @g.back(...) to %edge unwind %caught
                                               edge:
                                                 %r.2 = phi [ %r, %block.split ], [ %r.1, %detour ]
                                                 br label %fine

In a loop, the original invoke is what the frame comes to next time.
"""

from collections.abc import Sequence
from dataclasses import replace

from sonde.ir import Block, Function, Instruction, Parameter, call_site, incoming_of, set_incoming
from sonde.ir.analyses import Place
from sonde.ir.edits import add_phi, cut_block, replace_all_uses, split_edge
from sonde.ir.names import fresh_name
from sonde.osr.signature import LiveValue


def call_text(return_type: str, callee: str, passed: Sequence[tuple[str, str]]) -> list[str]:
    """`type @callee(type value, ...)`, in pieces of an instruction.

    Args:
        passed: type and text of each argument.
    """
    pieces = [f"{return_type} {callee}("]
    for number, (type_, text) in enumerate(passed):
        pieces[-1] += f"{', ' if number else ''}{type_} "
        if text.startswith("%"):
            pieces += [text, ""]
        else:
            pieces[-1] += text
    pieces[-1] += ")"
    return pieces


def add_detour(f: Function, place: Place, callee: str, passed: Sequence[LiveValue]) -> Place:
    """Let a function have a detour round an invoke, which it never takes by itself.

    Args:
        f: changed in place; it gets further parameters, so nothing may call it.
        place: of the invoke.
        callee: what is called instead.
        passed: the parameters that `f` gets, which are handed over.
    Returns: where the detour begins.
    Guarantee: whatever further parameters are, the function does what it did.
    Cost: some walks over the function.
    """
    taken = f.local_names()
    block = f.block(place.block)
    invoke = block.instructions[place.at]
    fine, caught = (f.block(each) for each in invoke.successors())
    edge = split_edge(f, block, fine, taken=taken)
    (split,) = cut_block(f, block, [place.at], taken=taken)
    name = fresh_name("%detour", taken)
    result = None if invoke.result is None else fresh_name(f"{name}.result", taken)
    pieces = call_text(call_site(invoke).return_type, callee, [(each.type, each.name) for each in passed])
    pieces[0] = f"invoke {pieces[0]}"
    pieces[-1] += " to label "
    pieces += [edge.name, " unwind label ", caught.name, ""]
    f.blocks.append(Block(name, [Instruction(result, "invoke", pieces)]))
    fork = Instruction(None, "br", ["br i1 false, label ", name, ", label ", split.name, ""])
    f.blocks[-1].terminator.location = fork.location = invoke.location
    block.instructions[-1] = fork
    for phi in caught.phis():
        incoming = incoming_of(phi)
        set_incoming(phi, [*incoming, *((value, name) for value, source in incoming if source == split.name)])
    if invoke.result is not None and result is not None:
        joined = add_phi(f, edge, call_site(invoke).return_type, {split.name: result, name: result}, f"{name}.joined")
        assert joined.result is not None
        replace_all_uses(f, invoke.result, joined.result)
        set_incoming(joined, [(invoke.result, split.name), (result, name)])
    further = tuple(Parameter(each.type, "", each.name) for each in passed)
    f.signature = replace(f.signature, parameters=(*f.signature.parameters, *further))
    return Place(name, 0)
