"""Debug records of an optimised function, read as what they say of the original's values."""

from dataclasses import dataclass

from sonde.ir.analyses import ControlFlow, DominatorTree, dominators
from sonde.ir.bookkeeping.computation import constant_bits
from sonde.ir.bookkeeping.evaluation import evaluate, signed
from sonde.ir.bookkeeping.formula import Argument, Formula, read_formula
from sonde.ir.bookkeeping.instances import Instances, MarkedMetadata, Origin
from sonde.ir.bookkeeping.locations import Computed, Constant, Held, Location, Lost, values_needed
from sonde.ir.bookkeeping.marks import BEFORE_ALL, MarkedFunction
from sonde.ir.function import Function
from sonde.ir.instruction import DebugRecord
from sonde.ir.operands import Operand
from sonde.ir.types import split_list, type_end


@dataclass(frozen=True, slots=True)
class Known:
    """What one record says: the original has just made this value, and here it is."""

    origin: Origin
    location: Location | None
    """None for the beginning of a loop, which is no value."""
    doubts: frozenset[Origin] = frozenset()
    """Values that are no longer to be believed where they are, since this one contradicts them."""


class RecordReader:
    """Reads the records of one optimised function."""

    def __init__(self, function: Function, metadata: MarkedMetadata, instances: Instances) -> None:
        self._metadata = metadata
        self._instances = instances
        self._available = _Availability(function)

    def read(self, record: DebugRecord, block: str, index: int) -> Known | None:
        """What a record says that stands before instruction `index` of a block; None if it is none of ours."""
        if record.kind != "value":
            return None
        text = record.text
        value, variable, expression, location = split_list(text[text.index("(") + 1 : -1])
        stands_for = self._metadata.variable(int(variable[1:]))
        found = self._instances.origin(int(location[1:]))
        if stands_for is None or found is None:
            return None
        number, is_value = stands_for
        origin = Origin(found.instance, number)
        if not is_value:
            return Known(origin, None)
        marked = self._marked(origin)
        type_ = marked.place(number).type
        assert type_ is not None
        said = _read_location(value, expression.removeprefix("!DIExpression(")[:-1], type_)
        if not all(self._available.is_there(name, block, index) for name in values_needed(said)):
            said = Lost("not yet computed")
        return Known(origin, said)

    def _marked(self, origin: Origin) -> MarkedFunction:
        return self._metadata.marks.functions[self._instances.all[origin.instance].function]


class _Availability:
    """Which values are there at a point: those whose definition dominates it. LLVM does not check that of records."""

    def __init__(self, function: Function) -> None:
        self._definitions: dict[str, tuple[str, int]] = {}
        self._edges: dict[str, tuple[str, str]] = {}
        for parameter in function.parameters:
            self._definitions[parameter.name] = (function.entry.name, BEFORE_ALL)
        for block in function.blocks:
            for index, each in enumerate(block.instructions):
                if each.result is not None:
                    self._definitions[each.result] = (block.name, index)
                    if each.opcode == "invoke":
                        self._edges[each.result] = (block.name, each.successors()[0])
        self._tree: DominatorTree = dominators(ControlFlow.of(function))

    def is_there(self, name: str, block: str, index: int) -> bool:
        """Whether a value is made on every path to before instruction `index` of a block."""
        if name in self._edges:
            return self._tree.edge_dominates(*self._edges[name], block)
        where, at = self._definitions[name]
        return at < index if where == block else self._tree.dominates(where, block)


def _read_location(value: str, expression: str, type_: str) -> Location:
    if value.startswith("!DIArgList("):
        operands = tuple(map(_operand, split_list(value[len("!DIArgList(") : -1])))
    elif value.startswith("!"):
        return Lost("nothing known")
    else:
        operands = (_operand(value),)
    if any(each.value in ("poison", "undef") for each in operands):
        return Lost("poison")
    only = operands[0]
    if not expression and only.type == type_:
        return Held(only.value, only.type) if only.value.startswith("%") else Constant(only.value, only.type)
    formula = read_formula(expression, [each.type for each in operands], type_)
    if formula is None:
        return Lost(f"not understood: {expression or only.type}")
    if isinstance(formula, Argument):
        same = operands[formula.index]
        return Held(same.value, same.type) if same.value.startswith("%") else Constant(same.value, same.type)
    if not any(each.value.startswith("%") for each in operands):
        return _constant(formula, operands, type_)
    return Computed(formula, operands, type_)


def _constant(formula: Formula, operands: tuple[Operand, ...], type_: str) -> Location:
    """A formula of constants, which LLVM leaves as it is."""
    bits = [constant_bits(each.value, each.type) for each in operands]
    known = [each for each in bits if each is not None]
    value = evaluate(formula, known) if len(known) == len(bits) else None
    if value is None or not type_.startswith("i"):
        return Computed(formula, operands, type_)
    if type_ == "i1":
        return Constant("true" if value else "false", type_)
    return Constant(str(signed(value, formula.width)), type_)


def _operand(text: str) -> Operand:
    end = type_end(text)
    return Operand(text[:end], text[end + 1 :])
