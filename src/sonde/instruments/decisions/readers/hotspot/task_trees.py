"""The trees of one compilation, from what the compilers wrote into its task."""

from collections.abc import Iterable, Mapping

from sonde.instruments.decisions.model import Decision, Outcome, Phase, Place, Position, Trees, Value
from sonde.instruments.decisions.readers.hotspot.attributes import UNSTABLE, number_of, value_of
from sonde.instruments.decisions.readers.hotspot.call_tree import CALLS, CallTree
from sonde.instruments.decisions.readers.hotspot.elements import Element, elements
from sonde.instruments.decisions.readers.hotspot.log_index import Trap
from sonde.instruments.decisions.readers.hotspot.loop_shapes import LoopShapes
from sonde.instruments.decisions.readers.hotspot.method_names import TaskNames, whole_name, without_address


def task_trees(text: bytes, traps: Iterable[Trap] = (), end: Mapping[str, str] | None = None) -> Trees:
    """Build the trees of a task.

    Args:
        text: from its `<task` to its `</task>`.
        traps: where the code was left while the program ran.
        end: of its `<make_not_entrant>`, if it was given up.
    """
    builder = _Builder()
    for element in elements(text):
        builder.take(element)
    return builder.trees(traps, end)


_NAMING = frozenset({"type", "klass", "method"})
_PASSED_OVER = frozenset(
    # Numbers of the profile and of the graph that differ from run to run, and what only repeats other elements.
    {"branch", "code_cache", "parse_done", "phase_done", "predicted_call", "nmethod", "writer", "bc_done", "switch"}
)
_ELIMINATIONS = {
    "eliminate_allocation": ("EscapeAnalysis", "AllocationElimination"),
    "eliminate_boxing": ("EscapeAnalysis", "BoxingElimination"),
    "eliminate_boxing_node": ("EscapeAnalysis", "BoxingElimination"),
    "eliminate_lock": ("EscapeAnalysis", "LockElimination"),
    "eliminate_lock_set": ("EscapeAnalysis", "LockElimination"),
    "replace_string_concat": ("StringConcatenation", "Replacement"),
}


class _Builder:
    def __init__(self) -> None:
        self._names = TaskNames()
        self._about: Mapping[str, str] = {}
        self._done: Mapping[str, str] = {}
        self._calls = CallTree(self._names)
        self._phases = Phase("HotSpot")
        self._open: list[Phase] = []
        self._pending: tuple[Element, list[Place]] | None = None
        """An element that holds the places that it is about."""
        self._loops = LoopShapes()
        self._seen_assumptions: set[tuple[str, tuple[tuple[str, Value], ...]]] = set()

    def trees(self, traps: Iterable[Trap], end: Mapping[str, str] | None) -> Trees:
        """What was built."""
        root = self._calls.finish(self._about)
        size, inlined = self._done.get("nmsize"), self._done.get("inlined_bytes")
        if size not in (None, "0"):
            about = f"machine code of {size} bytes" + (f", {inlined} bytes of bytecode inlined" if inlined else "")
            root.reasons = (*root.reasons, about)
        later = _at_run_time(traps, end)
        if later.children:
            self._phases.children.append(later)
        return Trees(root, self._phases)

    def take(self, element: Element) -> None:
        """The next element."""
        name, attributes = element.name, element.attributes
        if not element.opens:
            self._close(name)
        elif name in _NAMING:
            self._names.learn(name, attributes)
        elif name == "jvms":
            self._take_place(attributes)
        elif name in _PASSED_OVER:
            pass
        elif name in CALLS:
            decision = self._calls.take(name, attributes)
            if decision is not None:
                self._add(decision)
        elif name in ("loop", "loop_tree"):
            self._loops.open(name, attributes)
            if element.closes:
                self._close(name)
        else:
            self._take_other(element)

    # -- what opens and closes

    def _close(self, name: str) -> None:
        if name == "parse":
            self._calls.end_code()
        elif name == "phase" and self._open:
            self._open.pop()
        elif name in ("loop", "loop_tree"):
            shape = self._loops.close(name)
            if shape is not None:
                self._add(Decision("Loops", "Shape", (), tuple(shape), "analysis"))
        elif self._pending is not None and self._pending[0].name == name:
            element, places = self._pending
            self._pending = None
            if name == "late_inline":
                self._calls.begin_late(element.attributes, places)
            else:
                self._decide(element, tuple(places))

    def _take_place(self, attributes: Mapping[str, str]) -> None:
        if self._pending is not None:
            method = self._names.method(attributes.get("method", ""))
            self._pending[1].append(Place(method or "unknown", number_of(attributes, "bci")))

    def _take_other(self, element: Element) -> None:
        name, attributes = element.name, element.attributes
        match name:
            case "task":
                self._about = attributes
            case "task_done":
                self._done = attributes
            case "parse":
                if self._calls.begin_code(attributes, self._about):
                    self._begin_again()
            case "bc":
                self._calls.begin_bytecode(attributes)
            case "phase":
                phase = Phase(attributes.get("name", "?"))
                self._here().children.append(phase)
                self._open.append(phase)
            case _ if not element.closes:
                self._pending = (element, [])
            case "late_inline":
                self._calls.begin_late(attributes, [])
            case _:
                self._decide(element, None)

    # -- decisions

    def _begin_again(self) -> None:
        """With fewer optimizations: what was decided is void."""
        retries = [each for each in self._phases.children if isinstance(each, Decision)]
        self._phases = Phase(self._phases.name, [*retries, Decision("Compilation", "Restart")])
        self._open = []
        self._loops, self._seen_assumptions = LoopShapes(), set()

    def _here(self) -> Phase:
        return self._open[-1] if self._open else self._phases

    def _add(self, decision: Decision) -> None:
        """Put a decision where it belongs: into the phase that the log has open, or into one of ours."""
        if self._open:
            self._open[-1].children.append(decision)
            return
        name = self._calls.phase
        last = self._phases.children[-1] if self._phases.children else None
        if not isinstance(last, Phase) or last.name != name:
            last = Phase(name)
            self._phases.children.append(last)
        last.children.append(decision)

    def _decide(self, element: Element, places: Position | None) -> None:
        name, attributes = element.name, element.attributes
        here = places or self._calls.here(attributes)
        match name:
            case "uncommon_trap":
                if not self._calls.is_parsing and "bci" in attributes and "method" in attributes:
                    method = self._names.method(attributes["method"]) or "unknown"
                    here = (Place(method, number_of(attributes, "bci")),)
                shown = self._named(attributes, leave_out={"bci", "reason", "method"})
                self._add(Decision("UncommonTrap", attributes.get("reason", "?"), here, shown))
            case "dependency":
                self._assume(attributes)
            case "failure":
                self._add_at_top(Decision("Compilation", "Failure", (), self._named(attributes), "missed"))
            case "regalloc":
                self._add(Decision("RegisterAllocation", "Allocation", (), self._named(attributes), "analysis"))
            case "observe":
                self._add(Decision("Observation", _word(attributes), here, (), "analysis"))
            case "cast_up":
                shown = self._named(attributes, leave_out={"reason"})
                self._add(Decision("ProfiledCast", attributes.get("reason", "?"), here, shown))
            case _ if name in _ELIMINATIONS:
                self._add(Decision(*_ELIMINATIONS[name], here, self._named(attributes)))
            case _:
                # New since this was written, or rare: kept as it is.
                outcome: Outcome = "missed" if "fail" in name else "analysis"
                self._add(Decision(name, "", here, self._named(attributes, leave_out={"bci"}), outcome))

    def _add_at_top(self, decision: Decision) -> None:
        self._phases.children.append(decision)

    def _assume(self, attributes: Mapping[str, str]) -> None:
        """Something that must stay true. That methods are not redefined is assumed of all, and is left out."""
        kind = attributes.get("type", "?")
        if kind == "evol_method":
            return
        shown: list[tuple[str, Value]] = []
        for key, value in attributes.items():
            if key != "type":
                named = self._names.method(value) or self._names.type(value)
                shown.append(("context" if key == "ctxk" else key, without_address(named)))
        if (kind, tuple(shown)) not in self._seen_assumptions:
            self._seen_assumptions.add((kind, tuple(shown)))
            self._add(Decision("Assumption", kind, (), tuple(shown)))

    def _named(self, attributes: Mapping[str, str], leave_out: Iterable[str] = ()) -> tuple[tuple[str, Value], ...]:
        """Attributes as properties, with names for the numbers of classes and methods."""
        left_out = UNSTABLE | set(leave_out)
        return tuple((key, self._value(key, value)) for key, value in attributes.items() if key not in left_out)

    def _value(self, key: str, text: str) -> Value:
        if key in _OF_TYPES:
            return without_address(self._names.type(text))
        method = self._names.method(text) if key in _OF_METHODS else None
        return value_of(text) if method is None else without_address(method)


_OF_TYPES = frozenset({"klass", "type", "from", "to"})
_OF_METHODS = frozenset({"method", "caller", "callee"})


def _at_run_time(traps: Iterable[Trap], end: Mapping[str, str] | None) -> Phase:
    """What the log says of the code after it was installed."""
    phase = Phase("AtRunTime")
    counts: dict[Decision, int] = {}
    for trap in traps:
        position = tuple(Place(whole_name(method), bci) for method, bci in trap.places)
        decision = Decision("Deoptimization", trap.reason, position, (("action", trap.action),))
        counts[decision] = counts.get(decision, 0) + 1
    for decision, times in counts.items():
        properties = (*decision.properties, ("times", times))
        phase.children.append(Decision(decision.name, decision.event, decision.position, properties))
    if end is not None:
        reason: tuple[tuple[str, Value], ...] = (("reason", end["reason"]),) if "reason" in end else ()
        phase.children.append(Decision("Code", "MadeNotEntrant", (), reason, "analysis"))
    return phase


def _word(attributes: Mapping[str, str]) -> str:
    return attributes.get("trap") or attributes.get("that") or "?"
