"""A tool after checking: every name is resolved, every expression has its type.

Two stages meet in these values and nowhere else: checking makes them from Python's tree, writing makes C of them.
Lines are those of the tool's file.
"""

from dataclasses import dataclass
from typing import Literal

from sonde.instruments.memory.toolkit.cache import Geometry
from sonde.instruments.memory.toolkit.join_points import JoinPoint
from sonde.instruments.memory.toolkit.value_types import Kind, RowOf, ValueType

ArithmeticOperator = Literal["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"]
Comparison = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Constant:
    value: int | float | bool
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter or local variable."""

    name: str
    kind: ValueType
    line: int


@dataclass(frozen=True, slots=True)
class Field:
    """`self.clock`."""

    name: str
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class ObjectField:
    """`obj.birth`."""

    owner: Local
    name: str
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Identity:
    """`obj` by itself: which object it is."""

    owner: Local
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class LocationField:
    """`loc.ip`."""

    owner: Local
    name: str
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Lookup:
    """`self.by_type[type]`, or `self.all` without keys: a row."""

    table: str
    keys: tuple["Expression", ...]
    kind: RowOf
    line: int


@dataclass(frozen=True, slots=True)
class Contains:
    """`key in self.seen`."""

    set: str
    keys: tuple["Expression", ...]
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Length:
    """`len(self.seen)`."""

    set: str
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class ThreadNumber:
    """`loc.thread.number`."""

    thread: "Expression"
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class TypeIs:
    """`type.is_("Entry")`."""

    type: "Expression"
    name: int
    """Of `type_names` of the tool."""
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Cell:
    """`row.misses`."""

    row: "Expression"
    column: int
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Literal["-", "+", "~", "not"]
    operand: "Expression"
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Binary:
    operator: ArithmeticOperator
    left: "Expression"
    right: "Expression"
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Compare:
    """`a < b < c`: one operator less than operands; each operand is worked out once, and only if it is needed."""

    operators: tuple[Comparison, ...]
    operands: tuple["Expression", ...]
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Logic:
    """`a and b`: of one type, which is that of the result; what is not needed is not worked out."""

    operator: Literal["and", "or"]
    operands: tuple["Expression", ...]
    kind: ValueType
    line: int


@dataclass(frozen=True, slots=True)
class Choice:
    """`a if test else b`."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"
    kind: ValueType
    line: int


@dataclass(frozen=True, slots=True)
class Builtin:
    """`int(x)`, `float(x)`, `bool(x)`, `abs(x)`, `min(...)`, `max(...)`."""

    name: Literal["int", "float", "bool", "abs", "min", "max"]
    arguments: tuple["Expression", ...]
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class MethodCall:
    """`self.weigh(loc)`."""

    method: str
    arguments: tuple["Expression", ...]
    kind: ValueType
    line: int


@dataclass(frozen=True, slots=True)
class CacheAccess:
    """`self.cache.access(loc)`."""

    cache: str
    location: Local
    kind: Kind
    line: int


Expression = (
    Constant
    | Local
    | Field
    | ObjectField
    | Identity
    | LocationField
    | Lookup
    | Contains
    | Length
    | ThreadNumber
    | TypeIs
    | Cell
    | Unary
    | Binary
    | Compare
    | Logic
    | Choice
    | Builtin
    | MethodCall
    | CacheAccess
)
Target = Local | Field | ObjectField | Cell


@dataclass(frozen=True, slots=True)
class Assign:
    target: Target
    value: Expression
    line: int


@dataclass(frozen=True, slots=True)
class Augment:
    """`target op= value`: the target is found and read before the value is worked out."""

    target: Target
    operator: ArithmeticOperator
    value: Expression
    kind: Kind
    line: int


@dataclass(frozen=True, slots=True)
class Add:
    """`self.lives[type].add(value)`."""

    row: Expression
    value: Expression
    line: int


@dataclass(frozen=True, slots=True)
class Insert:
    """`self.seen.add(key)`."""

    set: str
    keys: tuple[Expression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Number:
    """`{value:#x}` of a printed line. `base`: d, x, X, or `truth` for True and False."""

    value: Expression
    base: Literal["d", "x", "X", "truth"]
    prefixed: bool
    zeros: bool
    width: int


@dataclass(frozen=True, slots=True)
class Print:
    output: str | None
    """None: the tool's own output, shown with the report."""
    parts: tuple[str | Number, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose value is not used."""

    call: MethodCall | CacheAccess
    line: int


@dataclass(frozen=True, slots=True)
class If:
    test: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]
    line: int


@dataclass(frozen=True, slots=True)
class While:
    test: Expression
    body: tuple["Statement", ...]
    line: int


@dataclass(frozen=True, slots=True)
class ForRange:
    variable: Local
    bounds: tuple[Expression, Expression, Expression]
    """Start, stop, step."""
    body: tuple["Statement", ...]
    line: int


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    line: int


@dataclass(frozen=True, slots=True)
class Jump:
    kind: Literal["break", "continue", "pass"]
    line: int


Statement = Assign | Augment | Add | Insert | Print | Call | If | While | ForRange | Return | Jump


@dataclass(frozen=True, slots=True)
class Method:
    """A method that advice calls, or advice itself."""

    name: str
    parameters: tuple[Local, ...]
    locals: tuple[Local, ...]
    result: ValueType
    body: tuple[Statement, ...]
    advises: tuple[tuple[str, JoinPoint], ...]
    """(`before` or `after`, join point); none for plain methods."""
    line: int
    may_fault: bool = False
    has_loops: bool = False
    """Itself, or what it calls."""


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    name: str
    kind: Kind
    initial: int | float | bool
    """For handles 0, which is none."""


@dataclass(frozen=True, slots=True)
class TableDeclaration:
    name: str
    keys: tuple[Kind, ...]
    columns: tuple[str, ...] | None
    """None: a histogram; of a set there are none."""
    key_texts: tuple[str, ...]
    """How the parts of its key are written where it is used first."""


@dataclass(frozen=True, slots=True)
class CacheDeclaration:
    name: str
    levels: tuple[Geometry, ...]
    line: int


@dataclass(frozen=True, slots=True)
class OutputDeclaration:
    name: str
    file: str


@dataclass(frozen=True, slots=True)
class TypedTool:
    """All of a tool that is compiled. Methods come after those that they call."""

    name: str
    fields: tuple[FieldDeclaration, ...]
    object_fields: tuple[FieldDeclaration, ...]
    tables: tuple[TableDeclaration, ...]
    caches: tuple[CacheDeclaration, ...]
    outputs: tuple[OutputDeclaration, ...]
    methods: tuple[Method, ...]
    type_names: tuple[str, ...]
    """That its advice asks for."""
    uses_place: bool
    uses_value: bool
    uses_objects: bool
    """Whether objects are told apart: stored, compared, or used as keys."""
    prints: bool
