"""Checking of expressions: names are resolved, types worked out, what is not of the language refused."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from sonde.base.errors import InputError
from sonde.base.near_names import near_or_all
from sonde.instruments.memory.toolkit import hints
from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.containers import MOST_PARTS
from sonde.instruments.memory.toolkit.field_types import Fields, Knowledge, StillUnknown
from sonde.instruments.memory.toolkit.int64 import HIGHEST
from sonde.instruments.memory.toolkit.tool_class import LONGEST_NAME, Declared, ToolClass, is_too_long
from sonde.instruments.memory.toolkit.type_names import MOST_NAMES, has_module
from sonde.instruments.memory.toolkit.value_types import (
    HANDLES,
    LOCATION_FIELDS,
    NUMBERS,
    WHOLE,
    Kind,
    RowOf,
    ValueType,
    described,
)

DEEPEST = 60
"""Expressions within expressions. Python's own parser allows more, but C compilers and people do not like it."""

_ARITHMETIC: dict[type[ast.operator], tree.ArithmeticOperator] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISONS: dict[type[ast.cmpop], tree.Comparison] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_REFUSED: dict[type[ast.expr], str] = {
    ast.Lambda: "a lambda",
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.NamedExpr: "an assignment within an expression",
    ast.Starred: "a starred value",
    ast.JoinedStr: "a text",
    ast.Slice: "a slice",
}


@dataclass(slots=True)
class Scope:
    """The local names of the method that is checked."""

    self_name: str
    method: str
    kinds: dict[str, ValueType]
    assigned: set[str]
    """Those that have a value here, whichever way was taken."""
    parameters: frozenset[str]
    lines: dict[str, int] = field(default_factory=dict)


class Expressions:
    """Checks the expressions of one method."""

    def __init__(
        self,
        tool: ToolClass,
        known: Knowledge,
        scope: Scope,
        call_method: Callable[[ast.Call, str, tuple[tree.Expression, ...]], ValueType],
    ) -> None:
        self._tool = tool
        self._known = known
        self._scope = scope
        self._call_method = call_method
        self._depth = 0

    def value(self, node: ast.expr) -> tree.Expression:
        """Check an expression that must have a value of some type."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._too_deep(node)
        try:
            return self._check(node)
        finally:
            self._depth -= 1

    def number(self, node: ast.expr, kinds: frozenset[Kind] = NUMBERS) -> tree.Expression:
        """Check an expression that must be a number: of the kinds given."""
        value = self.value(node)
        if value.kind not in kinds:
            wanted = "a number" if kinds == NUMBERS else "an int"
            self.refuse(node, f"this is {described(value.kind)}, where {wanted} must be", self._number_hint(value.kind))
        return value

    def truth(self, node: ast.expr) -> tree.Expression:
        """Check what only matters by being true or false; always a bool."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._too_deep(node)
        try:
            return self._truth(node)
        finally:
            self._depth -= 1

    def _truth(self, node: ast.expr) -> tree.Expression:
        match node:
            case ast.BoolOp():
                operator: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
                return tree.Logic(operator, tuple(map(self.truth, node.values)), Kind.BOOL, node.lineno)
            case ast.UnaryOp(op=ast.Not()):
                return tree.Unary("not", self.truth(node.operand), Kind.BOOL, node.lineno)
        value = self.number(node)
        return value if value.kind is Kind.BOOL else tree.Builtin("bool", (value,), Kind.BOOL, node.lineno)

    def _too_deep(self, node: ast.expr) -> NoReturn:
        self.refuse(node, "this is nested too deeply", "work out a part of it in a line of its own")

    def refuse(self, node: ast.AST, fact: str, hint: str | None = None) -> NoReturn:
        self._tool.source.refuse(node, fact, hint)

    def _refusal(self, node: ast.AST, fact: str, hint: str | None = None) -> InputError:
        return self._tool.source.refusal(node, fact, hint)

    def row(self, node: ast.expr) -> tree.Expression | None:
        """A row of a table, if that is what an expression is: a lookup, a table without keys, or a local name."""
        match node:
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=owner), attr=name), slice=key) if (
                owner == self._scope.self_name and self._container(name) in ("Counts", "Histogram")
            ):
                return self._lookup(node, name, self.key(node, name, key))
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (
                owner == self._scope.self_name and self._container(name) in ("Counts", "Histogram")
            ):
                self._key_kinds(node, name, ())
                return self._lookup(node, name, ())
            case ast.Name(id=name) if isinstance(self._scope.kinds.get(name), RowOf):
                return self._name(node)
        return None

    def column(self, node: ast.Attribute, row: tree.Expression) -> tree.Cell:
        """`row.misses`."""
        assert isinstance(row.kind, RowOf)
        declared = self._tool.declared[row.kind.table]
        if declared.container == "Histogram":
            self.refuse(node, f"advice can only add to {row.kind.table!r}: it is a Histogram", "write .add(value)")
        if node.attr not in declared.texts:
            self.refuse(node, f"{row.kind.table!r} has no column {node.attr!r}", near_or_all(node.attr, declared.texts))
        return tree.Cell(row, declared.texts.index(node.attr), Kind.INT, node.lineno)

    def arguments(self, call: ast.Call) -> tuple[tree.Expression, ...]:
        if call.keywords:
            self.refuse(call.keywords[0].value, "advice gives arguments by position")
        return tuple(self._owner(each) for each in call.args)

    def _check(self, node: ast.expr) -> tree.Expression:
        match node:
            case ast.Constant(value=bool()):
                return tree.Constant(bool(node.value), Kind.BOOL, node.lineno)
            case ast.Constant(value=int(number)):
                if number > HIGHEST:
                    self.refuse(node, "this number does not fit into 64 bits")
                return tree.Constant(number, Kind.INT, node.lineno)
            case ast.Constant(value=float(real)):
                return tree.Constant(real, Kind.FLOAT, node.lineno)
            case ast.Constant(value=str() | bytes()):
                self.refuse(node, "advice has no texts, but for what it prints", hints.ALLOWED)
            case ast.Constant():
                self.refuse(node, f"advice has no {ast.unparse(node)}", hints.ALLOWED)
            case ast.Name():
                return self._identity(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                left, right = self.value(node.left), self.value(node.right)
                return self.binary(node, node.op, left, right)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                return self._logic(node)
            case ast.IfExp():
                test = self.truth(node.test)
                then, otherwise = self.value(node.body), self.value(node.orelse)
                self._same(node, then, otherwise)
                return tree.Choice(test, then, otherwise, then.kind, node.lineno)
            case ast.Call():
                return self._call(node)
        raise self._refusal(node, f"advice cannot have {_REFUSED.get(type(node), 'this')}", hints.ALLOWED)

    def _name(self, node: ast.Name) -> tree.Expression:
        name = node.id
        if name in self._scope.kinds:
            if name not in self._scope.assigned:
                self.refuse(node, f"{name!r} may have no value here", "give it one before the if or the loop")
            kind = self._scope.kinds[name]
            if kind is Kind.UNKNOWN:
                raise StillUnknown
            return tree.Local(name, kind, node.lineno)
        if name in self._tool.constants:
            number = self._tool.constants[name]
            return tree.Constant(number, Kind(type(number).__name__), node.lineno)
        if name == self._scope.self_name:
            self.refuse(node, f"{name!r} by itself is no value")
        declared = self._tool.declared.get(name)
        hint = f"write {self._scope.self_name}.{name}" if declared else None
        known = [*self._scope.kinds, *self._tool.constants]
        hint = hint or (near_or_all(name, known) if known else hints.ALLOWED)
        raise self._refusal(node, f"{name!r} is not known here", hint)

    def _identity(self, node: ast.Name) -> tree.Expression:
        """What a name means as a value: of `obj`, which object it is."""
        named = self._name(node)
        if not isinstance(named, tree.Local) or named.kind is not Kind.INSTANCE:
            return named
        self._known.uses_objects = True
        return tree.Identity(named, Kind.OBJECT, node.lineno)

    def _owner(self, node: ast.expr) -> tree.Expression:
        """What is had as a whole: `obj` with its fields."""
        return self._name(node) if isinstance(node, ast.Name) else self.value(node)

    def _attribute(self, node: ast.Attribute) -> tree.Expression:
        if isinstance(node.value, ast.Name) and node.value.id == self._scope.self_name:
            row = self.row(node)
            return row if row is not None else self._field(node)
        row = self.row(node.value)
        if row is not None:
            return self.column(node, row)
        owner = self._owner(node.value)
        if owner.kind is Kind.LOCATION and isinstance(owner, tree.Local):
            if node.attr not in LOCATION_FIELDS:
                self.refuse(node, f"a location has no {node.attr!r}", near_or_all(node.attr, LOCATION_FIELDS))
            self._known.uses_place |= node.attr in ("method", "line", "place")
            self._known.uses_value |= node.attr == "value"
            return tree.LocationField(owner, node.attr, LOCATION_FIELDS[node.attr], node.lineno)
        if owner.kind is Kind.INSTANCE and isinstance(owner, tree.Local):
            kind = self._known_kind(node, self._known.objects, "objects have no field")
            return tree.ObjectField(owner, node.attr, kind, node.lineno)
        if owner.kind is Kind.THREAD and node.attr == "number":
            return tree.ThreadNumber(owner, Kind.INT, node.lineno)
        fact = f"{described(owner.kind)} has no {node.attr!r} in advice"
        raise self._refusal(node, fact, hints.of_handle(owner.kind))

    def _field(self, node: ast.Attribute) -> tree.Field:
        container = self._container(node.attr)
        if container is not None:
            hint = hints.of_set(node.attr) if container == "Set" else None
            self.refuse(node, f"{node.attr!r} is {_article(container)}, not a number", hint)
        declared = self._tool.declared.get(node.attr)
        if declared is not None and declared.number is None:
            hint = 'advice has numbers, Set(), Counts("hits"), Histogram(), Cache(...) and Output("file")'
            self.refuse(node, f"advice cannot use {node.attr!r}, which is none of its own", hint)
        if node.attr in self._tool.methods:
            self.refuse(node, f"{node.attr!r} is a method", f"call it: self.{node.attr}(...)")
        return tree.Field(node.attr, self._known_kind(node, self._known.tool, "the tool has no field"), node.lineno)

    def _known_kind(self, node: ast.Attribute, fields: Fields, fact: str) -> Kind:
        if node.attr in fields.kinds:
            return fields.kinds[node.attr]
        if not self._known.strict:
            raise StillUnknown
        known = list(fields.kinds)
        hint = near_or_all(node.attr, known) if known else "a field comes to be by being assigned to"
        if fields is self._known.objects and node.attr in ("size", "address"):
            hint = f'keep it when the object is told of: obj.{node.attr} = loc.{node.attr} after "object:create"'
        raise self._refusal(node, f"{fact} {node.attr!r}: nothing is ever assigned to it", hint)

    def _subscript(self, node: ast.Subscript) -> tree.Expression:
        row = self.row(node)
        if row is None:
            held = self.set_named(node.value)
            self.refuse(
                node, "only rows of Counts and Histograms of the tool are had by key", held and hints.of_set(held)
            )
        return row

    def set_named(self, node: ast.expr) -> str | None:
        """The name of a Set of the tool, if that is what an expression is."""
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (
                owner == self._scope.self_name and self._container(name) == "Set"
            ):
                return name
        return None

    def key(self, at: ast.expr, name: str, node: ast.expr) -> tuple[tree.Expression, ...]:
        """Check a key of a table or set: its parts."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        if not 1 <= len(parts) <= MOST_PARTS:
            self.refuse(at, f"a key has one to three parts, not {len(parts)}")
        keys = tuple(self._part(part) for part in parts)
        self._known.key_texts.setdefault(name, tuple(map(ast.unparse, parts)))
        self._key_kinds(at, name, keys)
        return keys

    def _part(self, node: ast.expr) -> tree.Expression:
        part = self.value(node)
        if part.kind not in HANDLES | {Kind.INT}:
            hint = "keys are types, methods, places, threads, objects, ints"
            hint = "write int(...) around it" if part.kind is Kind.BOOL else hint
            self.refuse(node, f"{described(part.kind)} cannot be a key", hint)
        return part

    def _key_kinds(self, node: ast.expr, name: str, keys: tuple[tree.Expression, ...]) -> None:
        """Keys of one table are all alike."""
        kinds = tuple(key.kind for key in keys if isinstance(key.kind, Kind))
        line = self._known.key_lines.setdefault(name, node.lineno)
        if (before := self._known.table_keys.setdefault(name, kinds)) != kinds:
            listed = [", ".join(kind.value for kind in each) or "nothing" for each in (kinds, before)]
            self.refuse(node, f"the key of {name!r} is {listed[0]} here, and {listed[1]} in line {line}")

    def _lookup(self, node: ast.expr, name: str, keys: tuple[tree.Expression, ...]) -> tree.Lookup:
        return tree.Lookup(name, keys, RowOf(name), node.lineno)

    def _unary(self, node: ast.UnaryOp) -> tree.Expression:
        if isinstance(node.op, ast.Not):
            return self.truth(node)
        operand = self.number(node.operand, WHOLE if isinstance(node.op, ast.Invert) else NUMBERS)
        if isinstance(node.op, ast.Invert) and operand.kind is Kind.BOOL:
            self.refuse(node, "~ of a bool is hardly what is meant", "write not")
        kind = Kind.FLOAT if operand.kind is Kind.FLOAT else Kind.INT
        operators: dict[type[ast.unaryop], Literal["-", "+", "~"]] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
        return tree.Unary(operators[type(node.op)], operand, kind, node.lineno)

    def binary(
        self, node: ast.expr | ast.stmt, operator: ast.operator, left: tree.Expression, right: tree.Expression
    ) -> tree.Binary:
        """The result of an operator, also of an augmented assignment."""
        sign = _ARITHMETIC.get(type(operator))
        if sign is None:
            self.refuse(node, "advice has no such operator", f"there are: {' '.join(_ARITHMETIC.values())}")
        for side in (left, right):
            if side.kind not in NUMBERS:
                self.refuse(node, f"{sign} of {described(side.kind)}: numbers only", self._number_hint(side.kind))
        kinds = {left.kind, right.kind}
        kind = Kind.INT
        if sign == "/" or (sign in ("+", "-", "*") and Kind.FLOAT in kinds):
            kind = Kind.FLOAT
        elif Kind.FLOAT in kinds:
            self.refuse(node, f"{sign} of a float: ints only", "write int(...) around it")
        elif sign in ("&", "|", "^") and kinds == {Kind.BOOL}:
            kind = Kind.BOOL
        return tree.Binary(sign, left, right, kind, node.lineno)

    def _compare(self, node: ast.Compare) -> tree.Expression:
        if any(isinstance(each, ast.In | ast.NotIn) for each in node.ops):
            return self._contains(node)
        nodes = [node.left, *node.comparators]
        for text in nodes:
            if hint := hints.of_names([text]):
                kind = self._asked(next(each for each in nodes if each is not text))
                hint = hint if kind is Kind.TYPE else hints.of_handle(kind) or hints.ALLOWED
                self.refuse(text, "advice has no texts that it could compare", hint)
        if any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
            return self._is_none(node)
        operands = [self.value(each) for each in nodes]
        operators = []
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            sign = _COMPARISONS[type(operator)]
            handles = left.kind in HANDLES and left.kind == right.kind and sign in ("==", "!=")
            if not handles and not {left.kind, right.kind} <= NUMBERS:
                between = f"{described(left.kind)} {sign} {described(right.kind)}"
                is_number = {left.kind, right.kind} == {Kind.THREAD, Kind.INT}
                hint = "write loc.thread.number" if is_number else hints.HANDLES_COMPARED
                self.refuse(node, f"{between} cannot be compared", hint)
            operators.append(sign)
        return tree.Compare(tuple(operators), tuple(operands), Kind.BOOL, node.lineno)

    def _asked(self, node: ast.expr) -> ValueType:
        """The type of what is compared with a text: `type.name` is asked of `type`."""
        inner = node.value if isinstance(node, ast.Attribute) and node.attr in ("name", "is_") else node
        return self._owner(inner).kind

    def _contains(self, node: ast.Compare) -> tree.Expression:
        name = self.set_named(node.comparators[-1])
        if name is None or len(node.ops) > 1:
            listed = getattr(node.comparators[-1], "elts", [])
            hint = hints.of_names(listed) or "declare seen = Set() in the class: key in self.seen"
            self.refuse(node, "only a Set of the tool is asked with in", hint)
        found = tree.Contains(name, self.key(node, name, node.left), Kind.BOOL, node.lineno)
        return found if isinstance(node.ops[0], ast.In) else tree.Unary("not", found, Kind.BOOL, node.lineno)

    def _is_none(self, node: ast.Compare) -> tree.Compare:
        match node.ops, node.comparators:
            case [ast.Is() | ast.IsNot() as operator], [ast.Constant(value=None)]:
                owner = self.value(node.left)
            case _:
                self.refuse(node, "is asks for None only", "write ==")
        if not isinstance(owner.kind, Kind) or owner.kind not in HANDLES:
            self.refuse(node, f"{described(owner.kind)} is never None", "numbers begin with 0")
        none = tree.Constant(0, owner.kind, node.lineno)
        sign: tree.Comparison = "==" if isinstance(operator, ast.Is) else "!="
        return tree.Compare((sign,), (owner, none), Kind.BOOL, node.lineno)

    def _logic(self, node: ast.BoolOp) -> tree.Logic:
        operands = tuple(self.number(each) for each in node.values)
        for each in operands[1:]:
            self._same(node, operands[0], each)
        return tree.Logic("and" if isinstance(node.op, ast.And) else "or", operands, operands[0].kind, node.lineno)

    def _same(self, node: ast.expr, left: tree.Expression, right: tree.Expression) -> None:
        if left.kind != right.kind:
            hint = (
                "make both comparisons" if isinstance(node, ast.BoolOp) else "write int(...) or float(...) around one"
            )
            self.refuse(node, f"this is either {described(left.kind)} or {described(right.kind)}", hint)
        if left.kind not in NUMBERS | HANDLES:
            self.refuse(node, f"{described(left.kind)} cannot be chosen", hints.ALLOWED)

    def _call(self, node: ast.Call) -> tree.Expression:
        match node.func:
            case ast.Name(id="int" | "float" | "bool" | "abs" | "min" | "max" as name) if name not in self._scope.kinds:
                return self._builtin(node, name)
            case ast.Name(id="len") if "len" not in self._scope.kinds:
                set_name = self.set_named(node.args[0]) if len(node.args) == 1 and not node.keywords else None
                if set_name is None:
                    self.refuse(
                        node, "only a Set of the tool has a len", "declare seen = Set() in the class: len(self.seen)"
                    )
                return tree.Length(set_name, Kind.INT, node.lineno)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr=name), attr=called) if (
                owner == self._scope.self_name and self._container(name) == "Cache"
            ):
                arguments = self.arguments(node)
                if called != "access" or len(arguments) != 1 or arguments[0].kind is not Kind.LOCATION:
                    self.refuse(node, f"a Cache is told of locations: self.{name}.access(loc)")
                assert isinstance(arguments[0], tree.Local)
                return tree.CacheAccess(name, arguments[0], Kind.INT, node.lineno)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self._scope.self_name:
                kind = self._call_method(node, name, arguments := self.arguments(node))
                return tree.MethodCall(name, arguments, kind, node.lineno)
            case ast.Attribute(value=inner, attr="is_"):
                return self._type_is(node, inner)
            case ast.Attribute(value=inner, attr=called) if called != "add" and (held := self.set_named(inner)):
                self.refuse(node, f"a Set has no {called!r}", hints.of_set(held))
            case ast.Attribute(value=inner, attr="add" | "print") if self._is_declared(inner):
                self.refuse(node, "this has no value", "write it in a line of its own")
            case ast.Attribute(value=inner, attr=called):
                if not (self._is_declared(inner) or self.row(inner)):
                    self._attribute(node.func)  # says what is wrong, if anything is
                    self.refuse(node.func, f"{called!r} is no method", f"write {ast.unparse(node.func)} without ()")
        known = ("int", "float", "bool", "abs", "min", "max", "range", "print")
        called = ast.unparse(node.func)
        hint = hints.of_call(called) or near_or_all(called, known)
        if called in self._tool.methods:
            hint = f"write {self._scope.self_name}.{called}(...)"
        raise self._refusal(node, f"advice cannot call {called!r}", hint)

    def _type_is(self, node: ast.Call, inner: ast.expr) -> tree.TypeIs:
        owner = self.value(inner)
        if owner.kind is not Kind.TYPE:
            self.refuse(node, f"{described(owner.kind)} has no 'is_' in advice", 'types have it: type.is_("Entry")')
        match node.args, node.keywords:
            case [ast.Constant(value=str(name)) as given], []:
                pass
            case _:
                self.refuse(node, "is_ takes one name in quotes", 'write type.is_("Entry")')
        if not name.strip() or "\0" in name or is_too_long(name):
            self.refuse(given, f"this is no name of a type: it has 1 to {LONGEST_NAME} bytes")
        if has_module(name):
            last = name.rpartition(".")[2]
            fact = "the module of a class is not known while the program runs"
            self.refuse(given, fact, f'ask for its last part: is_("{last}")')
        names = self._known.type_names
        if name not in names:
            names.append(name)
        if len(names) > MOST_NAMES:
            self.refuse(given, f"a tool asks for {MOST_NAMES} names at most")
        return tree.TypeIs(owner, names.index(name), Kind.BOOL, node.lineno)

    def _builtin(self, node: ast.Call, name: Literal["int", "float", "bool", "abs", "min", "max"]) -> tree.Builtin:
        if node.keywords:
            self.refuse(node, f"{name} takes values only")
        arguments = tuple(self.number(each) for each in node.args)
        least, most = (2, 16) if name in ("min", "max") else (1, 1)
        if not least <= len(arguments) <= most:
            self.refuse(
                node, f"{name} takes {'two or more values' if least == 2 else 'one value'}, not {len(arguments)}"
            )
        kinds = {argument.kind for argument in arguments}
        if name in ("min", "max") and (len(kinds) > 1 or Kind.BOOL in kinds):
            self.refuse(node, f"{name} takes ints only, or floats only", "write int(...) or float(...)")
        first = arguments[0].kind
        assert isinstance(first, Kind)
        kind = {"int": Kind.INT, "float": Kind.FLOAT, "bool": Kind.BOOL}.get(name, first)
        return tree.Builtin(name, arguments, Kind.INT if kind is Kind.BOOL and name == "abs" else kind, node.lineno)

    def _is_declared(self, node: ast.expr) -> bool:
        """Whether it is a container of the tool, or a row of one."""
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self._scope.self_name:
                return self._container(name) is not None
            case ast.Subscript(value=inner):
                return self._is_declared(inner)
        return False

    def _container(self, name: str) -> str | None:
        declared: Declared | None = self._tool.declared.get(name)
        return declared.container if declared else None

    def _number_hint(self, kind: ValueType) -> str | None:
        if isinstance(kind, RowOf):
            return f"name a column: {', '.join(self._tool.declared[kind.table].texts) or '.add(value)'}"
        return "it can be a key, and be compared with == and is None" if kind in HANDLES else None


def _article(container: str) -> str:
    return f"{'an' if container == 'Output' else 'a'} {container}"
