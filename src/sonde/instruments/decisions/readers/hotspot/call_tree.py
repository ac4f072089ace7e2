"""The calls of one compilation, from what the compilers wrote while they parsed bytecode.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sonde.instruments.decisions.model import (
    NO_OFFSET,
    CallSite,
    Decision,
    Place,
    Position,
    ReceiverProfile,
    ReceiverType,
)
from sonde.instruments.decisions.readers.hotspot.attributes import number_of, properties
from sonde.instruments.decisions.readers.hotspot.method_names import TaskNames, whole_name

CALLS = frozenset({"call", "inline_success", "inline_fail", "intrinsic", "inline_id", "virtual_call", "direct_call"})
"""Elements that `CallTree.take` is for."""


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


class CallTree:
    """The inlining tree, as far as it is known."""

    def __init__(self, names: TaskNames) -> None:
        self._names = names
        self._root: CallSite | None = None
        self._scope: _Scope | None = None
        self._late: dict[str, tuple[_Scope, CallSite]] = {}
        """Calls whose code is put in later, by number, with where they are."""
        self._late_call: tuple[_Scope, CallSite] | None = None
        self._late_is_next = False

    @property
    def phase(self) -> str:
        """What the compiler is at, if it does not say it itself."""
        if self._late_call is not None:
            return "LateInlining"
        if self._scope is not None:
            return "Parsing"
        # C2 looks for classes that are not loaded before it parses.
        return "Optimizing" if self._root is not None else "TypeFlow"

    @property
    def is_parsing(self) -> bool:
        """Whether bytecode is being parsed."""
        return self._scope is not None

    def here(self, attributes: Mapping[str, str]) -> Position:
        """Of an element: at the index that it says, or at the bytecode that is being parsed; empty if none is."""
        if self._scope is None:
            return ()
        return self._scope.position(number_of(attributes, "bci") if "bci" in attributes else self._scope.bci)

    def finish(self, about: Mapping[str, str]) -> CallSite:
        """The tree.

        Args:
            about: the task.
        """
        for _, site in self._late.values():
            # C2 puts such calls in later, unless they are gone by then: their results were not needed.
            site.alive, site.reasons = False, (*site.reasons, "gone before it was inlined late")
        return self._root or CallSite(whole_name(about.get("method", "?")), is_root=True, inlined=True)

    def begin_code(self, attributes: Mapping[str, str], about: Mapping[str, str]) -> bool:
        """The code of a method begins.

        Args:
            about: the task.
        Returns:
            whether the compiler begins anew, with fewer optimizations: what it did before is void.
        """
        number = attributes.get("method", "")
        method = self._names.method(number)
        scope = self._scope
        if scope is None and self._late_call is not None and self._late_is_next:
            outer, site = self._late_call
            self._late_is_next = False
        elif scope is None:
            is_again = self._root is not None
            self._begin_root(whole_name(about["method"]) if "method" in about else method)
            return is_again
        else:
            outer = scope
            site = self._called(scope, number, method)
        site.inlined, site.alive = True, False
        self._scope = _Scope(site, outer, site.at)
        return False

    def end_code(self) -> None:
        """It ends."""
        if self._scope is None:
            return
        self._scope = self._scope.outer
        if self._late_call is not None and self._scope is self._late_call[0]:
            self._scope, self._late_call = None, None

    def begin_bytecode(self, attributes: Mapping[str, str]) -> None:
        """What follows is about this bytecode."""
        if self._scope is not None:
            self._scope.bci = number_of(attributes, "bci")
            self._scope.calls, self._scope.virtual, self._scope.undecided = [], None, None

    def take(self, name: str, attributes: Mapping[str, str]) -> Decision | None:
        """What is said of a call; a decision if code of the compiler's own takes its place."""
        scope = self._scope
        if scope is None:
            return None
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
                return Decision(
                    "Intrinsic", attributes.get("id", "?"), scope.position(scope.bci), properties(attributes)
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
        return None

    def begin_late(self, attributes: Mapping[str, str], places: Sequence[Place]) -> None:
        """The code of a call is put in, later than those around it.

        Args:
            places: where the call is, innermost first, if that is said.
        """
        found = self._late.pop(attributes.get("inline_id", ""), None)
        if found is None and places:
            found = self._late_by_place(attributes.get("method", ""), tuple(places))
        self._late_call, self._late_is_next = found, found is not None
        self._scope = None

    def _begin_root(self, method: str | None) -> None:
        self._late = {}
        self._root = CallSite(method, inlined=True, is_root=True)
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
        count = number_of(attributes, "count")
        types: list[ReceiverType] = []
        for key in ("receiver", "receiver2"):
            if key in attributes:
                share = number_of(attributes, f"{key}_count") / count if count > 0 else 0.0
                types.append(ReceiverType(self._names.type(attributes[key]), min(1.0, share)))
        return ReceiverProfile(True, tuple(types)) if types else None

    def _late_by_place(self, number: str, wanted: Position) -> tuple[_Scope, CallSite] | None:
        """Logs of JDK 8 do not number such calls."""
        method = self._names.method(number)
        for key, (scope, site) in self._late.items():
            if site.method == method and scope.position(site.at) == wanted:
                return self._late.pop(key)
        return None
