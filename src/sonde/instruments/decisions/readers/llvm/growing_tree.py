"""The inlining tree of one function as the inliner's remarks make it grow."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sonde.instruments.decisions.readers.llvm.call_chain import InlinerRemark, Link
from sonde.instruments.decisions.readers.llvm.source_places import SourceFunctions, SourceStart


@dataclass(slots=True, eq=False)
class Call:
    """A call, or the function itself at the root."""

    symbol: str
    """What is called; empty: not known."""
    file: str = ""
    line: int = 0
    """In the file; 0: not known."""
    relative: int | None = None
    """The line, from where the function that has the call is declared; None: not told."""
    column: int = 0
    discriminator: int = 0
    inlined: bool = False
    indirect: bool = False
    alive: bool = True
    share: float | None = None
    """Of the times that an indirect call was made, those that went here."""
    reasons: list[str] = field(default_factory=list)
    copied: bool = False
    """What is said of it was said when its caller was compiled for itself."""
    parent: "Call | None" = None
    children: list["Call"] = field(default_factory=list)

    def below(self) -> Iterator["Call"]:
        """It and all below, parents first."""
        waiting = [self]
        while waiting:
            call = waiting.pop()
            yield call
            waiting.extend(reversed(call.children))

    def path(self) -> list["Call"]:
        """It and its callers, the root last."""
        found: list[Call] = []
        call: Call | None = self
        while call is not None:
            found.append(call)
            call = call.parent
        return found


class GrowingTree:
    """Takes remarks about one function in their order.

    The inliner works from callees to callers, so when `F` inlines `G`, what was inlined into `G` so far comes along: a
    copy of `G`'s tree. What it then says in `F` about calls that came along goes before what it had said in `G`.
    """

    def __init__(self, symbol: str, source: SourceFunctions) -> None:
        self.root = Call(symbol)
        self.doubtful = 0
        """Calls of which it is not known into which of several copies they belong."""
        self._source = source
        self._open: dict[tuple[str, int, int], list[Call]] = {}
        """Calls that are not inlined, by what is called and where."""
        self.containers: dict[SourceStart, list[Call]] = {}
        """The root and inlined calls, by where the source of their code begins."""
        self._enlist(self.root)

    def take(self, remark: InlinerRemark, callee: "GrowingTree | None") -> None:
        """Add what a remark says.

        Args:
            callee: what was made of the callee until then; None: nothing is known of it.
        """
        call = self._along(remark) if remark.chain else self._by_line(remark)
        if call.reasons and call.copied:
            call.reasons = []
        call.copied = False
        if remark.reason not in call.reasons:
            call.reasons.append(remark.reason)
        if not remark.inlined:
            return
        # Before the call is marked: a function may be inlined into itself.
        copies = _copies(callee.root, call) if callee is not None else []
        self._close(call)
        call.inlined = True
        self._enlist(call)
        call.children += (each for each in copies if each.parent is call)
        for each in copies:
            if each.inlined:
                self._enlist(each)
            elif not each.indirect:
                self._open.setdefault((each.symbol, each.line, each.column), []).append(each)

    def promote(self, target: str, file: str, line: int, column: int, share: float, *, last: bool) -> None:
        """Note that an indirect call is first tried as a call of `target`.

        Args:
            last: it never went elsewhere.
        """
        where = self._containing(file, line)
        here = (each for each in where.children if each.indirect and (each.line, each.column) == (line, column))
        indirect = next(here, None)
        if indirect is None:
            indirect = Call("", file, line, column=column, indirect=True, parent=where)
            where.children.append(indirect)
        indirect.alive = indirect.alive and not last
        direct = Call(target, file, line, column=column, share=share, parent=indirect)
        indirect.children.append(direct)
        self._open.setdefault((target, line, column), []).append(direct)

    def _along(self, remark: InlinerRemark) -> Call:
        """The call that a chain leads to."""
        call = self.root
        for link, inner in zip(reversed(remark.chain[1:]), reversed(remark.chain[:-1]), strict=True):
            call = self._step(call, link, inner.function)
        last = remark.chain[0]
        for each in self._open.get((remark.callee, remark.line, remark.column), ()):
            if _holder(each) is call:
                each.relative, each.discriminator = last.line, last.discriminator
                return each
        return self._new(call, remark, last)

    def _step(self, call: Call, link: Link, function: str) -> Call:
        """One link inwards: the inlined call at that place. Where no remark told of it (a compiler's front end inlines,
        too), it is added."""
        found = [
            each
            for parent in (call, *(each for each in call.children if each.indirect))
            for each in parent.children
            if each.inlined and each.column == link.column and each.relative == link.line
        ]
        exact = [each for each in found if each.discriminator == link.discriminator]
        # Names are compared last: without symbols in the debug information they are plain.
        for candidates in (exact, found):
            named = [each for each in candidates if each.symbol == function]
            if named or candidates:
                return (named or candidates)[-1]  # the last one was inlined last, and is being looked through now
        file, first = self._source.declared.get(call.symbol, ("", 0))
        line = first + link.line if first else 0
        added = Call(function, file, line, link.line, link.column, link.discriminator, inlined=True, parent=call)
        call.children.append(added)
        self._enlist(added)
        return added

    def _by_line(self, remark: InlinerRemark) -> Call:
        """The call that a remark is about that only tells file and line."""
        known = self._open.get((remark.callee, remark.line, remark.column), ()) if remark.line else ()
        copied = [each for each in known if each.copied]
        if copied:
            return copied[0]  # copies of one call are looked at in the order in which they were made
        if known:
            return known[0]
        return self._new(self._containing(remark.file, remark.line), remark, None)

    def _containing(self, file: str, line: int) -> Call:
        begin = self._source.enclosing(file, line) if line else None
        containers = self.containers.get(begin, []) if begin else []
        if len(containers) > 1:
            self.doubtful += 1
        return containers[0] if containers else self.root

    def _new(self, parent: Call, remark: InlinerRemark, link: Link | None) -> Call:
        call = Call(remark.callee, remark.file, remark.line, column=remark.column, parent=parent)
        if link is not None:
            call.relative, call.column, call.discriminator = link.line, link.column, link.discriminator
        parent.children.append(call)
        self._open.setdefault((call.symbol, call.line, call.column), []).append(call)
        return call

    def _close(self, call: Call) -> None:
        waiting = self._open.get((call.symbol, call.line, call.column), [])
        if call in waiting:
            waiting.remove(call)

    def _enlist(self, call: Call) -> None:
        begin = self._source.begins.get(call.symbol)
        if begin is not None:
            self.containers.setdefault(begin, []).append(call)


def _copies(source: Call, target: Call) -> list[Call]:
    """What is below one call, again, with another as parent of the topmost; parents first."""
    copies: list[Call] = []
    parents = {id(source): target}
    for call in source.below():
        if call is source:
            continue
        parent = parents[id(call.parent)]
        copy = Call(call.symbol, call.file, call.line, call.relative, call.column, call.discriminator, call.inlined,
                    call.indirect, call.alive, call.share, list(call.reasons), copied=True, parent=parent)  # fmt: skip
        parents[id(call)] = copy
        if parent is not target:
            parent.children.append(copy)
        copies.append(copy)
    return copies


def _holder(call: Call) -> Call | None:
    """Whose code has the call: that of a promoted call has the indirect one, too."""
    parent = call.parent
    return parent.parent if parent is not None and parent.indirect else parent
