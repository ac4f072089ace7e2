"""Stacks that are being looked at, as a page like that of `top`: functions, lines or threads, hottest first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from io import StringIO
from typing import Literal, TypeVar

from sonde.base.fitted_text import keep_start, pad
from sonde.base.units import counted, format_duration, format_share
from sonde.code import Function, Place, source_text
from sonde.instruments.contexts.live.stack_sums import SeenThread, StackSums
from sonde.instruments.contexts.profile import is_stand_in
from sonde.render.place_text import place_of, short_place
from sonde.render.terminal.live_block import Canvas
from sonde.render.terminal.page import Page
from sonde.render.terminal.table_text import print_table
from sonde.report import Cell, Column, Row, Table

Subject = Literal["functions", "lines", "threads"]
_Key = TypeVar("_Key", Function, tuple[Function, int], SeenThread)


@dataclass(frozen=True, slots=True)
class StacksPage:
    """What is to be shown, and of what.

    Args:
        whole: since the looking began.
        recent: the last seconds of it.
        looked_ns: since the looking began.
        title: what is looked at.
        what: `cpu`, `wall`, `gil` or `tasks`.
        has_keys: whether keys are read, so that it is worth naming them.
    """

    whole: StackSums
    recent: StackSums
    looked_ns: int
    title: str
    what: str
    subject: Subject = "functions"
    by_whole: bool = False
    is_paused: bool = False
    has_keys: bool = False

    def lines(self, canvas: Canvas) -> list[str]:
        """Write it in at most as many lines as the canvas is high, the keys in the last one.

        Cost: O(n log n) for n functions, lines or threads.
        """
        text = StringIO()
        page = Page(text, width=canvas.width, colour=canvas.colour, encoding=canvas.encoding)
        for style, line in zip(("bold", "dim"), self._head(canvas.width), strict=True):
            page.line(page.paint(line, style))
        head = text.getvalue().splitlines()
        room = canvas.height - len(head) - 1
        table = _TABLES[self.subject](self, room - 1)
        below = StringIO()
        if table.rows and room > 1:
            print_table(Page(below, width=canvas.width, colour=canvas.colour, encoding=canvas.encoding), table)
        rows = [line for line in below.getvalue().splitlines() if line.strip()][:room]
        keys = StringIO()
        page = Page(keys, width=canvas.width, colour=canvas.colour, encoding=canvas.encoding)
        page.line(page.paint(pad(keep_start(self._keys(), canvas.width), canvas.width), "dim"))
        return [*head, *rows, *[""] * (room - len(rows)), *keys.getvalue().splitlines()][: canvas.height]

    def summary(self) -> str:
        """Write it in one line, for a log: time, rate, and the hottest function of the last seconds."""
        said = [f"{format_duration(self.looked_ns)} sampled", self._load(), counted(self.recent.stacks, "stack")]
        for function in self._hottest(self.recent.own, self.whole.own, 1):
            share = format_share(self.recent.own.get(function, 0), self.recent.whole)
            said.append(f"hottest {_label(function)} ({short_place(place_of(function))}) {share}")
        return ", ".join(said)

    @property
    def _seconds(self) -> str:
        return (
            f"{self.recent.seen_ns / 1e9:.1f} s" if self.recent.seen_ns < 2e9 else f"{self.recent.seen_ns / 1e9:.0f} s"
        )

    def _load(self) -> str:
        load = self.recent.whole / max(1, self.recent.seen_ns)
        if self.what == "gil":
            return f"the lock was held {format_share(self.recent.whole, max(1, self.recent.seen_ns))}"
        if self.what == "tasks":
            return f"{load:.1f} tasks"
        return f"{load:.2f} processors busy" if self.what == "cpu" else f"{load:.1f} threads"

    def _head(self, width: int) -> tuple[str, str]:
        first = f"{format_duration(self.looked_ns)} · {self._load()} · {self.title}"
        said = [f"the last {self._seconds}: {counted(self.recent.stacks, 'stack')}"]
        if self.recent.stacks:
            said.append(f"shares ±{min(100.0, 100 / self.recent.stacks**0.5):.1f} points at most")
        said.append(f"{self.recent.rounds / max(1e-9, self.recent.seen_ns / 1e9):.0f} samples a second")
        return keep_start(first, width), keep_start(" · ".join(said), width)

    def _keys(self) -> str:
        if not self.has_keys:
            return "no keys: the terminal is the program's input"
        others = [f"{word[0]} {word}" for word in _TABLES if word != self.subject]
        other_order = "last seconds" if self.by_whole else "whole"
        pause = "p go on (paused)" if self.is_paused else "p pause"
        return "  ".join((*others, f"s sort by {other_order}", pause, "q quit and report"))

    def _hottest(self, recent: Mapping[_Key, int], whole: Mapping[_Key, int], most: int) -> list[_Key]:
        first, second = (whole, recent) if self.by_whole else (recent, whole)
        return nlargest(max(0, most), whole, lambda key: (first.get(key, 0), second.get(key, 0)))

    def _functions(self, most: int) -> Table:
        recent, whole = self.recent, self.whole
        rows = [
            Row(
                (
                    recent.own.get(function, 0),
                    recent.total.get(function, 0),
                    whole.own[function],
                    whole.total.get(function, 0),
                    *_named(function),
                )
            )
            for function in self._hottest(recent.own, whole.own, most)
        ]
        columns = (
            Column("recent", f"self {self._seconds}", "duration", max(1, recent.whole), "share", is_hot=True),
            Column("recent_total", f"total {self._seconds}", "duration", max(1, recent.whole), "share"),
            Column("self", "self all", "duration", max(1, whole.whole), "share", is_hot=True),
            Column("total", "total all", "duration", max(1, whole.whole), "share"),
            Column("function", "function", "name"),
            Column("place", "", "place"),
        )
        return Table("functions", "", columns, rows)

    def _lines(self, most: int) -> Table:
        recent, whole = self.recent.lines, self.whole.lines
        of_recent, of_whole = max(1, sum(recent.values())), max(1, sum(whole.values()))
        rows = []
        for function, line in self._hottest(recent, whole, most):
            place = Place(function.file or function.library, line, function)
            samples = (recent.get((function, line), 0), whole[function, line])
            rows.append(Row((*samples, place, _source(function.file, line))))
        columns = (
            Column("recent", f"self {self._seconds}", "count", of_recent, "share", is_hot=True),
            Column("self", "self all", "count", of_whole, "share", is_hot=True),
            Column("place", "line", "place"),
            Column("source", "source", "text"),
        )
        return Table("lines", "", columns, rows)

    def _threads(self, most: int) -> Table:
        recent, whole = self.recent, self.whole
        hottest = dict[SeenThread, tuple[int, Function]]()
        for sums in (recent.on_threads, whole.on_threads):
            seen = set(hottest)
            for (thread, function), ns in sums.items():
                if thread not in seen and ns > hottest.get(thread, (0, function))[0]:
                    hottest[thread] = ns, function
        pids = {thread.pid for thread in whole.threads}
        rows = []
        for thread in self._hottest(recent.threads, whole.threads, most):
            runs = hottest[thread][1] if thread in hottest else None
            times = (recent.threads.get(thread, 0), whole.threads[thread])
            rows.append(Row((*times, _thread_label(thread, is_one=len(pids) == 1), *_named(runs))))
        columns = (
            Column("recent", f"busy {self._seconds}", "duration", max(1, recent.seen_ns), "share", is_hot=True),
            Column("busy", "busy all", "duration", max(1, self.looked_ns), "share", is_hot=True),
            Column("thread", "thread", "text"),
            Column("function", "most of it in", "name"),
            Column("place", "", "place"),
        )
        return Table("threads", "", columns, rows)


_TABLES: Mapping[Subject, Callable[[StacksPage, int], Table]] = {
    "functions": StacksPage._functions,
    "lines": StacksPage._lines,
    "threads": StacksPage._threads,
}
SUBJECTS: Sequence[Subject] = tuple(_TABLES)


def _label(function: Function) -> str:
    return f"({function.name})" if is_stand_in(function) else function.label


def _named(function: Function | None) -> tuple[Cell, Cell]:
    if function is None:
        return None, None
    return (_label(function), None) if is_stand_in(function) else (function, place_of(function))


def _thread_label(thread: SeenThread, *, is_one: bool) -> str:
    name = thread.name or ("MainThread" if thread.pid == thread.native_id else str(thread.native_id))
    return name if is_one else f"{thread.pid} {name}"


def _source(file: str, line: int) -> str:
    text = source_text(file) or ""
    lines = text.splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
