"""Checking of methods: one statement after the other, with the local names that have a value by then."""

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from sonde.instruments.memory.toolkit import hints
from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.check_expressions import Expressions, Scope
from sonde.instruments.memory.toolkit.field_types import Fields, Knowledge, StillUnknown
from sonde.instruments.memory.toolkit.tool_class import LONGEST_NAME, ToolClass, is_too_long
from sonde.instruments.memory.toolkit.value_types import STORABLE, WHOLE, Kind, RowOf, ValueType, described

LONGEST_LINE = 1000
"""Bytes that a printed line may have, all numbers at their longest."""

_NUMBER_BYTES = 24
_FORMAT = re.compile(r"(?P<prefix>#?)(?P<zeros>0?)(?P<width>[1-9]\d?)?(?P<base>[dxX]?)", re.ASCII)
_REFUSED: dict[type[ast.stmt], str] = {
    ast.Try: "try",
    ast.With: "with",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.FunctionDef: "a function within a method",
    ast.ClassDef: "a class",
    ast.Raise: "raise",
    ast.Assert: "assert",
    ast.Delete: "del",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Match: "match",
}
_ALLOWED = "there are: assignments, if, while, for ... in range(...), break, continue, pass, return, calls"


@dataclass(frozen=True, slots=True)
class _Ways:
    """Whether what comes behind a block of statements can be reached from its end."""

    goes_on: bool


class Statements:
    """Checks the body of one method."""

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
        self._expressions = Expressions(tool, known, scope, call_method)
        self._loops = 0
        self.result: ValueType | None = None
        """What the method returns; None until a `return` was seen, or its end."""

    def method_body(self, node: ast.FunctionDef) -> tuple[tree.Statement, ...]:
        """Check all of a method. Its locals are in the scope afterwards, its result in `result`."""
        body, ways = self._block(node.body)
        if ways.goes_on:
            if self.result not in (None, Kind.NOTHING, Kind.UNKNOWN):
                self._refuse(node.body[-1], f"{node.name!r} may end here without a value", "return one on every way")
            self.result = self.result or Kind.NOTHING
        return body

    def _block(self, nodes: Sequence[ast.stmt]) -> tuple[tuple[tree.Statement, ...], _Ways]:
        checked: list[tree.Statement] = []
        ways = _Ways(True)
        for node in nodes:
            if not ways.goes_on:
                self._refuse(node, "this is never reached")
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                continue  # a docstring
            try:
                statement, ways = self._statement(node)
            except StillUnknown:
                if self._known.strict:
                    raise
                continue
            checked.append(statement)
        return tuple(checked), ways

    def _statement(self, node: ast.stmt) -> tuple[tree.Statement, _Ways]:
        match node:
            case ast.Assign(targets=[target], value=value):
                return self._assign(node, target, value), _Ways(True)
            case ast.Assign():
                self._refuse(node, "one assignment at a time")
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._assign(node, target, value), _Ways(True)
            case ast.AugAssign():
                return self._augment(node), _Ways(True)
            case ast.If():
                return self._if(node)
            case ast.While():
                return self._while(node), _Ways(True)
            case ast.For():
                return self._for(node), _Ways(True)
            case ast.Return():
                return self._return(node), _Ways(False)
            case ast.Break() | ast.Continue():
                return tree.Jump("break" if isinstance(node, ast.Break) else "continue", node.lineno), _Ways(False)
            case ast.Pass():
                return tree.Jump("pass", node.lineno), _Ways(True)
            case ast.Expr():
                return self._expression(node), _Ways(True)
        raise self._tool.source.refusal(node, f"advice cannot have {_REFUSED.get(type(node), 'this')}", _ALLOWED)

    def _assign(self, node: ast.stmt, target: ast.expr, value_node: ast.expr) -> tree.Statement:
        row = self._row(value_node)
        if row is not None and isinstance(target, ast.Name):
            return tree.Assign(self._local(target, row.kind), row, node.lineno)
        value = self._value(value_node)
        if isinstance(target, ast.Name):
            if value is not None and value.kind not in STORABLE:
                self._refuse(value_node, f"{described(value.kind)} cannot be kept in a local name")
            local = self._local(target, value.kind if value else Kind.UNKNOWN)
            return tree.Assign(local, value, node.lineno) if value else tree.Jump("pass", node.lineno)
        kind = value.kind if value else None
        if kind is not None and kind not in STORABLE:
            self._refuse(value_node, f"{described(kind)} cannot be kept in a field")
        place = self._target(target, kind if isinstance(kind, Kind) else None, augmented=False)
        return tree.Assign(place, value, node.lineno) if place and value else tree.Jump("pass", node.lineno)

    def _augment(self, node: ast.AugAssign) -> tree.Statement:
        value = self._value(node.value)
        if isinstance(node.target, ast.Name):
            if node.target.id not in self._scope.kinds:
                self._refuse(node.target, f"{node.target.id!r} has no value yet", f"write {node.target.id} = 0 before")
            before = self._value(node.target)
            if before is None or value is None:
                return tree.Jump("pass", node.lineno)
            result = self._expressions.binary(node, node.op, before, value).kind
            return tree.Augment(
                self._local(node.target, result), self._sign(node, before, value), value, result, node.lineno
            )
        guess = None
        if value is not None:
            zero = tree.Constant(0, Kind.INT, node.lineno)
            guess = self._expressions.binary(node, node.op, zero, value).kind
        place = self._target(node.target, guess, augmented=True)
        if place is None or value is None:
            return tree.Jump("pass", node.lineno)
        checked = self._expressions.binary(node, node.op, place, value)
        if checked.kind is not place.kind:
            self._refuse(
                node, f"{described(place.kind)} would become {described(checked.kind)}", _conversion(place.kind)
            )
        return tree.Augment(place, checked.operator, value, checked.kind, node.lineno)

    def _sign(self, node: ast.AugAssign, left: tree.Expression, right: tree.Expression) -> tree.ArithmeticOperator:
        return self._expressions.binary(node, node.op, left, right).operator

    def _local(self, node: ast.Name, kind: ValueType) -> tree.Local:
        """Take note that a local name gets a value."""
        name, scope = node.id, self._scope
        if name == scope.self_name:
            self._refuse(node, f"{name!r} cannot be changed")
        before = scope.kinds.get(name, Kind.UNKNOWN)
        if before in (Kind.LOCATION, Kind.INSTANCE):
            self._refuse(node, f"{name!r} cannot be changed: it is {described(before)}")
        if Kind.UNKNOWN not in (before, kind) and before != kind:
            where = "as a parameter" if name in scope.parameters else f"in line {scope.lines[name]}"
            self._refuse(
                node, f"{name!r} is {described(kind)} here, and {described(before)} {where}", _conversion(before)
            )
        if before is Kind.UNKNOWN:
            scope.kinds[name] = kind
            scope.lines.setdefault(name, node.lineno)
        scope.assigned.add(name)
        return tree.Local(name, scope.kinds[name], node.lineno)

    def _target(self, node: ast.expr, kind: Kind | None, *, augmented: bool) -> tree.Target | None:
        """A field that gets a value of that kind; None while its type is not known."""
        if not isinstance(node, ast.Attribute):
            hint = _ALLOWED
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
                declared = self._tool.declared.get(node.value.attr)
                texts = declared.texts if declared else ()
                hint = hints.of_row(node.value.attr, declared.container if declared else None, texts)
            self._refuse(node, "advice assigns to names and fields only", hint)
        row = self._expressions.row(node.value)
        if row is not None:
            cell = self._expressions.column(node, row)
            if kind is not None and kind not in WHOLE:
                self._refuse(node, f"a column is an int, and this is {described(kind)}", "write int(...)")
            return cell
        owner = self._scope.kinds.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(node.value, ast.Name) and node.value.id == self._scope.self_name:
            return self._tool_field(node, kind, augmented=augmented)
        if owner is Kind.INSTANCE and isinstance(node.value, ast.Name):
            known = self._field_kind(node, self._known.objects, kind, augmented=augmented)
            local = tree.Local(node.value.id, Kind.INSTANCE, node.lineno)
            return tree.ObjectField(local, node.attr, known, node.lineno) if known else None
        if owner is Kind.LOCATION:
            self._refuse(node, "a location cannot be changed")
        held = self._value(node.value)  # may say itself what is wrong
        if held and held.kind is Kind.OBJECT:
            self._refuse(node, "a stored object has no fields", hints.of_handle(Kind.OBJECT))
        raise self._tool.source.refusal(node, "advice assigns to fields of the tool and of objects only", _ALLOWED)

    def _tool_field(self, node: ast.Attribute, kind: Kind | None, *, augmented: bool) -> tree.Field | None:
        declared = self._tool.declared.get(node.attr)
        if node.attr in self._tool.methods:
            self._refuse(node, f"{node.attr!r} is a method, and cannot be changed", "call the field something else")
        if declared and declared.number is None:
            self._refuse(node, f"{node.attr!r} is no number, and cannot be changed")
        known = self._field_kind(node, self._known.tool, kind, augmented=augmented)
        return tree.Field(node.attr, known, node.lineno) if known else None

    def _field_kind(self, node: ast.Attribute, fields: Fields, kind: Kind | None, *, augmented: bool) -> Kind | None:
        if node.attr.startswith("__"):
            self._refuse(node, "names of fields do not begin with two underscores")
        if is_too_long(node.attr):
            self._refuse(node, f"a name has more than {LONGEST_NAME} bytes")
        fields.assigned.setdefault(node.attr, node.lineno)
        known = fields.kinds.get(node.attr)
        if kind is None:
            return known
        if augmented:
            fields.guesses.setdefault(node.attr, (kind, node.lineno))
            return known
        if known is None:
            self._known.learnt |= fields.learn(node.attr, kind, node.lineno)
        elif known is not kind:
            where = f"line {fields.lines[node.attr]}" if fields.lines[node.attr] != node.lineno else "this line, too"
            fact = f"{node.attr!r} is {described(known)} by {where}, and gets {described(kind)} here"
            self._refuse(node, fact, _conversion(known))
        return kind

    def _if(self, node: ast.If) -> tuple[tree.Statement, _Ways]:
        test = self._truth(node.test)
        before = set(self._scope.assigned)
        then, then_ways = self._block(node.body)
        after_then, self._scope.assigned = self._scope.assigned, set(before)
        otherwise, else_ways = self._block(node.orelse)
        if not else_ways.goes_on:
            self._scope.assigned = after_then
        elif then_ways.goes_on:
            self._scope.assigned &= after_then
        statement = tree.If(test, then, otherwise, node.lineno)
        return statement, _Ways(then_ways.goes_on or else_ways.goes_on)

    def _while(self, node: ast.While) -> tree.Statement:
        test = self._truth(node.test)
        return tree.While(test, self._loop(node), node.lineno)

    def _for(self, node: ast.For) -> tree.Statement:
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]) if 1 <= len(arguments) <= 3:
                bounds = [self._whole(each) for each in arguments]
            case _:
                held = self._expressions.set_named(node.iter)
                hint = "report() can go through it" if held else "write for i in range(...)"
                self._refuse(node.iter, "advice counts only", hint)
        if not isinstance(node.target, ast.Name):
            self._refuse(node.target, "this must be a name")
        before = set(self._scope.assigned)
        variable = self._local(node.target, Kind.INT)
        body = self._loop(node)
        self._scope.assigned.intersection_update(before)
        zero, one = (tree.Constant(number, Kind.INT, node.lineno) for number in (0, 1))
        start, stop, step = {1: (zero, *bounds, one), 2: (*bounds, one), 3: tuple(bounds)}[len(bounds)]
        return tree.ForRange(variable, (start, stop, step), body, node.lineno)

    def _loop(self, node: ast.For | ast.While) -> tuple[tree.Statement, ...]:
        if node.orelse:
            self._refuse(node.orelse[0], "loops of advice have no else")
        before = set(self._scope.assigned)
        body, _ = self._block(node.body)
        self._scope.assigned.intersection_update(before)
        return body

    def _return(self, node: ast.Return) -> tree.Statement:
        value = self._value(node.value) if node.value else None
        kind: ValueType = Kind.NOTHING if node.value is None else value.kind if value else Kind.UNKNOWN
        if kind not in STORABLE | {Kind.NOTHING, Kind.UNKNOWN}:
            self._refuse(node, f"{described(kind)} cannot be returned")
        if self._scope.method in self._tool.advice and node.value is not None:
            self._refuse(node, "advice returns nothing", "write return by itself")
        if self.result not in (None, Kind.UNKNOWN) and kind is not Kind.UNKNOWN and self.result != kind:
            assert self.result is not None
            self._refuse(node, f"this returns {described(kind)}, and {described(self.result)} before")
        if self.result is None or self.result is Kind.UNKNOWN:
            self.result = kind
        return tree.Return(value, node.lineno)

    def _expression(self, node: ast.Expr) -> tree.Statement:
        match node.value:
            case ast.Call(func=ast.Name(id="print")) as call:
                self._known.prints = True
                return self._print(call, None)
            case (
                ast.Call(
                    func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr=name), attr=called)
                ) as call
            ) if owner == self._scope.self_name and self._is(name, "Output"):
                if called != "print":
                    self._refuse(call, f"an Output has no {called!r}", f"write self.{name}.print(...)")
                return self._print(call, name)
            case ast.Call(func=ast.Attribute(value=inner, attr="add"), args=arguments) as call if (
                set_name := self._expressions.set_named(inner)
            ):
                if len(arguments) != 1 or call.keywords:
                    self._refuse(call, "add takes one key", f"write self.{set_name}.add((a, b)) for a key of two parts")
                return self._insert(call, set_name, arguments[0])
            case ast.Call(func=ast.Attribute(value=inner, attr="add"), args=arguments) as call:
                row = self._expressions.row(inner)
                if row is not None and isinstance(row.kind, RowOf):
                    if not self._is(row.kind.table, "Histogram"):
                        self._refuse(call, f"{row.kind.table!r} has columns", "write self.table[key].column += 1")
                    if len(arguments) != 1 or call.keywords:
                        self._refuse(call, "add takes one value", f"write self.{row.kind.table}[key].add(value)")
                    return tree.Add(row, self._whole(arguments[0]), node.lineno)
            case ast.Call():
                pass
            case _:
                self._refuse(node, "this does nothing", _ALLOWED)
        value = self._value_or_nothing(node.value)
        if value is None:
            return tree.Jump("pass", node.lineno)
        if not isinstance(value, tree.MethodCall | tree.CacheAccess):
            self._refuse(node, "this does nothing", _ALLOWED)
        return tree.Call(value, node.lineno)

    def _insert(self, call: ast.Call, name: str, key: ast.expr) -> tree.Statement:
        try:
            return tree.Insert(name, self._expressions.key(call, name, key), call.lineno)
        except StillUnknown:
            if self._known.strict:
                raise
            return tree.Jump("pass", call.lineno)

    def _print(self, call: ast.Call, output: str | None) -> tree.Statement:
        if call.keywords:
            self._refuse(call.keywords[0].value, "what advice prints is a line of its own, without sep and end")
        parts: list[str | tree.Number] = []
        for number, argument in enumerate(call.args):
            parts += [" "] if number else []
            match argument:
                case ast.Constant(value=str(text)):
                    parts.append(text)
                case ast.JoinedStr():
                    parts += [self._part(each) for each in argument.values]
                case _:
                    parts.append(self._number(argument, ""))
        most = sum(
            len(each.encode("utf-8", "replace")) if isinstance(each, str) else max(_NUMBER_BYTES, each.width)
            for each in parts
        )
        if most > LONGEST_LINE:
            self._refuse(call, f"the line may have {most} bytes, more than {LONGEST_LINE}", "print several lines")
        return tree.Print(output, tuple(parts), call.lineno)

    def _part(self, node: ast.expr) -> str | tree.Number:
        """A part of an f-string."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        assert isinstance(node, ast.FormattedValue)
        if node.conversion != -1:
            self._refuse(node.value, f"advice has no !{chr(node.conversion)}", "leave it out")
        form = ""
        if node.format_spec is not None:
            values = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
            if not all(isinstance(each, ast.Constant) for each in values):
                self._refuse(node.value, "how a number is printed must be known before the program runs")
            form = "".join(str(each.value) for each in values if isinstance(each, ast.Constant))
        return self._number(node.value, form)

    def _number(self, node: ast.expr, form: str) -> tree.Number:
        value = self._value(node)
        match = _FORMAT.fullmatch(form)
        if match is None:
            self._refuse(
                node, f"numbers cannot be printed as {form!r}", "there are: d, x, X, #x, 8d, 016x and the like"
            )
        if value is not None and value.kind not in WHOLE:
            hint = "use it as a key: report() sees names"
            if value.kind is Kind.THREAD:
                hint = f"write {ast.unparse(node)}.number"
            elif value.kind is Kind.FLOAT:
                hint = "write int(...)"
            self._refuse(node, f"only ints and bools can be printed, not {described(value.kind)}", hint)
        base: Literal["d", "x", "X", "truth"] = "d"
        if match["base"] in ("x", "X"):
            base = "x" if match["base"] == "x" else "X"
        elif value is not None and value.kind is Kind.BOOL and not form:
            base = "truth"
        placeholder = tree.Constant(0, Kind.INT, node.lineno)
        zeros, width = bool(match["zeros"]), int(match["width"] or 0)
        return tree.Number(value or placeholder, base, bool(match["prefix"]), zeros, width)

    def _is(self, name: str, container: str) -> bool:
        declared = self._tool.declared.get(name)
        return declared is not None and declared.container == container

    def _row(self, node: ast.expr) -> tree.Expression | None:
        try:
            return self._expressions.row(node)
        except StillUnknown:
            if self._known.strict:
                raise
            return None

    def _value(self, node: ast.expr) -> tree.Expression | None:
        """A value of some type; None while that is not known."""
        value = self._value_or_nothing(node)
        if value is not None and value.kind is Kind.NOTHING:
            self._refuse(node, "this has no value", "let the method return one")
        return value

    def _value_or_nothing(self, node: ast.expr) -> tree.Expression | None:
        return self._unless_unknown(self._expressions.value, node)

    def _truth(self, node: ast.expr) -> tree.Expression:
        return self._unless_unknown(self._expressions.truth, node) or tree.Constant(True, Kind.BOOL, node.lineno)

    def _whole(self, node: ast.expr) -> tree.Expression:
        value = self._unless_unknown(lambda each: self._expressions.number(each, WHOLE), node)
        return value or tree.Constant(0, Kind.INT, node.lineno)

    def _unless_unknown(self, check: Callable[[ast.expr], tree.Expression], node: ast.expr) -> tree.Expression | None:
        try:
            return check(node)
        except StillUnknown:
            if self._known.strict:
                raise
            return None

    def _refuse(self, node: ast.AST, fact: str, hint: str | None = None) -> NoReturn:
        self._tool.source.refuse(node, fact, hint)


def _conversion(kind: ValueType) -> str | None:
    return {Kind.INT: "write int(...) around it", Kind.FLOAT: "write float(...) around it, or 0.0 for 0"}.get(kind)  # type: ignore[arg-type]  # rows are not in it
