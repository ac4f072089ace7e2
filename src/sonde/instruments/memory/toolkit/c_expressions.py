"""C of expressions.

Python works out operands from left to right, C in any order. So only plain expressions (see effects.py) become C
expressions; of the others, each step is a statement of its own that names its result.
"""

from collections.abc import Callable, Mapping, Sequence

from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.c_names import c_constant, c_name, c_type
from sonde.instruments.memory.toolkit.containers import MOST_PARTS
from sonde.instruments.memory.toolkit.effects import can_fault_itself, is_plain
from sonde.instruments.memory.toolkit.value_types import HANDLES, Kind, ValueType

_INT_FUNCTIONS = {
    "+": "sn_add",
    "-": "sn_sub",
    "*": "sn_mul",
    "//": "sn_floor_div",
    "%": "sn_mod",
    "<<": "sn_shift_left",
    ">>": "sn_shift_right",
}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OF_COMPARE = {"<": "== -1", ">": "== 1", "==": "== 0", "!=": "!= 0", "<=": "<= 0"}


class ExpressionWriter:
    """Writes the expressions of one function, and the statements that must come before."""

    def __init__(self, emit: Callable[[str], None], methods: Mapping[str, tree.Method], failure: str) -> None:
        """`failure`: the statement that leaves the function after a fault."""
        self._emit = emit
        self._methods = methods
        self._failure = failure
        self._temporaries = 0

    def value(self, node: tree.Expression) -> str:
        """A C expression without effects. What had effects has been emitted."""
        match node:
            case tree.Constant():
                return c_constant(node.value)
            case tree.Local():
                return c_name(node.name)
            case tree.Field():
                return f"self.{c_name(node.name)}"
            case tree.ObjectField():
                return self._object_field(node)
            case tree.Identity():
                return f"{c_name(node.owner.name)}[OBJECT_NUMBER]"
            case tree.LocationField():
                return self._location_field(node)
            case tree.Lookup():
                return f"sn_table_row(&table_{c_name(node.table)}, {self.keys(node.keys)})"
            case tree.Contains():
                return f"sn_table_has(&table_{c_name(node.set)}, {self.keys(node.keys)})"
            case tree.Length():
                return f"(int64_t)table_{c_name(node.set)}.rows"
            case tree.ThreadNumber():
                return f"sn_thread_number({self.value(node.thread)})"
            case tree.TypeIs():
                return f"sn_type_is(&asked_types, {self.value(node.type)}, {node.name})"
            case tree.Cell():
                return f"{self.value(node.row)}[{node.column}]"
            case tree.Unary():
                return self._unary(node)
            case tree.Binary():
                left, right = self.values((node.left, node.right))
                return self.applied(node, left, right)
            case tree.Compare():
                return self._compare(node)
            case tree.Logic():
                return self._logic(node)
            case tree.Choice():
                return self._choice(node)
            case tree.Builtin():
                return self._builtin(node)
            case tree.MethodCall():
                return self.named(node.kind, self.call(node))
        return self.named(Kind.INT, self.access(node))

    def values(self, nodes: Sequence[tree.Expression]) -> list[str]:
        """Several expressions, worked out from left to right."""
        written = []
        for number, node in enumerate(nodes):
            text = self.value(node)
            later = nodes[number + 1 :]
            if not isinstance(node, tree.Constant) and not all(map(is_plain, later)):
                text = self.named(node.kind, text)
            written.append(text)
        return written

    def keys(self, nodes: Sequence[tree.Expression]) -> str:
        """The parts of a key; those that it does not have are 0."""
        return ", ".join([*self.values(nodes), *["0"] * MOST_PARTS][:MOST_PARTS])

    def named(self, kind: ValueType, text: str, *, changes: bool = False) -> str:
        """Give a value a name, so that it is worked out here and once."""
        self._temporaries += 1
        name = f"v{self._temporaries}"
        pointer = c_type(kind).endswith("*")
        self._emit(f"{'' if changes or pointer else 'const '}{c_type(kind)}{name} = {text};")
        return name

    def call(self, node: tree.MethodCall) -> str:
        """A call; what must be looked at afterwards is emitted with it if its result has a name."""
        text = f"method_{c_name(node.method)}({', '.join(self.values(node.arguments))})"
        if not self._methods[node.method].may_fault:
            return text
        if node.kind is Kind.NOTHING:
            self._emit(f"{text};")
        else:
            text = self.named(node.kind, text)
        self._emit(f"if (faults.what) {self._failure}")
        return "" if node.kind is Kind.NOTHING else text

    def access(self, node: tree.CacheAccess) -> str:
        return f"sn_tool_cache_access(&cache_{c_name(node.cache)}, {self.value(node.location)})"

    def applied(self, node: tree.Binary, left: str, right: str) -> str:
        """The result of an operator, whose operands have been worked out; what could fault is looked at before."""
        if can_fault_itself(node):
            left = self.named(node.left.kind, left)
            right = self.named(node.right.kind, right)
            shift = node.operator in ("<<", ">>")
            self.fault(
                f"{right} < 0" if shift else f"{right} == 0",
                node.line,
                "NEGATIVE_SHIFT" if shift else "DIVISION_BY_ZERO",
            )
        if node.kind is Kind.FLOAT:
            return f"({_as_float(node.left, left)} {node.operator} {_as_float(node.right, right)})"
        if node.operator in _INT_FUNCTIONS:
            return f"{_INT_FUNCTIONS[node.operator]}({left}, {right})"
        return f"({left} {node.operator} {right})"

    def fault(self, test: str, line: int, what: str) -> None:
        self._emit(f"if ({test}) {{")
        self._emit(f"sn_fault(&faults, {line}, SN_{what});")
        self._emit(self._failure)
        self._emit("}")

    def _object_field(self, node: tree.ObjectField) -> str:
        text = f"{c_name(node.owner.name)}[field_{c_name(node.name)}]"
        if node.kind is Kind.FLOAT:
            return f"sn_float_of({text})"
        return f"({text} != 0)" if node.kind is Kind.BOOL else text

    def _location_field(self, node: tree.LocationField) -> str:
        member = f"{c_name(node.owner.name)}->{node.name.removeprefix('is_')}"
        if node.kind is Kind.BOOL:
            return f"({member} != 0)"
        return f"((int64_t){member} + 1)" if node.kind in HANDLES else f"(int64_t){member}"

    def _unary(self, node: tree.Unary) -> str:
        operand = self.value(node.operand)
        if node.operator == "not":
            return f"(!{operand})"
        if node.operator == "~":
            return f"sn_invert({operand})"
        if node.operator == "+":
            return f"sn_int({operand})" if node.operand.kind is Kind.BOOL else operand
        return f"(- {operand})" if node.kind is Kind.FLOAT else f"sn_neg({operand})"

    def _compare(self, node: tree.Compare) -> str:
        pairs = list(zip(node.operators, node.operands, node.operands[1:], strict=False))
        if is_plain(node):
            tests = [_comparison(sign, left, self.value(left), right, self.value(right)) for sign, left, right in pairs]
            return tests[0] if len(tests) == 1 else f"({' && '.join(tests)})"
        if len(pairs) == 1:
            left, right = self.values(node.operands)
            return _comparison(node.operators[0], node.operands[0], left, node.operands[1], right)
        left = self.named(node.operands[0].kind, self.value(node.operands[0]))
        result = ""
        for number, (sign, left_node, right_node) in enumerate(pairs):
            right = self.named(right_node.kind, self.value(right_node))
            test = _comparison(sign, left_node, left, right_node, right)
            left = right
            if number == 0:
                result = self.named(Kind.BOOL, test, changes=True)
            else:
                self._emit(f"{result} = {test};")
            if number + 1 < len(pairs):
                self._emit(f"if ({result}) {{")
        for _ in pairs[1:]:
            self._emit("}")
        return result

    def _logic(self, node: tree.Logic) -> str:
        if is_plain(node):
            return f"({(' && ' if node.operator == 'and' else ' || ').join(map(self.value, node.operands))})"
        result = self.named(node.kind, self.value(node.operands[0]), changes=True)
        for operand in node.operands[1:]:
            self._emit(f"if ({result}) {{" if node.operator == "and" else f"if (!{result}) {{")
            self._emit(f"{result} = {self.value(operand)};")
        for _ in node.operands[1:]:
            self._emit("}")
        return result

    def _choice(self, node: tree.Choice) -> str:
        test = self.value(node.test)
        if is_plain(node.then) and is_plain(node.otherwise):
            return f"({test} ? {self.value(node.then)} : {self.value(node.otherwise)})"
        result = self.named(node.kind, "0", changes=True)
        self._emit(f"if ({test}) {{")
        self._emit(f"{result} = {self.value(node.then)};")
        self._emit("} else {")
        self._emit(f"{result} = {self.value(node.otherwise)};")
        self._emit("}")
        return result

    def _builtin(self, node: tree.Builtin) -> str:
        arguments = self.values(node.arguments)
        first, kind = arguments[0], node.arguments[0].kind
        real = kind is Kind.FLOAT
        if node.name in ("min", "max"):
            text = first
            for each in arguments[1:]:
                text = f"sn_{node.name}{'_float' if real else ''}({text}, {each})"
            return text
        if node.name == "abs":
            return f"sn_abs_float({first})" if real else f"sn_abs({first})"
        if node.name == "bool":
            return first if kind is Kind.BOOL else f"({first} != 0)"
        if node.name == "float":
            return first if real else f"(double){first}"
        if not real:
            return f"sn_int({first})" if kind is Kind.BOOL else first
        first = self.named(Kind.FLOAT, first)
        self.fault(f"!sn_is_whole({first})", node.line, "NO_SUCH_INTEGER")
        return f"(int64_t){first}"


def _as_float(node: tree.Expression, text: str) -> str:
    return text if node.kind is Kind.FLOAT else f"(double){text}"


def _comparison(sign: str, left: tree.Expression, left_text: str, right: tree.Expression, right_text: str) -> str:
    """Ints and floats are compared exactly, as Python does."""
    if (left.kind is Kind.FLOAT) == (right.kind is Kind.FLOAT):
        return f"({_widened(left, left_text)} {sign} {_widened(right, right_text)})"
    if left.kind is Kind.FLOAT:
        sign, left_text, right_text = _FLIPPED[sign], right_text, left_text
    compared = f"sn_compare({left_text}, {right_text})"
    return f"(({compared} & ~1) == 0)" if sign == ">=" else f"({compared} {_OF_COMPARE[sign]})"


def _widened(node: tree.Expression, text: str) -> str:
    """Compilers warn of comparing bools with numbers."""
    return f"sn_int({text})" if node.kind is Kind.BOOL else text
