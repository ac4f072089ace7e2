"""The trees of one compilation, from what the compilers wrote into its task.

What C1 and C2 say while they parse bytecode is nested as the code that they inline:

    <parse method='1'>                       the code of a method; the first one is the root
      <bc code='185' bci='27'/>              what follows is about this bytecode
      <call method='2' virtual='1' receiver='7' receiver_count='99'/>
      <call method='3'/>                     right after a virtual call: what the profile says that it calls
      <inline_success reason='inline (hot)'/>
      <virtual_call bci='27'/>               the call itself is still there, for other receivers
      <parse method='3'> ... </parse>        the code of the call that was just decided on
    </parse>

A virtual call whose targets were guessed becomes a call site with the guessed targets as its children at the same
bytecode index, which is also how Graal's trees show it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sonde.decisions.model import (
    NO_OFFSET,
    CallSite,
    Decision,
    Outcome,
    Phase,
    Place,
    Position,
    ReceiverProfile,
    ReceiverType,
    Trees,
    Value,
)
from sonde.decisions.readers.hotspot.elements import Element, elements
from sonde.decisions.readers.hotspot.log_index import Trap
from sonde.decisions.readers.hotspot.loop_shapes import LoopShapes
from sonde.decisions.readers.hotspot.method_names import TaskNames, whole_name


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


@dataclass(slots=True)
class _Scope:
    """Code that is being parsed: a method, as inlined."""

    site: CallSite
    outer: "_Scope | None"
    callsite_bci: int = NO_OFFSET
    """In the outer scope."""
    bci: int = NO_OFFSET
    """Of the bytecode that is being parsed."""
    calls: list[tuple[str, CallSite]] = field(default_factory=list)
    """Of this bytecode, the number of the method and its site; their code may follow."""
    virtual: CallSite | None = None
    """Of this bytecode, the virtual call whose targets are being guessed."""
    undecided: CallSite | None = None
    """Of this bytecode, the last call, while nothing was said of what becomes of it."""

    def position(self, bci: int) -> Position:
        """Of a bytecode here."""
        places = [Place(self.site.method or "unknown", bci)]
        scope = self
        while scope.outer is not None:
            places.append(Place(scope.outer.site.method or "unknown", scope.callsite_bci))
            scope = scope.outer
        return tuple(places)


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
_UNSTABLE = frozenset({"debug_id", "stamp", "index", "nodes", "idx", "inline_id", "count", "total", "cnt"})
"""Attributes that say nothing of what was decided, and differ between runs that decided the same."""


class _Builder:
    def __init__(self) -> None:
        self._names = TaskNames()
        self._about: Mapping[str, str] = {}
        self._done: Mapping[str, str] = {}
        self._root: CallSite | None = None
        self._scope: _Scope | None = None
        self._phases = Phase("HotSpot")
        self._open: list[Phase] = []
        self._late: dict[str, tuple[_Scope, CallSite]] = {}
        """Calls whose code is put in later, by number, with where they are."""
        self._late_call: tuple[_Scope, CallSite] | None = None
        self._late_is_next = False
        self._pending: tuple[Element, list[Place]] | None = None
        """An element that holds the places that it is about."""
        self._loops = LoopShapes()
        self._seen_assumptions: set[tuple[str, tuple[tuple[str, Value], ...]]] = set()

    def trees(self, traps: Iterable[Trap], end: Mapping[str, str] | None) -> Trees:
        """What was built."""
        for _, site in self._late.values():
            # C2 puts such calls in later, unless they are gone by then: their results were not needed.
            site.alive, site.reasons = False, (*site.reasons, "gone before it was inlined late")
        root = self._root or CallSite(whole_name(self._about.get("method", "?")), is_root=True, inlined=True)
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
        elif name in _CALLS:
            self._take_call(name, attributes)
        elif name in ("loop", "loop_tree"):
            self._loops.open(name, attributes)
            if element.closes:
                self._close(name)
        else:
            self._take_other(element)

    # -- what opens and closes

    def _close(self, name: str) -> None:
        if name == "parse" and self._scope is not None:
            self._scope = self._scope.outer
            if self._late_call is not None and self._scope is self._late_call[0]:
                self._scope, self._late_call = None, None
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
                self._begin_late(element.attributes, places)
            else:
                self._decide(element, tuple(places))

    def _take_place(self, attributes: Mapping[str, str]) -> None:
        if self._pending is not None:
            method = self._names.method(attributes.get("method", ""))
            self._pending[1].append(Place(method or "unknown", _number(attributes, "bci")))

    def _take_other(self, element: Element) -> None:
        name, attributes = element.name, element.attributes
        match name:
            case "task":
                self._about = attributes
            case "task_done":
                self._done = attributes
            case "parse":
                self._parse(attributes)
            case "bc":
                if self._scope is not None:
                    self._scope.bci = _number(attributes, "bci")
                    self._scope.calls, self._scope.virtual, self._scope.undecided = [], None, None
            case "phase":
                phase = Phase(attributes.get("name", "?"))
                self._here().children.append(phase)
                self._open.append(phase)
            case _ if not element.closes:
                self._pending = (element, [])
            case "late_inline":
                self._begin_late(attributes, [])
            case _:
                self._decide(element, None)

    # -- calls

    def _parse(self, attributes: Mapping[str, str]) -> None:
        number = attributes.get("method", "")
        method = self._names.method(number)
        scope = self._scope
        if scope is None and self._late_call is not None and self._late_is_next:
            outer, site = self._late_call
            self._late_is_next = False
        elif scope is None:
            self._begin_root(method)
            return
        else:
            outer = scope
            site = self._called(scope, number, method)
        site.inlined, site.alive = True, False
        self._scope = _Scope(site, outer, site.at)

    def _begin_root(self, method: str | None) -> None:
        """The root; again, if the compiler began anew with fewer optimizations: what it did before is void."""
        if self._root is not None:
            retries = [each for each in self._phases.children if isinstance(each, Decision)]
            self._phases = Phase(self._phases.name, [*retries, Decision("Compilation", "Restart")])
            self._open, self._late = [], {}
            self._loops, self._seen_assumptions = LoopShapes(), set()
        name = whole_name(self._about["method"]) if "method" in self._about else method
        self._root = CallSite(name, inlined=True, is_root=True)
        self._scope = _Scope(self._root, None)

    def _called(self, scope: _Scope, number: str, method: str | None) -> CallSite:
        """The call whose code begins: the first of this bytecode to this method that has none yet.

        C1 writes the call as the bytecode says it, and the code of the method that it found to be the only one, or
        that a constant method handle leads to: then the last call is meant.
        """
        waiting = [each for each in scope.calls if each[1] is not scope.virtual or not each[1].indirect]
        for called in waiting:
            if called[0] == number:
                scope.calls.remove(called)
                return called[1]
        if waiting and waiting[-1][1].inlined:
            scope.calls.remove(waiting[-1])
            waiting[-1][1].method = method
            return waiting[-1][1]
        site = CallSite(method, scope.bci)
        scope.site.children.append(site)
        return site

    def _take_call(self, name: str, attributes: Mapping[str, str]) -> None:
        scope = self._scope
        if scope is None:
            return
        last = scope.calls[-1][1] if scope.calls else None
        if name != "call":
            scope.undecided = None
        match name:
            case "call":
                self._begin_call(scope, attributes)
            case "inline_success" | "inline_fail" if last is not None:
                self._judge(scope, last, name == "inline_success", self._reason(scope, attributes))
            case "intrinsic" if last is not None:
                last.inlined, last.alive = True, False
                last.reasons = (*last.reasons, f"intrinsic {attributes.get('id', '')}".strip())
                self._add(
                    Decision("Intrinsic", attributes.get("id", "?"), scope.position(scope.bci), _properties(attributes))
                )
            case "inline_id" if last is not None:
                self._late[attributes.get("id", "")] = (scope, last)
                last.inlined, last.alive = False, True
            case "virtual_call" if scope.virtual is not None:
                scope.virtual.alive = True
            case "direct_call" if last is not None and not last.inlined:
                last.alive = True
            case _:
                pass

    def _begin_call(self, scope: _Scope, attributes: Mapping[str, str]) -> None:
        number = attributes.get("method", "")
        site = CallSite(self._names.method(number), scope.bci)
        instruction = attributes.get("instr", "")
        site.indirect = "virtual" in attributes or instruction in ("invokevirtual", "invokeinterface")
        # Until something else is said, it is a call.
        site.alive = True
        if scope.undecided is not None and scope.undecided is not scope.virtual:
            # C2 writes the call of a method handle, and then what the handle leads to: that is the call.
            scope.calls.pop()
            (scope.virtual or scope.site).children.remove(scope.undecided)
        scope.undecided = site
        if "virtual" in attributes:
            site.receivers = self._receivers(attributes)
            scope.virtual = site
            scope.site.children.append(site)
        elif scope.virtual is not None:
            scope.virtual.children.append(site)
            scope.virtual.alive = False
        else:
            scope.site.children.append(site)
        scope.calls.append((number, site))

    def _judge(self, scope: _Scope, site: CallSite, inlined: bool, reason: str | None) -> None:
        if reason is not None:
            site.reasons = (*site.reasons, reason)
        if inlined:
            site.inlined, site.alive, site.indirect = True, False, False
        else:
            site.inlined, site.alive = False, True
            # C1 says `no static binding` where it cannot tell what is called, and other reasons where it can.
            if site is not scope.virtual and not (reason or "").startswith("no static binding"):
                site.indirect = False

    def _reason(self, scope: _Scope, attributes: Mapping[str, str]) -> str | None:
        """Why the last call was inlined or not, with the size of what it calls, which most reasons are about."""
        reason, size = attributes.get("reason"), self._names.sizes.get(scope.calls[-1][0])
        return f"{reason}, {size} bytes of bytecode" if reason and size else reason

    def _receivers(self, attributes: Mapping[str, str]) -> ReceiverProfile | None:
        count = _number(attributes, "count")
        types: list[ReceiverType] = []
        for key in ("receiver", "receiver2"):
            if key in attributes:
                share = _number(attributes, f"{key}_count") / count if count > 0 else 0.0
                types.append(ReceiverType(self._names.type(attributes[key]), min(1.0, share)))
        return ReceiverProfile(True, tuple(types)) if types else None

    def _begin_late(self, attributes: Mapping[str, str], places: list[Place]) -> None:
        found = self._late.pop(attributes.get("inline_id", ""), None)
        if found is None and places:
            found = self._late_by_place(attributes.get("method", ""), places)
        self._late_call, self._late_is_next = found, found is not None
        self._scope = None

    def _late_by_place(self, number: str, places: list[Place]) -> tuple[_Scope, CallSite] | None:
        """Logs of JDK 8 do not number such calls."""
        method, wanted = self._names.method(number), tuple(places)
        for key, (scope, site) in self._late.items():
            if site.method == method and scope.position(site.at) == wanted:
                return self._late.pop(key)
        return None

    # -- decisions

    def _here(self) -> Phase:
        return self._open[-1] if self._open else self._phases

    def _add(self, decision: Decision) -> None:
        """Put a decision where it belongs: into the phase that the log has open, or into one of ours."""
        if self._open:
            self._open[-1].children.append(decision)
            return
        name = "Optimizing"
        if self._late_call is not None:
            name = "LateInlining"
        elif self._scope is not None:
            name = "Parsing"
        elif self._root is None:
            name = "TypeFlow"  # C2 looks for classes that are not loaded before it parses
        last = self._phases.children[-1] if self._phases.children else None
        if not isinstance(last, Phase) or last.name != name:
            last = Phase(name)
            self._phases.children.append(last)
        last.children.append(decision)

    def _decide(self, element: Element, places: Position | None) -> None:
        name, attributes = element.name, element.attributes
        here: Position = ()
        if places:
            here = places
        elif self._scope is not None:
            here = self._scope.position(_number(attributes, "bci") if "bci" in attributes else self._scope.bci)
        match name:
            case "uncommon_trap":
                if self._scope is None and "bci" in attributes and "method" in attributes:
                    method = self._names.method(attributes["method"]) or "unknown"
                    here = (Place(method, _number(attributes, "bci")),)
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
                shown.append(
                    ("context" if key == "ctxk" else key, self._names.method(value) or self._names.type(value))
                )
        if (kind, tuple(shown)) not in self._seen_assumptions:
            self._seen_assumptions.add((kind, tuple(shown)))
            self._add(Decision("Assumption", kind, (), tuple(shown)))

    def _named(self, attributes: Mapping[str, str], leave_out: Iterable[str] = ()) -> tuple[tuple[str, Value], ...]:
        """Attributes as properties, with names for the numbers of classes."""
        left_out = _UNSTABLE | set(leave_out)
        return tuple(
            (key, self._names.type(value) if key in _OF_TYPES else _value(value))
            for key, value in attributes.items()
            if key not in left_out
        )


_CALLS = frozenset({"call", "inline_success", "inline_fail", "intrinsic", "inline_id", "virtual_call", "direct_call"})
_OF_TYPES = frozenset({"klass", "type", "from", "to"})


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


def _properties(attributes: Mapping[str, str]) -> tuple[tuple[str, Value], ...]:
    return tuple((key, _value(value)) for key, value in attributes.items() if key not in _UNSTABLE and key != "id")


def _word(attributes: Mapping[str, str]) -> str:
    return attributes.get("trap") or attributes.get("that") or "?"


def _value(text: str) -> Value:
    return int(text) if text.removeprefix("-").isdigit() and len(text) < 19 else text


def _number(attributes: Mapping[str, str], key: str) -> int:
    text = attributes.get(key, "")
    return int(text) if text.removeprefix("-").isdigit() else NO_OFFSET
