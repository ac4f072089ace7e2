"""What Graal's profdiff prints after its explanation, worked out slowly.

A second opinion, with nothing of sonde's own: written plainly from what is known of the tool (its options, what it
reads, its rules and the layout of its text), so that random logs can be given to both. `profdiff` is the way in.

Numbers are the shortest decimals of doubles with halves rounded up, as Java prints them since version 21.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from pathlib import Path

from profdiff_oracle_trees import (
    Call,
    Change,
    Info,
    Json,
    Node,
    Phase,
    Trees,
    address_of,
    cheapest_changes,
    context_tree,
    fragment_trees,
    logged_calls,
    logged_phases,
    path_of,
    prune,
    remove_detailed,
    size_of,
    sort_calls,
    sort_unordered,
    value_text,
    without_key,
)

LARGEST_PRODUCT = 10_000**2


@dataclass(frozen=True)
class Options:
    """Named and set as those of the tool."""

    hot_min_limit: int = 1
    hot_max_limit: int = 10
    hot_percentile: float = 0.9
    optimization_context_tree: bool = False
    diff_compilations: bool = True
    long_bci: bool = False
    sort_inlining_tree: bool = True
    sort_unordered_phases: bool = True
    remove_detailed_phases: bool = True
    prune_identities: bool = True
    create_fragments: bool = True
    inliner_reasoning: bool = False


def profdiff(command: str, files: Sequence[Path], options: Options) -> list[str]:
    """The lines that a command prints after the explanation, from the blank one on.

    Args:
        files: the words after the command.
    """
    lines = [] if command == "aot-vs-aot" else [""]
    if command == "report":
        log, *profile = files
        run = Run(1, log, profile[0] if profile else None, None)
        run.mark_hot(options)
        return lines + run.warnings + list(_summary(run)) + list(_report(run, options))
    kinds = {"jit-vs-jit": "JIT JIT", "jit-vs-aot": "JIT AOT", "aot-vs-aot": "AOT AOT"}
    if command == "aot-vs-aot-jit-profile":
        jit, first, second = (
            Run(0, files[0], files[1], "JIT"),
            Run(1, files[2], None, "AOT"),
            Run(2, files[3], None, "AOT"),
        )
        runs, guide = [jit, first, second], jit
    else:
        one, other = kinds[command].split()
        first, second = Run(1, files[0], files[1], one), Run(2, files[2], files[3] if len(files) > 3 else None, other)
        runs, guide = [first, second], first
    for run in runs:
        if run.profile is not None:
            run.mark_hot(options)
    for run in runs:
        if run.profile is None:
            run.mark_inlined_in(guide)
    for run in runs:
        lines += [*run.warnings, *_summary(run), ""]
    return lines + list(_matched(first, second, options))


# -- runs


@dataclass(eq=False)
class Unit:
    """A compilation."""

    method: str
    name: str
    """With the key of a variant."""
    id: str
    variant: str | None
    line: bytes
    period: int = 0
    hot: bool = False

    def trees(self) -> Trees:
        document = json.loads(self.line)
        return logged_calls(document["inliningTree"]), logged_phases(document["optimizationTree"])


@dataclass(eq=False)
class Fragment:
    """A method that was inlined into a unit."""

    unit: Unit
    node: Node
    id: str
    variant: None = None

    @property
    def period(self) -> int:
        return self.unit.period

    @property
    def hot(self) -> bool:
        return self.unit.hot

    def trees(self) -> Trees:
        return fragment_trees(self.unit.trees(), address_of(self.node))


Compilation = Unit | Fragment


@dataclass(frozen=True)
class Entry:
    """A line of the profile."""

    name: str
    period: int
    id: str | None
    level: int | None


class Run:
    """One side of a comparison.

    Args:
        kind: how it was compiled; None: the profile says so.
    """

    def __init__(self, number: int, log: Path, profile: Path | None, kind: str | None) -> None:
        self.number = number
        self.methods: dict[str, list[Compilation]] = {}
        self.units: list[Unit] = []
        self.warnings: list[str] = []
        for file in log.iterdir():
            for line in filter(None, file.read_bytes().split(b"\n")):
                self._add(line)
        self.profile: Json | None = json.loads(profile.read_bytes()) if profile is not None else None
        self.entries: list[Entry] = []
        self.kind, self.total, self.execution = kind, 0, None
        if self.profile is not None:
            self.kind = self.profile["compilationKind"]
            self.total, self.execution = self.profile["totalPeriod"], self.profile.get("executionId")
            self.entries = list(map(_entry, self.profile["code"]))
        self._link()
        self.compiled = sum(unit.period for unit in self.units)

    def _add(self, line: bytes) -> None:
        document = json.loads(line)
        name = document["methodName"]
        method = without_key(name)
        variant = name[name.index("%%") + 2 : name.rindex("(")] if method != name else None
        unit = Unit(method, name, document["compilationId"], variant, line)
        self.units.append(unit)
        self.of(method).append(unit)

    def _link(self) -> None:
        by_id = {unit.id: unit for unit in self.units}
        for entry in self.entries:
            if self.kind == "AOT":
                for unit in self.units:
                    if unit.name == entry.name:
                        unit.period = entry.period
            elif entry.level == 4 and entry.id is not None:
                if entry.id in by_id:
                    by_id[entry.id].period = entry.period
                else:
                    self.warnings.append(f"Warning: Compilation ID {entry.id} not found in the optimization log")

    def of(self, method: str) -> list[Compilation]:
        """The compilations of a method; a method that is asked for is one of the run from then on."""
        return self.methods.setdefault(method, [])

    def hot_methods(self) -> list[str]:
        return [method for method, compilations in self.methods.items() if any(each.hot for each in compilations)]

    def period_of(self, method: str) -> int:
        return sum(each.period for each in self.of(method) if isinstance(each, Unit))

    def mark_hot(self, options: Options) -> None:
        limit = self.compiled * options.hot_percentile
        by_method = [each for compilations in self.methods.values() for each in compilations if isinstance(each, Unit)]
        for rank, unit in enumerate(sorted(by_method, key=lambda unit: -unit.period)):
            limit -= unit.period
            unit.hot = rank < options.hot_min_limit or (limit >= 0 and rank < options.hot_max_limit)

    def mark_inlined_in(self, guide: "Run") -> None:
        for unit in guide.units:
            for node in unit.trees()[0].preorder() if unit.hot else ():
                if node.call.inlined and node.call.name in self.methods:
                    for compilation in self.methods[node.call.name]:
                        assert isinstance(compilation, Unit)
                        compilation.hot = True


def _entry(document: Json) -> Entry:
    name, compilation = document["name"], document.get("compileId")
    _, colon, bare = name.partition(": ")
    return Entry(
        bare if colon else name,
        document["period"],
        None if compilation is None else compilation.removesuffix("%"),
        document.get("level"),
    )


# -- numbers


def rounded(value: float, width: int = 0) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        text = "NaN" if value != value else "Infinity"
    else:
        text = format(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP), "f")
    return text.rjust(width)


def share(part: int, whole: int, width: int = 0) -> str:
    if not whole:
        return ("Infinity" if part else "NaN").rjust(width)
    return rounded(part / whole * 100, width)


# -- lines about runs and compilations


def _summary(run: Run) -> Iterator[str]:
    execution = "" if run.execution is None else f" with execution ID {run.execution}"
    kind = "" if run.kind is None else f" ({run.kind})"
    yield f"Experiment {run.number}{execution}{kind}"
    yield f"    Collected optimization logs for {len(run.units)} compilation units"
    if run.profile is None:
        return
    hot = [unit.period for unit in run.units if unit.hot]
    yield f"    Collected proftool data for {len(run.entries)} compilation units"
    yield f"    Graal-compiled methods account for {share(run.compiled, run.total)}% of execution"
    yield f"    {len(hot)} hot compilation units account for {share(sum(hot), run.total)}% of execution"
    yield f"    {rounded(run.total / 1e9)} billion cycles total"
    yield "    Top methods"
    yield "        Execution     Cycles  Level      ID  Method"
    for entry in sorted(run.entries, key=lambda entry: -entry.period)[:10]:
        level, compilation = ("" if each is None else str(each) for each in (entry.level, entry.id))
        numbers = f"{share(entry.period, run.total, 8)}% {rounded(entry.period / 1e9, 10)}"
        yield f"        {numbers} {level.rjust(6)} {compilation.rjust(7)}  {entry.name}"


def _identity(run: Run, compilation: Compilation) -> str:
    text = compilation.id.rjust(5)
    if compilation.variant is not None:
        text += f" of multi-method {compilation.variant}"
    if run.profile is not None:
        of_compiled, of_all = (share(compilation.period, whole, 5) for whole in (run.compiled, run.total))
        text += f" consumed {of_compiled}% of Graal execution, {of_all}% of total"
    return text


def _list(run: Run, method: str) -> Iterator[str]:
    compilations = run.of(method)
    yield f"    In experiment {run.number}"
    if not compilations:
        yield "        No compilations"
        return
    hot = f" ({sum(each.hot for each in compilations)} of which are hot)" if run.profile is not None else ""
    yield f"        {len(compilations)} compilations{hot}"
    yield "        Compilations"
    for each in sorted(compilations, key=lambda each: -each.period):
        yield f"            {_identity(run, each)}" + (" *hot*" if each.hot and run.profile is not None else "")
        if isinstance(each, Fragment):
            before = "  |_ a fragment of "
            for name, bci in path_of(each.node):
                yield f"            {before}{value_text(name)}" + ("" if bci == -1 else f" at bci {bci}")
                before = " " * len(before)


def _title(run: Run, compilation: Compilation) -> str:
    kind = "unit" if isinstance(compilation, Unit) else "fragment"
    return f"Compilation {kind} {_identity(run, compilation)} in experiment {run.number}"


# -- lines about nodes


def _head(node: Node, options: Options) -> str:
    content = node.content
    if isinstance(content, Call):
        return f"({content.kind}) {_name(content)}" + ("" if content.bci == -1 else f" at bci {content.bci}")
    if isinstance(content, Info):
        return content.text
    if isinstance(content, Phase):
        return content.name
    text = f"{content.name} {content.event}"
    if content.position and options.long_bci:
        text += " at bci {" + ", ".join(f"{method}: {bci}" for method, bci in content.position) + "}"
    elif content.position:
        text += f" at bci {content.position[-content.enclosing][1]}"
    if content.properties:
        text += " with {" + ", ".join(f"{key}: {value_text(value)}" for key, value in content.properties) + "}"
    return text


def _name(call: Call) -> str:
    return "unknown" if call.name is None else call.name


def _reasons(call: Call, side: str) -> Iterator[str]:
    if call.kind == "root":
        return
    if not call.reasons:
        yield f"    |_ no inlining decisions{side}"
    elif len(call.reasons) == 1:
        yield f"    |_ reasoning{side}: {call.reasons[0]}"
    else:
        yield f"    |_ reasoning{side}"
        yield from (" " * 12 + reason for reason in call.reasons)


def _receivers(call: Call, side: str) -> Iterator[str]:
    if call.receivers is None:
        return
    types = call.receivers.get("profiledTypes", [])
    if not types and call.receivers["mature"]:
        return
    yield "    |_" + ("" if call.receivers["mature"] else " immature") + f" receiver-type profile{side}"
    for each in types:
        method = f" -> {each['concreteMethodName']}" if "concreteMethodName" in each else ""
        yield " " * 12 + f"{rounded(each['probability'] * 100, 5)}% {each['typeName']}{method}"


def _details(*sides: tuple[Node, str], reasons: bool) -> Iterator[str]:
    """What stands between a call and those below it: reasons of both sides, then receivers of both."""
    calls = [(node.content, side) for node, side in sides if isinstance(node.content, Call)]
    if reasons:
        for call, side in calls:
            yield from _reasons(call, side)
    for call, side in calls:
        yield from _receivers(call, side)


def _tree(node: Node, options: Options) -> Iterator[str]:
    yield _head(node, options)
    yield from _details((node, ""), reasons=options.inliner_reasoning)
    for child in node.children:
        yield from _inner(_tree(child, options))


def _change(change: Change, options: Options) -> Iterator[str]:
    left, right = change.left, change.right
    node = left or right
    assert node is not None
    if change.sign == "*":
        assert left is not None and right is not None
        one, other = left.call, right.call
        yield f"* ({one.kind} -> {other.kind}) {_name(one)} at bci {one.bci}"
    else:
        yield f"{change.sign} {_head(node, options)}"
    if left is not None and right is not None:
        turned = change.sign == "*" and left.call.inlined != right.call.inlined
        sides = ((left, " in experiment 1"), (right, " in experiment 2"))
        yield from _details(*sides, reasons=options.inliner_reasoning or turned)
    else:
        yield from _details((node, ""), reasons=options.inliner_reasoning)
    for child in change.children:
        yield from _inner(_change(child, options))


def _inner(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)


# -- lines about trees


def _prepared(compilation: Compilation, options: Options) -> Trees:
    calls, phases = compilation.trees()
    if options.sort_inlining_tree:
        sort_calls(calls)
    if options.remove_detailed_phases:
        remove_detailed(phases)
    if options.sort_unordered_phases:
        sort_unordered(phases)
    return calls, phases


def _compilation(run: Run, compilation: Compilation, options: Options) -> Iterator[str]:
    yield _title(run, compilation)
    trees = _prepared(compilation, options)
    if options.optimization_context_tree:
        yield from _inner(_tree(context_tree(trees), options))
        return
    for title, tree in zip(("Inlining tree", "Optimization tree"), trees, strict=True):
        yield f"    {title}"
        yield from _inner(_inner(_tree(tree, options)))


def _pair(first: Compilation, second: Compilation, options: Options) -> Iterator[str]:
    """What differs in two compilations."""
    one, other = _prepared(first, options), _prepared(second, options)
    if options.optimization_context_tree:
        yield from _compared("", "optimization-context", context_tree(one), context_tree(other), options)
    else:
        yield from _compared("Inlining tree matching", "inlining", one[0], other[0], options)
        yield from _compared("Optimization tree matching", "optimization", one[1], other[1], options)


def _compared(title: str, kind: str, left: Node, right: Node, options: Options) -> Iterator[str]:
    if size_of(left) * size_of(right) > LARGEST_PRODUCT:
        yield f"The {kind} trees are too big to compare"
        return
    change = cheapest_changes(left, right)
    lines: Iterator[str] = iter(["There are no differences"])
    if change.differs or not options.prune_identities:
        if options.prune_identities:
            prune(change)
        lines = _change(change, options)
    if title:
        yield title
    yield from _inner(lines) if title else lines


# -- commands


def _report(run: Run, options: Options) -> Iterator[str]:
    for method in sorted(run.methods, key=lambda method: -run.period_of(method)):
        shown = [each for each in run.of(method) if each.hot or run.profile is None]
        if shown:
            yield ""
            yield f"Method {method}"
            yield from _list(run, method)
        for each in shown:
            yield from _inner(_inner(_compilation(run, each, options)))


def _matched(first: Run, second: Run, options: Options) -> Iterator[str]:
    if options.create_fragments:
        _create_fragments(first, second)
    methods = dict.fromkeys([*first.hot_methods(), *second.hot_methods()])
    blank = False
    for method in sorted(methods, key=lambda method: -(first.period_of(method) + second.period_of(method))):
        if blank:
            yield ""
        blank = True
        hot = [[each for each in run.of(method) if each.hot] for run in (first, second)]
        only = "" if all(hot) else f" is hot only in experiment {1 if hot[0] else 2}"
        yield f"Method {method}{only}"
        yield from _list(first, method)
        yield from _list(second, method)
        if not options.diff_compilations:
            for run, compilations in zip((first, second), hot, strict=True):
                for each in compilations:
                    yield from _inner(_compilation(run, each, options))
            continue
        by_period = [sorted(compilations, key=lambda each: -each.period) for compilations in hot]
        for one in by_period[0]:
            for other in by_period[1]:
                if isinstance(one, Unit) or isinstance(other, Unit):
                    yield f"    {_title(first, one)} vs"
                    yield f"    {_title(second, other)}"
                    yield from _inner(_inner(_pair(one, other, options)))


def _create_fragments(first: Run, second: Run) -> None:
    hot = dict.fromkeys([*first.hot_methods(), *second.hot_methods()])
    numbers = count(1)
    for method in hot:
        for run in (first, second):
            run.of(method)  # where it is not, it is last
    for method in hot:
        for run in (first, second):
            units = [each for each in run.of(method) if isinstance(each, Unit) and each.hot]
            for unit in units:
                _, *below = unit.trees()[0].preorder()
                for node in below:
                    name = node.call.name
                    if node.call.inlined and name in hot:
                        run.of(name).append(Fragment(unit, node, f"{unit.id}#{next(numbers)}"))
