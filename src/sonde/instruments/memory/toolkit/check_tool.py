"""Checking of a whole tool: from the class in the file to a typed tree."""

import ast

from sonde.base.near_names import near_or_all
from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.check_expressions import Scope
from sonde.instruments.memory.toolkit.check_statements import Statements
from sonde.instruments.memory.toolkit.field_types import Knowledge, StillUnknown
from sonde.instruments.memory.toolkit.join_points import JoinPoint
from sonde.instruments.memory.toolkit.tool_class import ToolClass
from sonde.instruments.memory.toolkit.value_types import Kind, ValueType, described

_ROUNDS = 1000
"""More than there are fields in any tool: each round but the last learns the type of one at least."""

_ANNOTATIONS = {"int": Kind.INT, "float": Kind.FLOAT, "bool": Kind.BOOL}


def check_tool(tool: ToolClass) -> tree.TypedTool:
    """Resolve names and types.

    Raises:
        InputError: `bad-tool`: something is not of the language; the message points at it.
    """
    known = Knowledge()
    for name, declared in tool.declared.items():
        if declared.number is not None:
            known.tool.learn(name, Kind(type(declared.number).__name__), declared.node.lineno)
    for _ in range(_ROUNDS):
        known.learnt = False
        _Round(tool, known).check()
        if not (known.learnt or known.settle()):
            break
    known.strict = True
    return _typed(tool, known, _Round(tool, known).check())


class _Round:
    """Checks all advice, and the methods that it calls, once."""

    def __init__(self, tool: ToolClass, known: Knowledge) -> None:
        self._tool = tool
        self._known = known
        self._checked: dict[str, tree.Method] = {}
        self._open: list[str] = []
        """Methods that are being checked; a call of one of them is recursion."""

    def check(self) -> list[tree.Method]:
        for name, advises in self._tool.advice.items():
            node = self._tool.methods[name]
            self._method(name, self._advice_kinds(node, name), advises)
        return list(self._checked.values())

    def _advice_kinds(self, node: ast.FunctionDef, name: str) -> tuple[ValueType, ...]:
        parameters = self._parameters(node)
        shapes = set()
        for time, point in self._tool.advice[name]:
            if len(parameters) > len(point.parameters):
                extra = parameters[len(point.parameters)]
                count = f"{len(parameters) + 1} parameters, {time} {point.name} has {len(point.parameters) + 1} at most"
                self._tool.source.refuse(extra, f"advice {name!r} has {count}", f"write def {name}{point.signature()}:")
            shapes.add(tuple(kind for _, kind in point.parameters[: len(parameters)]))
        if len(shapes) > 1:
            first, second = (point for _, point in self._tool.advice[name][:2])
            fact = f"{first.name} has {first.signature()} and {second.name} has {second.signature()}"
            self._tool.source.refuse(node, f"advice {name!r} cannot be for both: {fact}", "write two methods")
        return tuple(shapes.pop())

    def _parameters(self, node: ast.FunctionDef) -> list[ast.arg]:
        """Those behind `self`."""
        arguments = node.args
        odd = [*arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
        if odd or arguments.defaults:
            self._tool.source.refuse((odd + arguments.defaults)[0], "parameters of the language are plain names")
        plain = [*arguments.posonlyargs, *arguments.args]
        if not plain:
            self._tool.source.refuse(node, f"{node.name!r} needs self", f"write def {node.name}(self):")
        return plain[1:]

    def _method(
        self, name: str, kinds: tuple[ValueType, ...], advises: tuple[tuple[str, JoinPoint], ...]
    ) -> tree.Method:
        if name in self._checked:
            return self._checked[name]
        node = self._tool.methods[name]
        parameters = self._parameters(node)
        self_name = [*node.args.posonlyargs, *node.args.args][0].arg
        names = [parameter.arg for parameter in parameters]
        scope = Scope(self_name, name, dict(zip(names, kinds, strict=True)), set(names), frozenset(names))
        statements = Statements(self._tool, self._known, scope, self._call)
        self._open.append(name)
        body = statements.method_body(node)
        self._open.pop()
        parameter_locals = tuple(tree.Local(each, kind, node.lineno) for each, kind in zip(names, kinds, strict=True))
        own = {each: kind for each, kind in scope.kinds.items() if each not in scope.parameters}
        local_names = tuple(tree.Local(each, kind, scope.lines[each]) for each, kind in own.items())
        result = statements.result or Kind.UNKNOWN  # no way leads to the end, and none returns
        result = Kind.NOTHING if result is Kind.UNKNOWN and self._known.strict else result
        method = tree.Method(name, parameter_locals, local_names, result, body, advises, node.lineno)
        self._checked[name] = method
        return method

    def _call(self, call: ast.Call, name: str, arguments: tuple[tree.Expression, ...]) -> ValueType:
        """Check what is called; the type of its result."""
        refuse = self._tool.source.refuse
        node = self._tool.methods.get(name)
        if node is None:
            refuse(call, f"the tool has no method {name!r}", near_or_all(name, self._tool.methods))
        if name in self._tool.advice:
            refuse(call, f"{name!r} is advice, and cannot be called", "call a method that both call")
        if node.decorator_list:
            refuse(node.decorator_list[0], f"{name!r} is called by advice, and has a decorator", "leave it out")
        if name in self._open:
            chain = " calls ".join([*self._open[self._open.index(name) :], name])
            refuse(call, f"advice cannot call itself: {chain}", "write a loop")
        parameters = self._parameters(node)
        if len(arguments) != len(parameters):
            refuse(call, f"{name!r} takes {len(parameters)} values, not {len(arguments)}")
        kinds = tuple(
            self._annotated(each) or argument.kind for each, argument in zip(parameters, arguments, strict=True)
        )
        before = self._checked.get(name)
        expected = tuple(each.kind for each in before.parameters) if before else kinds
        for parameter, wanted, argument in zip(parameters, expected, arguments, strict=True):
            if argument.kind is Kind.NOTHING:
                refuse(call, f"what is given for {parameter.arg!r} has no value")
            if argument.kind != wanted:
                fact = f"{parameter.arg!r} of {name!r} is {described(wanted)}, and gets {described(argument.kind)} here"
                refuse(call, fact, "a parameter has one type")
        method = self._method(name, kinds, ())
        if method.result is Kind.UNKNOWN:
            raise StillUnknown
        return method.result

    def _annotated(self, parameter: ast.arg) -> Kind | None:
        return _ANNOTATIONS.get(parameter.annotation.id) if isinstance(parameter.annotation, ast.Name) else None


def _typed(tool: ToolClass, known: Knowledge, methods: list[tree.Method]) -> tree.TypedTool:
    declared = tool.declared
    initial = {name: each.number for name, each in declared.items() if each.number is not None}
    zeros: dict[Kind, int | float | bool] = {Kind.FLOAT: 0.0, Kind.BOOL: False}
    fields = [
        tree.FieldDeclaration(name, kind, initial.get(name, zeros.get(kind, 0)))
        for name, kind in known.tool.kinds.items()
    ]
    object_fields = [tree.FieldDeclaration(name, kind, 0) for name, kind in known.objects.kinds.items()]
    tables = [
        tree.TableDeclaration(
            name,
            known.table_keys.get(name, ()),
            None if each.container == "Histogram" else each.texts,
            known.key_texts.get(name, ()),
        )
        for name, each in declared.items()
        if each.container in ("Counts", "Histogram", "Set")
    ]
    caches = [
        tree.CacheDeclaration(name, each.cache.levels, each.node.lineno)
        for name, each in declared.items()
        if each.cache
    ]
    outputs = [
        tree.OutputDeclaration(name, each.texts[0]) for name, each in declared.items() if each.container == "Output"
    ]
    return tree.TypedTool(
        tool.node.name,
        tuple(fields),
        tuple(object_fields),
        tuple(tables),
        tuple(caches),
        tuple(outputs),
        tuple(methods),
        tuple(known.type_names),
        known.uses_place,
        known.uses_value,
        known.uses_objects,
        known.prints,
    )
