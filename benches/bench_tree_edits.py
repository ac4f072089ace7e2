"""How long it takes to find the cheapest edits of two trees, by the shape of the trees.

    python benches/bench_tree_edits.py          by shape, trees of 10,000 nodes: about a minute
    python benches/bench_tree_edits.py twin     300 nodes: the plain Python twin, zss and apted if installed

Times are medians of rounds with a 95 % interval; other programs are ratios of interleaved rounds. Seeds are fixed.
zss (Zhang and Shasha) and apted solve a harder problem, in which inner nodes come and go: they show what a general
tool costs, not that it is slow.
"""

import importlib
import random
import statistics
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

from ratios import median_interval, ratio
from sonde import native
from sonde.instruments.decisions.deltas import EditPolicy, difference
from sonde.native.reference_tree_edits import reference_tree_edits

Columns = tuple["array[int]", "array[int]", "array[int]"]
NODES, ROUNDS = 10_000, 15
SMALL = 300


class Node:
    """A node to be put together."""

    def __init__(self, label: int) -> None:
        self.label = label
        self.children: list[Node] = []


NO_GROUP: EditPolicy[Node] = EditPolicy(lambda node: node.label, lambda _: None, lambda node: node.children)
ONE_GROUP: EditPolicy[Node] = EditPolicy(lambda node: node.label, lambda _: 0, lambda node: node.children)


def grown(draw: random.Random, nodes: int, labels: int, reach: float = float("inf")) -> Node:
    """A random tree: each node below any other, or below one of the last `reach` or so."""
    made = [Node(0)]
    for number in range(1, nodes):
        parent = draw.randrange(number) if reach > nodes else max(0, number - 1 - int(draw.expovariate(1 / reach)))
        made.append(Node(draw.randrange(labels)))
        made[parent].children.append(made[-1])
    return made[0]


def every(root: Node) -> list[Node]:
    """All nodes, in preorder."""
    found, pending = [], [root]
    while pending:
        found.append(pending.pop())
        pending.extend(reversed(found[-1].children))
    return found


def edited(draw: random.Random, nodes: int, labels: int, edits: int) -> Node:
    """The tree that `grown` makes of an equal generator, with leaves added and labels changed."""
    root = grown(draw, nodes - edits // 2, labels)
    made = every(root)
    for number in range(edits):
        if number % 2:
            draw.choice(made).children.insert(0, Node(draw.randrange(labels)))
        else:
            draw.choice(made).label = draw.randrange(labels)
    return root


def flat(labels: Sequence[int]) -> Node:
    """A root with a leaf for each label."""
    root = Node(0)
    root.children = [Node(label) for label in labels]
    return root


def chain(labels: Sequence[int]) -> Node:
    """One below the other."""
    root = node = Node(0)
    for label in labels:
        node.children = [Node(label)]
        node = node.children[0]
    return root


def groups(draw: random.Random, width: int, depth: int, labels: int) -> Node:
    """A root with `width` chains."""
    root = Node(0)
    root.children = [chain([draw.randrange(labels) for _ in range(depth - 1)]) for _ in range(width)]
    return root


def columns(root: Node, *, grouped: bool) -> Columns:
    """As the core takes a tree; `grouped`: all nodes are of one group."""
    made = every(root)
    sizes = {id(node): 1 for node in made}
    for node in reversed(made):
        sizes[id(node)] += sum(sizes[id(child)] for child in node.children)
    of_groups = array("i", [0 if grouped else -1]) * len(made)
    return array("i", (sizes[id(node)] for node in made)), array("i", (node.label for node in made)), of_groups


def pairs(nodes: int) -> Iterator[tuple[str, Node, Node, bool]]:
    """Shapes: name, two trees, whether any two nodes may be matched."""
    for labels in (2, 100):
        for name, reach in (("random", float("inf")), ("random, deep", 5.0)):
            left, right = (grown(random.Random(seed), nodes, labels, reach) for seed in (1, 2))
            yield f"{name}, {labels} labels", left, right, False
            yield f"{name}, {labels} labels, one group", left, right, True
    for edits in (10, 100, 1000):
        left, right = grown(random.Random(3), nodes, 100), edited(random.Random(3), nodes, 100, edits)
        yield f"random, {edits} edits", left, right, False
    for labels in (2, 100, nodes):
        draw = random.Random(4)
        left, right = (flat([draw.randrange(labels) for _ in range(nodes - 1)]) for _ in range(2))
        yield f"flat, {labels} labels", left, right, False
        yield f"flat, {labels} labels, one group", left, right, True
    draw = random.Random(5)
    left = flat([draw.randrange(100) for _ in range(nodes - 1)])
    right = flat([node.label if draw.random() > 0.01 else draw.randrange(100) for node in left.children])
    yield "flat, 1 % changed", left, right, False
    left, right = (chain([draw.randrange(5) for _ in range(nodes - 1)]) for _ in range(2))
    yield "chain, one group", left, right, True
    for width in (nodes // 100, nodes // 3):
        left, right = (groups(draw, width, (nodes - 1) // width, 10) for _ in range(2))
        yield f"{width} chains, 10 labels", left, right, False
        yield f"{width} chains, 10 labels, one group", left, right, True


def seconds(run: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def in_milliseconds(times: Sequence[float]) -> str:
    """Median and interval."""
    low, high = median_interval(times)
    return f"{1e3 * statistics.median(times):.1f} [{1e3 * low:.1f}, {1e3 * high:.1f}]"


def shapes() -> Iterator[str]:
    """The core alone, and the delta tree with all that Python does for it."""
    yield "| trees of 10,000 nodes | cost | core, ms | delta tree, ms |"
    yield "|---|---|---|---|"
    for name, left, right, grouped in pairs(NODES):
        ours, theirs = columns(left, grouped=grouped), columns(right, grouped=grouped)
        policy = ONE_GROUP if grouped else NO_GROUP
        of_core, of_delta = [], []
        for _ in range(ROUNDS):
            of_core.append(seconds(lambda: native.tree_edits(*ours, *theirs)))  # noqa: B023
            of_delta.append(seconds(lambda: difference(left, right, policy)))  # noqa: B023
        cost = native.tree_edits(*ours, *theirs)[0]
        yield f"| {name} | {cost:,} | {in_milliseconds(of_core)} | {in_milliseconds(of_delta)} |"


def installed(name: str) -> ModuleType | None:
    """A module, if it is there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def others(left: Node, right: Node) -> Iterator[tuple[str, Callable[[], object]]]:
    """Other programs, if they are installed."""
    zss = installed("zss")
    if zss is not None:
        yield (
            "zss",
            lambda: zss.simple_distance(
                left, right, lambda node: node.children, lambda node: node.label, lambda a, b: a != b
            ),
        )
    apted = installed("apted")
    if apted is not None:
        config = type(
            "Config",
            (apted.Config,),
            {"rename": lambda _, a, b: a.label != b.label, "children": lambda _, node: node.children},
        )
        yield "apted", lambda: apted.APTED(left, right, config()).compute_edit_distance()


def twin() -> Iterator[str]:
    """How much longer others take, for small trees."""
    yield f"| trees of {SMALL} nodes | twin / core | others / core |"
    yield "|---|---|---|"
    for name, left, right, grouped in pairs(SMALL):
        ours, theirs = columns(left, grouped=grouped), columns(right, grouped=grouped)
        runs = {"twin": lambda: reference_tree_edits(*ours, *theirs), **dict(others(left, right))}  # noqa: B023
        times: dict[str, list[float]] = {each: [] for each in ("core", *runs)}
        for _ in range(5):
            times["core"].append(seconds(lambda: native.tree_edits(*ours, *theirs)))  # noqa: B023
            for each, run in runs.items():
                times[each].append(seconds(run))
        found = {each: str(ratio(times[each], times["core"])) for each in runs}
        rest = ", ".join(f"{each} {text}" for each, text in found.items() if each != "twin") or "none installed"
        yield f"| {name} | {found['twin']} | {rest} |"


def main() -> None:
    """Print a table."""
    for line in twin() if "twin" in sys.argv[1:] else shapes():
        print(line, flush=True)


if __name__ == "__main__":
    main()
