"""What can happen while an expression is worked out, besides giving a value."""

from collections.abc import Iterator
from dataclasses import replace

from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.value_types import Kind

_DIVISIONS = ("/", "//", "%")
_SHIFTS = ("<<", ">>")


def parts(expression: tree.Expression) -> tuple[tree.Expression, ...]:
    """The expressions that an expression consists of, in the order in which they are worked out."""
    match expression:
        case tree.Lookup() | tree.Contains():
            return expression.keys
        case tree.Cell():
            return (expression.row,)
        case tree.ObjectField() | tree.Identity() | tree.LocationField():
            return (expression.owner,)
        case tree.ThreadNumber():
            return (expression.thread,)
        case tree.TypeIs():
            return (expression.type,)
        case tree.CacheAccess():
            return (expression.location,)
        case tree.Unary():
            return (expression.operand,)
        case tree.Binary():
            return (expression.left, expression.right)
        case tree.Compare() | tree.Logic():
            return expression.operands
        case tree.Choice():
            return (expression.test, expression.then, expression.otherwise)
        case tree.Builtin() | tree.MethodCall():
            return expression.arguments
    return ()


def can_fault_itself(expression: tree.Expression) -> bool:
    """Whether it may end the advice, leaving aside its parts and what it calls."""
    match expression:
        case tree.Binary(operator=operator, right=right) if operator in _DIVISIONS:
            return not (isinstance(right, tree.Constant) and right.value != 0)
        case tree.Binary(operator=operator, right=right) if operator in _SHIFTS:
            return not (isinstance(right, tree.Constant) and right.value >= 0)
        case tree.Builtin(name="int", arguments=(argument,)):
            return argument.kind is Kind.FLOAT
    return False


def is_plain(expression: tree.Expression) -> bool:
    """Whether it is written as one C expression that changes nothing others see, cannot fault, and says nothing twice.

    C may work it out when it likes. (That the row of a table comes to be is nothing that others see.)
    """
    if isinstance(expression, tree.MethodCall | tree.CacheAccess) or can_fault_itself(expression):
        return False
    if isinstance(expression, tree.Logic) and expression.kind is not Kind.BOOL:
        return False
    if isinstance(expression, tree.Compare) and not all(map(_is_short, expression.operands[1:-1])):
        return False
    return all(map(is_plain, parts(expression)))


def _is_short(expression: tree.Expression) -> bool:
    return isinstance(expression, tree.Constant | tree.Local | tree.Field | tree.Identity | tree.LocationField)


def with_effects(methods: tuple[tree.Method, ...]) -> tuple[tree.Method, ...]:
    """Say of each method whether it may fault and has loops; those that are called come before their callers."""
    known: dict[str, tree.Method] = {}
    for method in methods:
        every = list(statements(method.body))
        loops = any(isinstance(each, tree.While | tree.ForRange) for each in every)
        faults = loops
        for expression in (inner for each in every for outer in expressions_of(each) for inner in within(outer)):
            called = known[expression.method] if isinstance(expression, tree.MethodCall) else None
            faults |= can_fault_itself(expression) or (called is not None and called.may_fault)
            loops |= called is not None and called.has_loops
        known[method.name] = replace(method, may_fault=faults, has_loops=loops)
    return tuple(known.values())


def statements(body: tuple[tree.Statement, ...]) -> Iterator[tree.Statement]:
    """All statements of a block, also those within others."""
    for each in body:
        yield each
        if isinstance(each, tree.If):
            yield from statements(each.then)
            yield from statements(each.otherwise)
        elif isinstance(each, tree.While | tree.ForRange):
            yield from statements(each.body)


def expressions_of(statement: tree.Statement) -> tuple[tree.Expression, ...]:
    """Those that a statement has itself."""
    match statement:
        case tree.Assign(target=target, value=value):
            return (value,) if isinstance(target, tree.Local) else (target, value)
        case tree.Augment():
            return (applied(statement),)
        case tree.Add():
            return (statement.row, statement.value)
        case tree.Insert():
            return statement.keys
        case tree.Print():
            return tuple(part.value for part in statement.parts if isinstance(part, tree.Number))
        case tree.Call():
            return (statement.call,)
        case tree.If() | tree.While():
            return (statement.test,)
        case tree.ForRange():
            return statement.bounds
        case tree.Return(value=value) if value is not None:
            return (value,)
    return ()


def applied(statement: tree.Augment) -> tree.Binary:
    """The value that the target gets."""
    return tree.Binary(statement.operator, statement.target, statement.value, statement.kind, statement.line)


def within(expression: tree.Expression) -> Iterator[tree.Expression]:
    """An expression and all of its parts."""
    yield expression
    for part in parts(expression):
        yield from within(part)
