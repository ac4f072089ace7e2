"""What LLVM itself says of a module: dominators, control flow, loops, frequencies and calls, by its own printers.

Names of functions are without sigil, names of blocks with it. Of functions whose names are so long that LLVM cuts them
short in file names, some may be missing.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sonde.ir.names import quoted

_SCRIPT = Path(__file__).parent / "oracles/llvm_printers.py"
_TITLE = re.compile(r'digraph "([A-Za-z ]+) for \'(.*)\' function"')
_NODE = re.compile(r'\t(Node0x\w+) \[.*label="\{(.*)\}"\];')
_EDGE = re.compile(r"\t(Node0x\w+)(?::s[0-9]+)? -> (Node0x\w+);")
_PORTS = re.compile(r"(?<!\\)\|.*")
_ROOT = "Post dominance root node"
_LOOP = re.compile(r"Analyzing Loop for deletion: (?:Parallel )?Loop at depth ([0-9]+) containing: (.*)")
_FREQUENCY = re.compile(r" - (\S+): float = ([^,]+), int = ")

Tree = dict[str, str | None]
"""Block -> its parent."""


class Graphs(NamedTuple):
    """What LLVM draws of each function, by its name."""

    dominators: dict[str, Tree]
    """Unreachable blocks are left out."""
    post_dominators: dict[str, Tree]
    """Blocks have no parent where the paths from them end differently."""
    control_flows: dict[str, dict[str, list[str]]]
    """Block -> successors, in order."""


def graphs(module: str) -> Graphs:
    """The dominator trees and the control flow of a module's functions."""
    found = Graphs({}, {}, {})
    with TemporaryDirectory() as folder:
        _run(module, Path(folder), ["dom_only_printer", "post_dom_only_printer", "cfg_only_printer"])
        for path in Path(folder).glob("*.dot"):
            text = path.read_text()
            title = _TITLE.match(text)
            assert title
            labels, edges = _read(text)
            kind, name, nodes = title[1], title[2], {node: _with_sigil(label) for node, label in labels.items()}
            if kind == "CFG":
                found.control_flows[name] = _named(nodes, edges)
            else:
                trees = {"Dominator tree": found.dominators, "Post dominator tree": found.post_dominators}
                trees[kind][name] = _tree(nodes, edges)
    return found


def call_graph(module: str) -> dict[str, set[str]]:
    """Function -> functions that it calls by name."""
    with TemporaryDirectory() as folder:
        _run(module, Path(folder), ["dot_call_graph_printer"])
        [path] = Path(folder).glob("*.callgraph.dot")
        nodes, edges = _read(path.read_text())
    return {caller: set(callees) for caller, callees in _named(nodes, edges).items()}


def simplified_loops(module: str) -> tuple[str, list[dict[str, set[str]]]]:
    """The module with simplified loops, and all its loops: the blocks at each of them, by what they are.

    A loop has `blocks`, `header`, `latch`, `exiting`, and its `depth` as a number.
    """
    with TemporaryDirectory() as folder:
        # What deletes loops prints them, as they are before: here for the third time, when nothing is left to delete.
        text, _ = _run(module, Path(folder), ["loop_simplify", "loop_deletion", "loop_deletion"])
        again, printed = _run(text, Path(folder), ["loop_deletion"], debug_types="loop-delete")
    assert _body(again) == _body(text), "a loop was deleted or changed while all were printed"
    return text, [_loop(*match.groups()) for match in _LOOP.finditer(printed)]


def block_frequencies(module: str) -> tuple[str, dict[str, dict[str, float]]]:
    """The module with named blocks, and function -> block -> how often it runs for each call."""
    with TemporaryDirectory() as folder:
        text, printed = _run(module, Path(folder), ["instruction_namer", "cfg_only_printer"], debug_types="block-freq")
    found: dict[str, dict[str, float]] = {}
    for part in printed.split("block-frequency-info: ")[1:]:
        name, _, rest = part.partition("\n")
        listed = rest.partition("\n\n")[0]
        found[name] = {f"%{block}": float(value) for block, value in _FREQUENCY.findall(listed)}
    return text, found


def _run(module: str, folder: Path, passes: Sequence[str], debug_types: str = "-") -> tuple[str, str]:
    """The module after the passes, and what was printed."""
    path = folder / "module.ll"
    path.write_text(module)
    command = [sys.executable, str(_SCRIPT), str(path), debug_types, *passes]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def _tree(nodes: dict[str, str], edges: list[tuple[str, str]]) -> Tree:
    tree: Tree = {block: None for block in nodes.values() if block != _ROOT}
    for parent, children in _named(nodes, edges).items():
        for child in children:
            tree[child] = None if parent == _ROOT else parent
    return tree


def _with_sigil(label: str) -> str:
    """A block's name from a label, where only numbers have their sigil."""
    return label if label.startswith("%") or label == _ROOT else quoted("%", label)


def _read(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    nodes = {}
    for node, label in _NODE.findall(text):
        nodes[node] = re.sub(r"\\(.)", r"\1", _PORTS.sub("", label))
    return nodes, _EDGE.findall(text)


def _named(nodes: dict[str, str], edges: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in nodes.values()}
    for source, target in edges:
        found[nodes[source]].append(nodes[target])
    return found


def _loop(depth: str, listed: str) -> dict[str, set[str]]:
    loop: dict[str, set[str]] = {"depth": {depth}, "blocks": set()}
    for block in re.findall(r'%(?:"[^"]*"|[^<,]+)(?:<[a-z]+>)*', listed):
        name, *words = block.replace(">", "").split("<")
        loop["blocks"].add(name)
        for word in words:
            loop.setdefault(word, set()).add(name)
    return loop


def _body(module: str) -> str:
    """Its text without comments, which depend on the order in which edges were made."""
    return re.sub(r" *; preds = .*", "", module[module.index("\n") :])
