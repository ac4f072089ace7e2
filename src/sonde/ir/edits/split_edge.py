"""Putting a block onto an edge."""

from sonde.ir.block import Block
from sonde.ir.edits.branches import drop_one_entry, jump_to, predecessors
from sonde.ir.edits.new_names import new_local
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.operands import result_type
from sonde.ir.phi import incoming_of, make_phi, phi_type, set_incoming

_SPLITTABLE = ("br", "switch", "invoke")


def split_edge(
    function: Function, source: Block, target: Block, occurrence: int | None = 0, *, taken: set[str] | None = None
) -> Block:
    """Put a new block, which only jumps on, between a block and one that may follow it.

    An exception's way into a landing pad is split too: the pad is taken apart, so that the new block and another
    one, for all other ways in, receive the exception, and a phi in the old place hands it on.

    Args:
        occurrence: which edge, where several lead from `source` to `target`: 0 for the first; None: all of them.
        taken: the function's local names, if the caller keeps them for many edits; changed.
    Returns: the new block.
    Raises:
        ValueError: there is no such edge, or it cannot be split: those of `indirectbr` go to addresses, those of
            `callbr` are known to assembler text, and pads other than `landingpad` cannot be shared.
    Guarantee: the function does what it did, and verifies if it did. What `!llvm.loop` says stays with the loop when
        the edge is the only one of its block, or leads back to it; else hints may be lost, never gained.
    Cost: a look at every block's terminator, and at all names unless `taken` is given.
    """
    if reason := why_not_split_edge(source, target, occurrence or 0):
        raise ValueError(f"cannot split the edge from {source.name} to {target.name}: {reason}")
    taken = function.local_names() if taken is None else taken
    name = new_local(function, source.name, "edge", taken)
    terminator = source.terminator
    new = Block(name, [jump_to(target.name, terminator.location)])
    if target.is_landing_pad:
        _share_landing_pad(function, source, target, new, taken)
    else:
        for phi in target.phis():
            value, others = drop_one_entry(incoming_of(phi), source.name)
            if occurrence is None:
                others = [each for each in others if each[1] != source.name]
            set_incoming(phi, [*others, (value, name)])
    _retarget(terminator, target.name, name, occurrence)
    loop = terminator.pieces[-1].partition(", !llvm.loop ")[2].partition(",")[0]
    if loop and (source is target or len(terminator.successors()) == 1):
        new.terminator.pieces[-1] += f", !llvm.loop {loop}"
    function.blocks.insert(function.blocks.index(source) + 1, new)
    return new


def why_not_split_edge(source: Block, target: Block, occurrence: int = 0) -> str | None:
    """Why an edge cannot be split; None if it can."""
    if source.successors().count(target.name) <= occurrence:
        return "there is no such edge"
    opcode = source.terminator.opcode
    if opcode not in _SPLITTABLE:
        return f"a {opcode} goes there"
    if target.is_landing_pad and target.instructions[target.first_after_phis()].opcode != "landingpad":
        return f"a {target.instructions[target.first_after_phis()].opcode} must be where exceptions arrive"
    return None


def _retarget(terminator: Instruction, old: str, new: str, occurrence: int | None) -> None:
    pieces = terminator.pieces
    edges = [at for at in range(1, len(pieces), 2) if pieces[at] == old and pieces[at - 1].endswith("label ")]
    for at in edges if occurrence is None else (edges[occurrence],):
        pieces[at] = new


def _share_landing_pad(function: Function, source: Block, target: Block, new: Block, taken: set[str]) -> None:
    """Let exceptions from `source` arrive in `new`, all others in one more block, and both go on to `target`."""
    at = target.first_after_phis()
    pad = target.instructions[at]
    assert pad.result is not None
    following = target.instructions[at + 1]
    following.records = pad.records + following.records  # a phi has none
    pad.records = ()
    others = [block for block in predecessors(function, target.name) if block is not source]
    if not others:
        for phi in target.phis():
            value, _ = drop_one_entry(incoming_of(phi), source.name)
            set_incoming(phi, [(value, new.name)])
        new.instructions.insert(0, target.instructions.pop(at))
        return
    rest = Block(new_local(function, target.name, "pad", taken), [jump_to(target.name, pad.location)])
    for place, phi in enumerate(target.phis()):
        value, remaining = drop_one_entry(incoming_of(phi), source.name)
        assert phi.result is not None
        joined = new_local(function, phi.result, "join", taken)
        rest.instructions.insert(place, make_phi(joined, phi_type(phi), remaining))
        set_incoming(phi, [(value, new.name), (joined, rest.name)])
    caught = []
    for block in (new, rest):
        copy = pad.copy()
        copy.result = new_local(function, pad.result, "pad", taken)
        block.instructions.insert(len(block.instructions) - 1, copy)
        caught.append((copy.result, block.name))
    type_ = result_type(pad, {})
    assert type_ is not None
    target.instructions[at] = make_phi(pad.result, type_, caught)
    target.instructions[at].location = pad.location
    for block in others:
        block.terminator.replace_uses({target.name: rest.name})
    function.blocks.insert(function.blocks.index(target), rest)
