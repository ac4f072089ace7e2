"""A function's blocks as the graph that is drawn."""

import re

from sonde.instruments.vm.graph import Edge, Graph, Node, NodeKind
from sonde.ir import Function, Instruction

_LEAVING = frozenset(("ret", "resume", "unreachable", "cleanupret"))
_CASE = re.compile(r"\S+ (-?[0-9]+|true|false), label $")
_ATTACHMENTS = re.compile(r"(?:, ![-\w.$]+ ![0-9]+)+$")


def graph_of(function: Function) -> Graph:
    """The control flow of a function that has blocks.

    Edges are labelled with when they are taken: `T` and `F`, a case's value, `default`, `unwind`. Lines are the
    instructions without their metadata.
    """
    nodes, edges = [], []
    for block in function.blocks:
        leaves = block.terminator.opcode in _LEAVING
        kind: NodeKind = "entry" if block is function.entry else "exit" if leaves else "plain"
        lines = tuple(_ATTACHMENTS.sub("", str(each)).replace("\n", " ") for each in block.instructions)
        nodes.append(Node(block.name, block.name, lines, kind=kind))
        edges += [Edge(block.name, target, label) for label, target in _labelled(block.terminator)]
    return Graph(function.name, tuple(nodes), tuple(edges), function.entry.name)


def _labelled(terminator: Instruction) -> list[tuple[str, str]]:
    targets = terminator.successors()
    match terminator.opcode:
        case "br" if len(targets) == 2:
            labels = ["T", "F"]
        case "switch":
            before = [piece for piece in terminator.pieces[::2] if piece.endswith("label ")]
            cases = [_CASE.search(piece) for piece in before[1:]]
            labels = ["default", *(case.group(1) if case else "" for case in cases)]
        case "invoke":
            labels = ["", "unwind"]
        case _:
            labels = [""] * len(targets)
    return list(zip(labels, targets, strict=True))
