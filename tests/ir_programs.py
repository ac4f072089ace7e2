"""Random control flow, and random functions that LLVM's verifier accepts.

Functions are made without the analyses that are tested with them: what may be used where is found by taking blocks out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

Successors = dict[str, list[str]]
"""Block -> its successors; the first block is the entry."""

_DEBUG_INFO = """
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/src")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null}
!6 = !DILocalVariable(name: "x", scope: !3, file: !2, line: 1, type: !7)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocation(line: 2, column: 3, scope: !3)
"""


@st.composite
def control_flows(draw: st.DrawFn, *, max_blocks: int = 8, entered_again: bool = True) -> Successors:
    """Any graph of up to so many blocks: unreachable ones, endless ones, edges to oneself, several to one block.

    Args:
        entered_again: whether edges may lead to the entry, which LLVM does not allow.
    """
    count = draw(st.integers(1, max_blocks))
    names = [f"%b{number}" for number in range(count)]
    targets = st.sampled_from(names if entered_again else names[1:]) if entered_again or count > 1 else None
    after = st.just([]) if targets is None else st.lists(targets, max_size=3)
    return {name: draw(after) for name in names}


def reached(successors: Mapping[str, Sequence[str]], start: str, *, without: str | None = None) -> set[str]:
    """The blocks to which paths lead that do not touch one block; the start is among them, unless it is that block."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        block = waiting.pop()
        if block not in seen and block != without:
            seen.add(block)
            waiting += successors[block]
    return seen


@st.composite
def walks(draw: st.DrawFn, successors: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    """A run of a function that ends: the blocks it comes by, each with the number of the edge it takes; -1 at the end.

    From where no end can be reached within some steps, it goes the shortest way to one; there must be one.
    """
    distance = _distances(successors)
    block, walk = next(iter(successors)), list[tuple[str, int]]()
    choices = draw(st.lists(st.integers(0, 2), max_size=30))
    while after := successors[block]:
        place = choices[len(walk)] % len(after) if len(walk) < len(choices) else distance[block][1]
        if after[place] not in distance:
            place = distance[block][1]
        walk.append((block, place))
        block = after[place]
    return [*walk, (block, -1)]


def can_end(successors: Mapping[str, Sequence[str]]) -> bool:
    """Whether a path leads from the entry to a block that nothing follows."""
    return next(iter(successors)) in _distances(successors)


def _distances(successors: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Block -> steps to an end, and the edge to take; blocks from which none can be reached are left out."""
    found = {block: (0, -1) for block, after in successors.items() if not after}
    for steps in range(1, len(successors)):
        for block, after in successors.items():
            place = next((at for at, each in enumerate(after) if each in found), None)
            if block not in found and place is not None:
                found[block] = (steps, place)
    return found


_KINDS = ("add", "load", "call", "freeze", "select")
_EFFECTS = ("store", "store", "narrow store", "lifetime", "escape", "nothing")


@dataclass
class _Block:
    """What a block is going to be: its names first, then, when it is known what may be used where, its text."""

    kind: str
    successors: list[str]
    phis: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    invoked: str = ""


@dataclass
class _Plan:
    blocks: dict[str, _Block]
    pad: str | None

    def successors(self) -> Successors:
        return {name: block.successors for name, block in self.blocks.items()}

    def entry(self) -> str:
        return next(iter(self.blocks))

    def reaching(self, block: str, *, after: int | None) -> list[str]:
        """The values that may be used in a block after so many of its body; None: at its end."""
        successors = self.successors()
        own = self.blocks[block]
        found = ["%n", "%m", "7", "poison"]
        for name, other in self.blocks.items():
            if name == block:
                found += [*own.phis, *own.body[:after]]
            elif block not in reached(successors, self.entry(), without=name):
                found += [*other.phis, *other.body]
            if other.invoked and self._takes_normal_edge(name, block):
                found.append(other.invoked)
        return found

    def _takes_normal_edge(self, source: str, block: str) -> bool:
        """Whether no path leads to the block but over the normal edge of the invoke that ends the source."""
        cut = {**self.successors(), source: self.blocks[source].successors[1:]}
        return block not in reached(cut, self.entry())

    def incoming(self, source: str, target: str) -> list[str]:
        """The values that a phi may take."""
        found = self.reaching(source, after=None)
        block = self.blocks[source]
        return [*found, block.invoked] if block.invoked and block.successors[0] == target else found


@st.composite
def functions(draw: st.DrawFn) -> str:
    """The text of a module whose function `@f` has some blocks, with phis, slots in memory, switches, invokes,
    unreachable and endless parts, and debug records. Its values are i32; their names may need quotes, or be those of
    types too.
    """
    plan = _plan(draw)
    with_debug = draw(st.booleans())
    lines = [f"%T{number} = type {{ i32, i16 }}" for number in range(6)]
    lines += ["declare i32 @g(i32)", "declare void @escape(ptr)", "declare i32 @__gxx_personality_v0(...)"]
    lines += ["declare void @llvm.lifetime.start.p0(ptr)", "declare void @llvm.lifetime.end.p0(ptr)"]
    lines += ["@table = global [2 x ptr] [ptr @g, ptr @escape]"]
    debug = " !dbg !3" if with_debug else ""
    lines.append(f"define i32 @f(i32 %n, i32 %m, i1 %c) personality ptr @__gxx_personality_v0{debug} {{")
    for name, block in plan.blocks.items():
        lines.append(f"{name[1:]}:")
        lines += _phis(draw, plan, name)
        if name == plan.entry():
            lines += ["  %s0 = alloca i32", "  %s1 = alloca %T0", "  %s2 = alloca i32, i32 2"]
        if name == plan.pad:
            lines.append("  %lp = landingpad { ptr, i32 }\n          cleanup")
        for at, value in enumerate(block.body):
            operand = st.sampled_from(plan.reaching(name, after=at))
            if with_debug and draw(st.booleans()):
                lines.append(f"    #dbg_value(i32 {draw(operand)}, !6, !DIExpression(), !8)")
            lines.append(_effect(draw(st.sampled_from(_EFFECTS)), draw(_slots), draw(operand)))
            lines.append(
                f"  {value} = {_value(draw(st.sampled_from(_KINDS)), draw(_slots), draw(operand), draw(operand))}"
            )
        lines.append(_terminator(block, draw(st.sampled_from(plan.reaching(name, after=len(block.body))))))
    lines.append("}")
    return "\n".join(line for line in lines if line) + (_DEBUG_INFO if with_debug else "")


_slots = st.sampled_from(("%s0", "%s1", "%s2"))


def _plan(draw: st.DrawFn) -> _Plan:
    count = draw(st.integers(1, 6))
    name_of = draw(st.sampled_from(("%v{}", '%"v {}"', "%T{}", "%v.{}-$")))
    names = [f"%b{number}" for number in range(count)]
    pad = "%pad" if count > 1 and draw(st.booleans()) else None
    fresh = iter([name_of.format(number) for number in range(200)])
    blocks: dict[str, _Block] = {}
    for name in [*names, *([pad] if pad else [])]:
        kinds = ["ret", "unreachable"] + (["br", "condbr", "condbr", "switch"] if count > 1 else [])
        kind = draw(st.sampled_from([*kinds, *(["invoke", "invoke"] if pad and name != pad else [])]))
        edges = {"br": 1, "condbr": 2, "switch": 3, "invoke": 1}.get(kind, 0)
        after = [draw(st.sampled_from(names[1:])) for _ in range(edges)]
        block = _Block(kind, after)
        if kind == "invoke" and pad:
            block.successors.append(pad)
            block.invoked = next(fresh)
        block.body = [next(fresh) for _ in range(draw(st.integers(0, 3)))]
        blocks[name] = block
    plan = _Plan(blocks, pad)
    for name, block in blocks.items():
        if any(name in other.successors for other in blocks.values()):
            block.phis = [next(fresh) for _ in range(draw(st.integers(0, 2)))]
    return plan


def _phis(draw: st.DrawFn, plan: _Plan, block: str) -> list[str]:
    lines = []
    for phi in plan.blocks[block].phis:
        incoming = []
        for source, other in plan.blocks.items():
            value = draw(st.sampled_from(plan.incoming(source, block)))
            incoming += [f"[ {value}, {source} ]"] * other.successors.count(block)
        lines.append(f"  {phi} = phi i32 {', '.join(incoming)}")
    return lines


def _value(kind: str, slot: str, one: str, other: str) -> str:
    return {
        "add": f"add nsw i32 {one}, {other}",
        "load": f"load i32, ptr {slot}, align 4",
        "call": f"call i32 @g(i32 noundef {one})",
        "freeze": f"freeze i32 {one}",
        "select": f"select i1 %c, i32 {one}, i32 {other}",
    }[kind]


def _effect(kind: str, slot: str, value: str) -> str:
    return {
        "store": f"  store i32 {value}, ptr {slot}, align 4",
        "narrow store": f"  store i16 3, ptr {slot}, align 2",
        "lifetime": f"  call void @llvm.lifetime.start.p0(ptr {slot})",
        "escape": "  call void @escape(ptr %s2)",
        "nothing": "",
    }[kind]


def _terminator(block: _Block, operand: str) -> str:
    to = [f"label {name}" for name in block.successors]
    first, last = (to[0], to[-1]) if to else ("", "")
    cases = " ".join(f"i32 {number}, {each}" for number, each in enumerate(to[1:]))
    text = {
        "ret": f"ret i32 {operand}",
        "unreachable": "unreachable",
        "br": f"br {first}",
        "condbr": f"br i1 %c, {', '.join(to)}",
        "switch": f"switch i32 {operand}, {first} [ {cases} ]",
        "invoke": f"{block.invoked} = invoke i32 @g(i32 {operand}) to {first} unwind {last}",
    }
    return "  " + text[block.kind]
