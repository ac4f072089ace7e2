"""Points in the functions of a machine: put in, watched, fired; and the code that they lead to, made when needed."""

import ctypes
import threading
from collections.abc import Sequence
from functools import partial

from sonde.base.errors import UsageError
from sonde.ir import Function, Module
from sonde.ir.analyses import Place
from sonde.machine import VirtualMachine, body_name
from sonde.osr.cell import Cell, Word
from sonde.osr.cell_memory import CellMemory
from sonde.osr.code import Code, place_in
from sonde.osr.code_bytes import can_change_code
from sonde.osr.conditions import Condition, first_count
from sonde.osr.continuation import check_signature, continuation
from sonde.osr.flag_switches import FlagSwitches
from sonde.osr.generation import Generation, OnFailure
from sonde.osr.landing import Landing, landing
from sonde.osr.last_step import last_step
from sonde.osr.live_values import values_there_at
from sonde.osr.needed_values import needed_by
from sonde.osr.point import Firing, Generator, Part, Point
from sonde.osr.refusals import Refused, refusal
from sonde.osr.signature import Transition
from sonde.osr.state_map import StateMap
from sonde.osr.stub import SYMBOL, Stub
from sonde.osr.survey import Survey, transition_at
from sonde.osr.targets import Asked, Slot, Target
from sonde.osr.version_with_points import Leaving, version_with_points
from sonde.passes import parse_recipe

DEFAULT_TIMEOUT_S = 10.0
"""So long a program waits for a generator before it goes on where it was."""
MOST_VALUES = 8
"""For so many values of a point with a value targets are made; with others, the program goes on where it was."""


class Points:
    """The points of one machine.

    They live as long as the machine: code that has them may run.
    """

    def __init__(self, machine: VirtualMachine, on_failure: OnFailure | None = None) -> None:
        """
        Args:
            on_failure: told of generators that fail, in the thread that they fail in.
        """
        self.machine = machine
        self.points: dict[int, Point] = {}
        self._on_failure = on_failure
        self._stub: Stub | None = None
        self._cells = CellMemory()
        self._loading = threading.Lock()
        self.switches = FlagSwitches()
        machine.engine.watchers.append(self.switches)
        machine.last_step = partial(last_step, has_switches=can_change_code())

    def code(self, function: str, version: str | None = None) -> Code:
        """A version of a function; None: the active one.

        Args:
            function: its symbol.
        Raises:
            UsageError: `no-such-function`, `no-such-version`.
        """
        name = function if function.startswith("@") else f"@{function}"
        if name not in self.machine.functions:
            raise UsageError(f"cannot find a function '{function}'", slug="no-such-function", hint="functions")
        managed = self.machine.functions[name]
        unit = self.machine.units[managed.unit]
        if unit.level:  # what runs is then not what was loaded
            self.machine.compile_base(unit)
        return Code(self.machine, managed, managed.version(version or managed.active))

    def insert_open(
        self,
        f: Code,
        at: str | Place,
        when: Condition,
        generate: Generator,
        *,
        value: str | None = None,
        version: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        target: str = "",
    ) -> Point:
        """Make a version of a function with a point whose target is made when it first fires.

        Args:
            at: see `place_of`.
            generate: says where to go on, in a thread of its own, once for each value.
            value: a value of `f` that the generator is told: what it makes is used for this value only.
            version: the name of the new version; None: one that is free.
            timeout_s: how long the program waits. After that it goes on where it was; what the generator makes later is
                used from then on.
            target: the generator in words.
        Raises:
            UsageError: `osr-refused`, `osr-place`, `osr-condition`, and as `VirtualMachine.clone`.
        """
        (point,) = self.put_in(
            f,
            [(at, when)],
            lambda module, body, places: [transition_at(module, body, place) for place in places],
            target=Asked(value),
            version=version,
            words=target or _name_of(generate),
        )
        point._generation = Generation(
            lambda asked: self._generate(point, generate, asked),
            has_value=value is not None,
            most=MOST_VALUES,
            timeout_s=timeout_s,
            failed=lambda why: self._failed(point, why),
        )
        return point

    def insert_resolved(
        self,
        f: Code,
        at: str | Place,
        target: Code,
        landing_at: str | Place,
        when: Condition,
        *,
        compensation: StateMap | None = None,
        version: str | None = None,
        recipe: str = "",
    ) -> Point:
        """Make a version of a function with a point that leads to another one.

        Args:
            at, landing_at: see `place_of`.
            compensation: how the target's live values are made of those of `f`. None: they have the same names.
            version: the name of the new version; None: one that is free.
            recipe: passes to be run on the continuation.
        Raises: as `insert_landing`.
        """
        to = landing(target, place_in(target, target.body, landing_at), compensation, recipe)
        is_same = target.version is f.version and at == landing_at
        words = "clone" if is_same else f"{target.name} at {landing_at}"
        return self.insert_landing(f, at, to, when, version=version, words=words)

    def insert_landing(
        self, f: Code, at: str | Place, to: Landing, when: Condition, *, version: str | None = None, words: str = "code"
    ) -> Point:
        """Make a version of a function with a point that leads to code made for the purpose.

        Args:
            at: see `place_of`.
            version: the name of the new version; None: one that is free.
            words: what it leads to.
        Raises:
            UsageError: `osr-refused`, `osr-place`, `osr-condition`, and as `VirtualMachine.clone`.
            InputError: what LLVM says of the compensation code.
        """
        (point,) = self.insert_landings(f, [(at, to, when)], version=version, words=words)
        return point

    def insert_landings(
        self,
        f: Code,
        at: Sequence[tuple[str | Place, Landing, Condition]],
        *,
        version: str | None = None,
        words: str = "code",
    ) -> list[Point]:
        """The same with several points in one version.

        Args:
            at: where, where to go on, and when.
        Returns: the points, in their order.
        """

        def leave(module: Module, body: Function, places: Sequence[Place]) -> list[Transition]:
            survey, there = Survey.of(module, body), values_there_at(module, body, places)
            return [
                transition_at(module, body, place, needed_by(to, values), survey=survey)
                for place, (_, to, _), values in zip(places, at, there, strict=True)
            ]

        found = self.put_in(f, [(place, when) for place, _, when in at], leave, version=version, words=words)
        try:
            for point, (_, to, _) in zip(found, at, strict=True):
                self.load(point, to)
        except BaseException as error:
            self.take_out(found)
            if isinstance(error, Refused):
                raise refusal(f"go on in {words}", error) from error
            raise
        return found

    def put_in(
        self,
        f: Code,
        at: Sequence[tuple[str | Place, Condition]],
        leave: Leaving,
        *,
        words: str,
        target: Target | None = None,
        version: str | None = None,
    ) -> list[Point]:
        """A version with points, which lead nowhere yet.

        Args:
            at, leave, version: as of `version_with_points`.
            words: what they lead to.
            target: of their checks; None: what `load` makes.
        Raises: as `insert_landing`.
        """
        first = len(self.points)
        cells = [self.new_cell(number, when) for number, (_, when) in enumerate(at, first)]
        made, planned = version_with_points(self.machine, f, at, leave, target or Slot(), first, version)
        found = [
            Point(number, f, each.place, each.when, each.leaving, made, words, cell, self.switches)
            for number, (each, cell) in enumerate(zip(planned, cells, strict=True), first)
        ]
        self.points |= {each.number: each for each in found}
        return found

    def take_out(self, points: Sequence[Point]) -> None:
        """Drop the version that has these points, which code does not run in."""
        for each in points:
            del self.points[each.number]
        self.machine.drop(points[0].code.function, points[0].version)

    def new_cell(self, number: int, when: Condition) -> Cell:
        """The cell of a further point, which code knows as `@sonde.osr.cell.NUMBER`."""
        if self._stub is None:
            self._stub = Stub(self._answer)
            self.machine.imports[SYMBOL] = self._stub.address
        cell = self._cells.new()
        self.switches.add(cell)
        cell[Word.PASSED] = first_count(when)
        cell[Word.NUMBER] = number
        cell[Word.CALLBACK] = self._stub.callback
        self.machine.imports[f"sonde.osr.cell.{number}"] = ctypes.addressof(cell)
        return cell

    def _answer(self, number: int, value: int) -> int:
        point = self.points.get(number)
        return 0 if point is None or point._generation is None else point._generation.ask(value)

    def _generate(self, point: Point, generate: Generator, value: int | None) -> int:
        """Make a target, and let the point lead to it."""
        made = generate(Firing(point, point.code, point.place, value))
        if not isinstance(made, Landing):
            raise TypeError(f"it returned {made!r}, which is no landing")
        address = self.load(point, made, value)
        if value is not None:
            record = (ctypes.c_int64 * 2)(value, address)
            _RECORDS.append(record)  # code that runs may have its address
            point.cell[Word.CODE] = ctypes.addressof(record)
        return address

    def load(self, point: Point, to: Landing, value: int | None = None) -> int:
        """Make the continuation at a landing, and let the point lead to it, if it is for all values.

        Returns: its address.
        Raises:
            Refused: its values or its result do not fit.
            InputError: what LLVM says of it.
        """
        with self._loading:
            managed = point.code.function
            part = f"{point.version.name}.to" + (f".{len(managed.parts)}" if managed.parts else "")
            name = body_name(managed.name, part)
            function = to.module.functions[to.symbol]
            check_signature(function, point.leaving)
            continuation(to.module, function, to.at, name, leaving=point.leaving, state=to.state, linkage="external")
            del to.module.functions[to.symbol]
            module = to.module
            if to.recipe:
                module = parse_recipe(to.recipe).run(module, functions=[name], explains=False).module
            code = self.machine.load_part(managed, part, module, max(to.level, 1))
            point.parts[value] = Part(module.functions[name], code)
            if value is None:
                point.cell[Word.CODE] = code.address
            return code.address

    def _failed(self, point: Point, why: str) -> None:
        point.failures.append(why)
        if point._generation is not None and not point._generation.has_value:
            point.cell[Word.FAILED] = 1  # what comes late is found in the cell all the same
        if self._on_failure is not None:
            self._on_failure(f"the generator of {point.name} {why}; the program goes on there")


_RECORDS: "list[ctypes.Array[ctypes.c_int64]]" = []
"""They live as long as the process, as the code does that may have loaded their addresses."""


def _name_of(generate: Generator) -> str:
    return getattr(generate, "__name__", type(generate).__name__)
