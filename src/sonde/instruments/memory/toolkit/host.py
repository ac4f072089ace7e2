"""The slow twin of compiled advice: the same class, as ordinary Python, fed with a list of events.

Also the way to try a tool out without a program: `run_on_events(compile_tool(path), events)`.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sonde.instruments.memory.toolkit import int64
from sonde.instruments.memory.toolkit.compiled_tool import ToolSource
from sonde.instruments.memory.toolkit.containers import Key
from sonde.instruments.memory.toolkit.counts import Counts
from sonde.instruments.memory.toolkit.histogram import Bins, Histogram
from sonde.instruments.memory.toolkit.host_rewriting import Rewriting
from sonde.instruments.memory.toolkit.join_points import JOIN_POINTS, TIMES
from sonde.instruments.memory.toolkit.results import (
    CacheResult,
    CountsResult,
    HistogramResult,
    KeyNumbers,
    OutputResult,
    SetResult,
    ToolFault,
    ToolResults,
)
from sonde.instruments.memory.toolkit.sets import Set
from sonde.instruments.memory.toolkit.tool_class import find_tool
from sonde.instruments.memory.toolkit.type_names import type_is
from sonde.instruments.memory.toolkit.value_types import Kind

STEPS = 10_000_000
"""Iterations of all loops of one piece of advice; SN_ADVICE_STEPS of native/core/advice/advice_runtime.h."""


@dataclass(frozen=True, slots=True)
class Handle:
    """A type, method, place or thread: which one, and what of it."""

    kind: Kind
    key: int | None
    """Its number in the record; None: there is none."""
    text: str | None = field(default=None, compare=False)
    """Of a type, its name."""

    @property
    def number(self) -> int:
        """Of a thread."""
        return self.key or 0

    def is_(self, name: str) -> bool:
        """Whether a type has that name."""
        return self.text is not None and type_is(self.text, name)


@dataclass(frozen=True, slots=True)
class Location:
    """Where something happens: `struct sn_location`."""

    ip: int = 0
    address: int = 0
    size: int = 0
    is_load: bool = False
    is_store: bool = False
    thread: int = 1
    place: int = 0
    method: int = 0
    line: int = 0
    was_there: bool = False
    """The object was there before the window opened."""
    value: int = 0
    """What lies there, before the event; `new_value` after it."""
    new_value: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens. What a join point does not tell of is left out."""

    join_point: str
    """Not `any:access`: accesses are to objects or not."""
    location: Location = Location()
    type: int = 0
    object: int = 0
    """Numbers objects; a create event makes a number a new object."""
    other: int = 0
    """The method, thread, generation or old address."""


class _Object:
    """An object, with the fields that the tool has given it. What is equal to it is the same object."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        vars(self).update(fields)
        self.__sonde_number__: int | None = None  # in the run; None: advice was not told of it, or it is none

    def __eq__(self, other: object) -> bool:
        return bool(_key(self) == _key(other))

    def __hash__(self) -> int:
        return hash(self.__sonde_number__)


class _Loc:
    """A location as advice sees it."""

    def __init__(self, location: Location, value: int) -> None:
        self.value = int64.wrapped(value)
        self.ip = int64.wrapped(location.ip)
        self.address = int64.wrapped(location.address)
        self.size = int64.wrapped(location.size)
        self.is_load, self.is_store, self.line = location.is_load, location.is_store, location.line
        self.was_there = location.was_there
        self.thread = Handle(Kind.THREAD, location.thread)
        self.method = Handle(Kind.METHOD, location.method)
        self.place = Handle(Kind.PLACE, location.place)


_ZEROS: Mapping[Kind, object] = {Kind.INT: 0, Kind.FLOAT: 0.0, Kind.BOOL: False}


def _zero(kind: Kind) -> object:
    """What a field begins with."""
    return _ZEROS[kind] if kind in _ZEROS else Handle(kind, None)


def run_on_events(
    source: ToolSource, events: Iterable[Event], *, steps: int = STEPS, type_names: Mapping[int, str] | None = None
) -> ToolResults:
    """Run a tool's advice on events, in ordinary Python.

    Args:
        type_names: by number, for `type.is_(...)`.
    Guarantee: the results are those that the compiled advice has after the same events.
    """
    return HostedTool(source, steps=steps, type_names=type_names).run(events)


class HostedTool:
    """A tool in ordinary Python; for one run."""

    def __init__(self, source: ToolSource, *, steps: int = STEPS, type_names: Mapping[int, str] | None = None) -> None:
        self._source = source
        self._type_names = type_names or {}
        self._tool_types = source.declarations
        self._steps, self._left = steps, steps
        self._printed: list[str] = []
        self._objects: dict[int, _Object] = {}
        self._met: dict[int, tuple[int | None, int | None]] = {}
        """Type and place of each object that advice was told of, by number."""
        self.fault: ToolFault | None = None
        self._tool = self._instance()
        self._advice: dict[tuple[str, str], list[tuple[Callable[..., None], int]]] = {}
        for method in self._tool_types.methods:
            for time, point in method.advises:
                bound = getattr(self._tool, method.name)
                self._advice.setdefault((time, point.name), []).append((bound, len(method.parameters)))

    def run(self, events: Iterable[Event]) -> ToolResults:
        for event in events:
            if event.join_point == "object:create":
                self._objects[event.object] = self._new_object()
            for time in TIMES:
                if event.join_point.endswith(":access"):
                    self._tell(time, "any:access", event)
                self._tell(time, event.join_point, event)
        return self._results()

    def _tell(self, time: str, point: str, event: Event) -> None:
        for method, count in self._advice.get((time, point), ()):
            if self.fault is not None:
                return
            self._left = self._steps
            try:
                method(*[self._argument(name, time, event) for name, _ in JOIN_POINTS[point].parameters[:count]])
            except int64.Fault as fault:
                self.fault = ToolFault(str(fault), self._line_of(fault))

    def _argument(self, name: str, time: str, event: Event) -> object:
        match name:
            case "loc":
                at = event.location
                return _Loc(at, at.value if time == "before" else at.new_value)
            case "type":
                return Handle(Kind.TYPE, event.type, self._type_names.get(event.type))
            case "obj":
                if event.join_point == "nonobject:access":
                    return self._new_object()
                return self._meet(self._objects.setdefault(event.object, self._new_object()), event)
            case "method" | "thread":
                return Handle(Kind(name), event.other)
        return int64.wrapped(event.other)

    def _line_of(self, fault: BaseException) -> int:
        line, trace = 0, fault.__traceback__
        while trace is not None:
            line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == str(self._source.path) else line
            trace = trace.tb_next
        return line

    def _meet(self, found: _Object, event: Event) -> _Object:
        if found.__sonde_number__ is None:
            number = len(self._met) + 1
            found.__sonde_number__ = number
            self._met[number] = event.type, event.location.place or None
        return found

    def _new_object(self) -> _Object:
        return _Object({each.name: _zero(each.kind) for each in self._tool_types.object_fields})

    def _instance(self) -> object:
        found = find_tool(self._source.path, self._source.name)
        compiled = {method.name for method in self._tool_types.methods}
        module = ast.fix_missing_locations(Rewriting(found.node.name, compiled).visit(found.source.tree))
        namespace: dict[str, object] = {"__name__": "sonde_tool", "sonde_host": self}
        exec(compile(module, str(self._source.path), "exec", dont_inherit=True), namespace)
        namespace |= found.constants
        tool = namespace[self._source.name]()  # type: ignore[operator]  # it is the class
        for each in self._tool_types.fields:
            setattr(tool, each.name, each.initial if each.kind in _ZEROS else _zero(each.kind))
        assert isinstance(tool, object)
        return tool

    # What rewritten methods call.

    wrapped = staticmethod(int64.wrapped)
    divided = staticmethod(int64.divided)
    floor_divided = staticmethod(int64.floor_divided)
    remainder = staticmethod(int64.remainder)
    shifted_left = staticmethod(int64.shifted_left)
    shifted_right = staticmethod(int64.shifted_right)
    whole = staticmethod(int64.whole)
    counted = staticmethod(int64.counted)

    def is_none(self, value: object) -> bool:
        """`value is None`, of a handle or an object."""
        return _key(value) is None

    def step(self) -> None:
        """An iteration of a loop."""
        self._left -= 1
        if self._left < 0:
            raise int64.Fault("endless-loop")

    def print(self, *values: object) -> None:
        self._printed += " ".join(map(str, values)).split("\n")

    def _results(self) -> ToolResults:
        results = ToolResults(self._source.name, printed=self._printed, fault=self.fault)
        for each in self._tool_types.fields:
            value = getattr(self._tool, each.name)
            results.fields[each.name] = (each.kind, _key(value))
        for table in self._tool_types.tables:
            held = getattr(self._tool, table.name)
            if isinstance(held, Counts):
                cells = {_numbers(key): row.values() for key, row in held.by_key.items()}
                if not table.keys:
                    cells.setdefault((), (0,) * len(held.columns))
                results.counts[table.name] = CountsResult(table.keys, held.columns, cells, held.refused)
            elif isinstance(held, Histogram):
                bins = {_numbers(key): each for key, each in held.by_key.items()}
                if not table.keys:
                    bins.setdefault((), Bins())
                results.histograms[table.name] = HistogramResult(table.keys, bins, held.refused)
            elif isinstance(held, Set):
                results.sets[table.name] = SetResult(table.keys, set(map(_numbers, held.by_key)), held.refused)
        for cache in self._tool_types.caches:
            held = getattr(self._tool, cache.name)
            results.caches[cache.name] = CacheResult(held.accesses, tuple(held.misses))
        for output in self._tool_types.outputs:
            held = getattr(self._tool, output.name)
            results.outputs[output.name] = OutputResult(held.file, held.lines, held.lost)
        results.objects = {number: self._met[number] for number in _objects_of(results)}
        return results

    def text_of(self, output: str) -> list[str]:
        """The lines that advice has written to an output."""
        return list(getattr(self._tool, output).text)


def _key(value: Any) -> Any:
    """The number of a handle or an object; any other value as it is."""
    if isinstance(value, Handle):
        return value.key
    return value.__sonde_number__ if isinstance(value, _Object) else value


def _numbers(key: Key) -> KeyNumbers:
    return tuple(map(_key, key))


def _objects_of(results: ToolResults) -> set[int]:
    """The objects that results name."""
    tables: list[CountsResult | HistogramResult | SetResult]
    tables = [*results.counts.values(), *results.histograms.values(), *results.sets.values()]
    keyed = [
        (kind, part) for table in tables for key in table.rows for kind, part in zip(table.kinds, key, strict=True)
    ]
    return {int(number) for kind, number in (*keyed, *results.fields.values()) if kind is Kind.OBJECT and number}
