"""The trees of Graal's log as profdiff treats them, slowly: sorted, cut into fragments, joined, compared.

Written from what is known of profdiff, with nothing of sonde's own; `profdiff_oracle` prints what comes out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Json = dict[str, Any]
Path = list[tuple[str | None, int]]
"""Root first: methods, and where each is called in the one before."""
INFINITE = 10**9
DETAILED = ("CanonicalizerPhase", "DeadCodeEliminationPhase")
UNORDERED = (
    *DETAILED,
    "PartialEscapePhase",
    "FloatingReadPhase",
    "UseTrappingNullChecksPhase",
    "ReassociationPhase",
    "ConvertDeoptimizeToGuardPhase",
    "ConditionalEliminationPhase",
)


@dataclass(frozen=True)
class Call:
    """A node of an inlining tree."""

    name: str | None
    bci: int
    kind: str
    inlined: bool
    indirect: bool
    alive: bool
    reasons: tuple[str, ...]
    receivers: Json | None


@dataclass(frozen=True)
class Optimization:
    """A leaf of an optimization tree."""

    name: str
    event: str
    position: tuple[tuple[str, int], ...]
    properties: tuple[tuple[str, object], ...]
    enclosing: int = 1
    """As many outer places of the position are methods above it in a context tree."""

    @property
    def identity(self) -> object:
        typed = frozenset((key, type(value), value) for key, value in self.properties)
        return (self.name, self.event, self.position, typed)


@dataclass(frozen=True)
class Phase:
    """A phase."""

    name: str


@dataclass(frozen=True)
class Info:
    """A title or warning in a context tree."""

    text: str


@dataclass(eq=False)
class Node:
    """A node of any tree."""

    content: Call | Optimization | Phase | Info
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)

    @property
    def call(self) -> Call:
        assert isinstance(self.content, Call)
        return self.content

    def add(self, content: Call | Optimization | Phase | Info) -> "Node":
        child = Node(content, self)
        self.children.append(child)
        return child

    def preorder(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.preorder()


Trees = tuple[Node, Node]
"""The inlining tree and the optimization tree of a compilation."""


def without_key(name: str) -> str:
    """The name of a method without the key of a variant."""
    start, key, rest = name.partition("%%")
    return start + rest[rest.rfind("(") :] if key else name


def logged_calls(document: Json, parent: Node | None = None) -> Node:
    """The inlining tree as it is in the log."""
    inner = document.get("invokes") or []
    inlined, indirect, alive = document["inlined"], document["indirect"], document["alive"]
    if parent is None:
        kind = "root"
    elif inlined:
        kind = "inlined"
    elif alive:
        kind = "indirect" if indirect else "direct"
    else:
        kind = "devirtualized" if indirect and inner else "deleted"
    reasons, receivers = tuple(document.get("reason") or ()), document.get("receiverTypeProfile")
    name = document["methodName"]
    call = Call(name and without_key(name), document["callsiteBci"], kind, inlined, indirect, alive, reasons, receivers)
    node = Node(call, parent)
    node.children = [logged_calls(each, node) for each in inner]
    return node


def logged_phases(document: Json) -> Node:
    """The optimization tree as it is in the log."""
    if "phaseName" in document:
        node = Node(Phase(document["phaseName"]))
        node.children = [logged_phases(each) for each in document["optimizations"] or ()]
        return node
    said = {key: value for key, value in document.items() if key not in ("optimizationName", "eventName", "position")}
    position = tuple((without_key(method), bci) for method, bci in (document["position"] or {}).items())
    return Node(Optimization(document["optimizationName"], document["eventName"], position, tuple(said.items())))


def value_text(value: object) -> str:
    """A property's value as Java writes it, but for very large and very small numbers."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- making ready


def units_of(text: str | None) -> tuple[bool, bytes]:
    """By what Java orders strings; null comes first."""
    return (text is not None, (text or "").encode("utf-16-be", "surrogatepass"))


def call_order(call: Call) -> tuple[object, ...]:
    return (call.bci, units_of(call.name), not call.inlined, not call.alive, -len(call.reasons))


def optimization_order(leaf: Optimization) -> tuple[object, ...]:
    position = [(units_of(method), bci) for method, bci in reversed(leaf.position)]
    properties = [(units_of(key), units_of(value_text(value))) for key, value in leaf.properties]
    return (units_of(leaf.name), units_of(leaf.event), position, properties)


def child_order(node: Node) -> tuple[object, ...]:
    """Of all kinds of nodes, also in a context tree: titles, optimizations, then phases or calls."""
    content = node.content
    if isinstance(content, Optimization):
        return (1, optimization_order(content))
    if isinstance(content, Call):
        return (2, call_order(content))
    return (2, units_of(content.name)) if isinstance(content, Phase) else (0,)


def sort_calls(root: Node) -> None:
    for node in root.preorder():
        node.children.sort(key=child_order)


def remove_detailed(root: Node) -> None:
    for node in root.preorder():
        node.children = [
            child
            for child in node.children
            if not (isinstance(child.content, Phase) and child.content.name.endswith(DETAILED))
        ]


def sort_unordered(root: Node) -> None:
    for node in root.preorder():
        if isinstance(node.content, Phase) and node.content.name.endswith(UNORDERED):
            node.children.sort(key=child_order)


# -- paths, fragments, context trees


def path_of(node: Node) -> Path:
    """Of a call; indirect calls are no part of paths."""
    above = path_of(node.parent) if node.parent is not None else []
    content = node.content
    return [*above, (content.name, content.bci)] if isinstance(content, Call) and not content.indirect else above


def enclosing_path(position: Sequence[tuple[str, int]]) -> Path:
    path: Path = []
    called_at = -1
    for method, bci in reversed(position):
        path.append((method, called_at))
        called_at = bci
    return path


def leads_through(path: Path, start: Path) -> bool:
    """Whether a path begins with another; -1 is any place."""
    return len(start) <= len(path) and all(
        one[0] == other[0] and (one[1] == other[1] or -1 in (one[1], other[1]))
        for one, other in zip(start, path, strict=False)
    )


def same_tree(one: Node, other: Node) -> bool:
    return (
        one.content == other.content
        and len(one.children) == len(other.children)
        and all(map(same_tree, one.children, other.children))
    )


def address_of(node: Node) -> list[int]:
    """Which child, again and again from the root: the first that is equal."""
    if node.parent is None:
        return []
    equal = [place for place, each in enumerate(node.parent.children) if same_tree(each, node)]
    return [*address_of(node.parent), equal[0]]


def fragment_trees(whole: Trees, address: Sequence[int]) -> Trees:
    """Cut an inlined method out of the trees of a unit."""
    top, phases = whole
    for place in address:
        top = top.children[place]
    path = path_of(top)
    for node in list(phases.preorder()):
        kept = []
        for child in node.children:
            leaf = child.content
            if isinstance(leaf, Optimization):
                if not leads_through(enclosing_path(leaf.position), path):
                    continue
                child.content = replace(leaf, position=leaf.position[: len(leaf.position) - len(path) + 1])
            kept.append(child)
        node.children = kept
    top.parent, top.content = None, replace(top.call, bci=-1, reasons=(), kind="root")
    return top, phases


def context_tree(trees: Trees) -> Node:
    """The optimization-context tree; the trees become part of it."""
    calls, phases = trees
    leaves = [node.content for node in phases.preorder() if isinstance(node.content, Optimization)]
    top = Node(Info("Optimization-context tree"))
    calls.parent = top
    top.children = [calls]
    paths = [(node, path_of(node)) for node in calls.preorder()]

    def found_at(path: Path) -> list[Node]:
        return [
            node
            for node, other in paths
            if not node.call.indirect and len(other) == len(path) and leads_through(other, path)
        ]

    warned = [node for node, path in paths if node.call.inlined and len(found_at(path)) > 1]
    for leaf in leaves:
        path = enclosing_path(leaf.position)
        lengths = [length for length in range(len(path), 0, -1) if found_at(path[:length])]
        if not lengths:
            top.add(leaf)
        else:
            for node in found_at(path[: lengths[0]]):
                node.add(replace(leaf, enclosing=lengths[0]))
    for node in warned:
        node.add(Info("Warning: Optimizations cannot be unambiguously attributed (duplicate path)"))
    for node in top.preorder():
        node.children.sort(key=child_order)
    return top


# -- comparing


@dataclass(eq=False)
class Change:
    """A node of what differs: its sign, and what it is on either side."""

    sign: str
    left: Node | None
    right: Node | None
    children: list["Change"] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        return self.sign != "." or any(child.differs for child in self.children)


def relabel_cost(one: Node, other: Node) -> int:
    """0: they are the same; infinite: the one cannot become the other."""
    match one.content, other.content:
        case Call() as first, Call() as second:
            if (first.bci, first.name) != (second.bci, second.name):
                return INFINITE
            return int(first.kind != second.kind)
        case Optimization() as first, Optimization() as second:
            return 0 if first.identity == second.identity else INFINITE
        case first, second:
            return 0 if first == second else INFINITE


def size_of(tree: Node) -> int:
    return sum(1 for _ in tree.preorder())


def cheapest_changes(left: Node, right: Node) -> Change:
    """Selkow's edits: roots are matched, children come, go or are matched; of ties the first is new, gone, matched."""
    tables: dict[tuple[int, int], list[list[int]]] = {}
    sizes = {id(node): size_of(node) for tree in (left, right) for node in tree.preorder()}

    def table(one: Node, other: Node) -> list[list[int]]:
        made = tables.get((id(one), id(other)))
        if made is None:
            gone, new = ([sizes[id(child)] for child in node.children] for node in (one, other))
            made = [[relabel_cost(one, other)]]
            for cost in new:
                made[0].append(made[0][-1] + cost)
            for row, lost in enumerate(gone):
                made.append([made[row][0] + lost])
                for column, added in enumerate(new):
                    matched = made[row][column] + table(one.children[row], other.children[column])[-1][-1]
                    made[-1].append(min(made[-1][-1] + added, made[row][column + 1] + lost, matched))
            tables[id(one), id(other)] = made
        return made

    def changes(one: Node, other: Node) -> Change:
        costs = table(one, other)
        change = Change("*" if relabel_cost(one, other) else ".", one, other)
        row, column = len(one.children), len(other.children)
        while row or column:
            here = costs[row][column]
            if column and here == costs[row][column - 1] + sizes[id(other.children[column - 1])]:
                column -= 1
                change.children.insert(0, whole("+", other.children[column]))
            elif row and here == costs[row - 1][column] + sizes[id(one.children[row - 1])]:
                row -= 1
                change.children.insert(0, whole("-", one.children[row]))
            else:
                row, column = row - 1, column - 1
                change.children.insert(0, changes(one.children[row], other.children[column]))
        return change

    def whole(sign: str, node: Node) -> Change:
        below = [whole(sign, child) for child in node.children]
        return Change(sign, node if sign == "-" else None, node if sign == "+" else None, below)

    return changes(left, right)


def prune(change: Change) -> None:
    """Leave what differs, what that is in, and titles beside it; of a change that differs."""
    change.children = [
        child for child in change.children if child.differs or (child.left and isinstance(child.left.content, Info))
    ]
    for child in change.children:
        prune(child)
