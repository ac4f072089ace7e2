"""What a thread has for the paths that it takes, where code with path probes is the first that it runs."""

from sonde.ir import Block, Function, Instruction
from sonde.ir.edits import split_block
from sonde.passes.path_names import PathNames


def begin_in_thread(function: Function, slot: str, begin: str, likely: int, names: PathNames) -> Block:
    """Where a function begins, let a thread begin that has not.

    Args:
        slot: the operand of the thread's word, which is null until then.
        begin: name of the function that is called.
        likely: metadata of branches that are nearly always taken.
    Returns: the block where it has begun.
    """
    entry = function.entry
    first = next(at for at, each in enumerate(entry.instructions) if each.opcode != "alloca")
    rest = split_block(function, entry, first, taken=names.taken)
    none = Block(names.new("none"))
    here, is_some = names.new("counts"), names.new("is")
    text = Instruction.from_text
    entry.instructions[-1:] = [
        text(f"load ptr, {slot}", here),
        text(f"icmp ne ptr {here}, null", is_some),
        text(f"br i1 {is_some}, label {rest.name}, label {none.name}, !prof !{likely}"),
    ]
    none.instructions = [text(f"call preserve_mostcc void @{begin}()"), text(f"br label {rest.name}")]
    function.blocks.append(none)
    return rest
