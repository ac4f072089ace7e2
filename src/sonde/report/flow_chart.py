"""The control flow of a function: blocks of code, the edges between them, and ways through them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """Code that runs from its beginning to its end."""

    amount: int
    """How often it was entered."""
    line: int
    """The first of its lines; 0: none is known."""
    lines: str
    """All of them, in words: `8-10, 14`."""
    inlined: tuple[str, ...] = ()
    """What other code is in it."""


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """That one block may follow another."""

    source: int
    target: int
    amount: int | None
    """How often it did; None: nobody knows."""
    is_exceptional: bool = False
    """Only exceptions lead there."""


@dataclass(frozen=True, slots=True)
class FlowWay:
    """A way through the blocks that was taken."""

    name: str
    amount: int
    blocks: tuple[int, ...]
    """Numbers of blocks, one after the other; the first again at the end where it is a way around a loop."""


@dataclass(frozen=True, slots=True)
class FlowChart:
    """A control-flow graph, as often as it was gone through."""

    key: str
    title: str
    file: str
    """Of the lines."""
    blocks: tuple[FlowBlock, ...]
    """In the order of the code."""
    edges: tuple[FlowEdge, ...]
    ways: tuple[FlowWay, ...] = ()
    """The most important one first: it stands out."""
    notes: tuple[str, ...] = ()
    most: int = 0
    """Blocks on paper, those entered most; 0 for all."""
    is_detail: bool = False
    """Paper has it for who asks for more (`-v`)."""
