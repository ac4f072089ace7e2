"""Reading back: what became of a marked module's instructions and values in what the passes made of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sonde.ir.bookkeeping.doubts import Trust, doubt
from sonde.ir.bookkeeping.instances import Instance, Instances, MarkedMetadata, Origin
from sonde.ir.bookkeeping.knowledge import State
from sonde.ir.bookkeeping.locations import Location
from sonde.ir.bookkeeping.marks import Marks, Numbered
from sonde.ir.bookkeeping.value_flow import ValueFlow
from sonde.ir.function import Function
from sonde.ir.module import Module

Point = tuple[str, int]
"""A block of the optimised function, and the index of one of its instructions."""


@dataclass(slots=True)
class FunctionMapping:
    """What became of the original in one optimised function."""

    function: Function
    """The optimised one."""
    original: str
    """The function it was made from, with sigil."""
    _marks: Marks
    _flow: ValueFlow
    _origins: dict[Point, Origin]

    @property
    def instances(self) -> list[Instance]:
        """The function itself, then what was inlined into it."""
        return self._flow.instances.all

    def place(self, origin: Origin) -> Numbered:
        """What a number stands for in the original."""
        return self._marks.functions[self.instances[origin.instance].function].place(origin.number)

    def locations_at(self, block: str, index: int, point: Origin | None = None) -> State:
        """Where the original's values are, right before an instruction of the optimised function.

        Args:
            point: what the original is about to do: usually `origin_of(block, index)`. Then only those values are
                listed that the original has made on every path to there, as it has them there. None: all values as
                the original made them last, as far as records tell.
        """
        return self._flow.known_at(block, index, point)

    def locations_along(self, block: str) -> Iterator[State]:
        """The same before each instruction of a block, for the point that it comes from."""
        for index, knowledge in enumerate(self._flow.known_along(block)):
            origin = self.origin_of(block, index)
            yield knowledge.values if origin is None else self._flow.course.at_point(knowledge.copy(), origin)

    def records(self) -> Iterator[tuple[Point, Origin, Location]]:
        """Every record of a value, with the point where it stands: the original has just made the value there."""
        for point, all_known in self._flow.records.items():
            for known in all_known:
                if known.location is not None:
                    yield point, known.origin, known.location

    def origin_of(self, block: str, index: int) -> Origin | None:
        """Which instruction of the original an instruction comes from; None when it comes from several, or from none.

        Passes keep this for what they change in place, and for what they put in its stead. It says where an
        instruction comes from, not that the original's state at that point can be had here.
        """
        return self._origins.get((block, index))

    def origins(self) -> Iterator[tuple[str, int, Origin]]:
        """Block, index and origin of every instruction whose origin is known, in the order of the text."""
        for (block, index), origin in self._origins.items():
            yield block, index, origin

    def copies_of(self, origin: Origin) -> list[Point]:
        """The optimised instructions that come from one of the original, in the order of the text."""
        return [point for point, each in self._origins.items() if each == origin]


@dataclass(slots=True)
class Mapping:
    """What became of a marked module, function by function."""

    marks: Marks
    module: Module
    """The optimised one."""
    trust: Trust
    _metadata: MarkedMetadata
    _made: dict[str, FunctionMapping] = field(default_factory=dict)

    def functions(self) -> dict[str, str]:
        """The optimised functions that were made from marked ones -> which; names with sigil."""
        found = {}
        for function in self.module.defined_functions():
            original = self._metadata.function_of(function.signature.suffix)
            if original is not None:
                found[function.name] = original
        return found

    def function(self, name: str) -> FunctionMapping:
        """What became of the original in an optimised function. Worked out when it is first asked for.

        Raises:
            KeyError: there is no such function, or it was made from none that was marked.
        """
        if name not in self._made:
            function = self.module.functions[name]
            original = self._metadata.function_of(function.signature.suffix)
            if original is None:
                raise KeyError(name)
            instances = Instances(self._metadata, [Instance(original, None, 0)])
            flow = ValueFlow(function, self._metadata, instances)
            doubt(flow, self.trust)
            self._made[name] = FunctionMapping(function, original, self.marks, flow, _origins(function, instances))
        return self._made[name]


def read_back(marks: Marks, module: Module, *, trust: Trust = "confirmed") -> Mapping:
    """Read what passes did to a marked module.

    Args:
        module: what they made of `marks.module`, parsed from LLVM's text.
    Guarantee: where the original and the optimised program are at the same point, with the same effects behind them, a
        value that the optimised one has by `locations_at` is the original's, as far as LLVM's records are right
        (`docs/limitations.md` lists where they are known not to be).
    """
    return Mapping(marks, module, trust, MarkedMetadata(marks, module))


def _origins(function: Function, instances: Instances) -> dict[Point, Origin]:
    found = {}
    for block in function.blocks:
        for index, instruction in enumerate(block.instructions):
            if instruction.location is not None:
                origin = instances.origin(instruction.location)
                if origin is not None and origin.number:
                    found[block.name, index] = origin
    return found
