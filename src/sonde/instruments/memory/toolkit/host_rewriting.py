"""Rewriting of a tool's methods, so that Python calculates as the compiled tool does: in 64 bits, and with its faults.

Names stay what they are, and lines where they are. Everything added is called through the name `sonde_host`.
"""

import ast
from typing import TypeVar

HOST = "sonde_host"
_ROW = "sonde_row"

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Div: "divided",
    ast.FloorDiv: "floor_divided",
    ast.Mod: "remainder",
    ast.LShift: "shifted_left",
    ast.RShift: "shifted_right",
}
_BUILTINS = {"int": "whole", "range": "counted", "print": "print"}

_Loop = TypeVar("_Loop", ast.For, ast.While)


class Rewriting(ast.NodeTransformer):
    """Rewrites some methods of one class of a module."""

    def __init__(self, class_name: str, methods: set[str]) -> None:
        self._class_name = class_name
        self._methods = methods

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:  # ast's name
        if node.name == self._class_name:
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name in self._methods:
                    each.body = [new for old in each.body for new in _Body().rewritten(old)]
        return node


class _Body(ast.NodeTransformer):
    def rewritten(self, node: ast.stmt) -> list[ast.stmt]:
        new = self.visit(node)
        return new if isinstance(new, list) else [new]

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return _operation(node, node.op, node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return node if isinstance(node.op, ast.Not) else _call(node, "wrapped", node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """`handle is None`: there are no other uses of `is`."""
        self.generic_visit(node)
        if not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        asked = _call(node, "is_none", node.left)
        return asked if isinstance(node.ops[0], ast.Is) else ast.copy_location(ast.UnaryOp(ast.Not(), asked), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        if node.func.id == "abs":
            return _call(node, "wrapped", node)
        return _call(node, _BUILTINS[node.func.id], *node.args) if node.func.id in _BUILTINS else node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`owner.name op= value`: the owner is worked out once, then the old value, then the new one."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Attribute):
            assert isinstance(node.target, ast.Name)
            read: ast.expr = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
            return [_placed(ast.Assign([node.target], _operation(node, node.op, read, node.value)), node)]
        keep = _placed(ast.Assign([ast.Name(_ROW, ast.Store())], node.target.value), node)
        row = ast.copy_location(ast.Name(_ROW, ast.Load()), node)
        read = ast.copy_location(ast.Attribute(row, node.target.attr, ast.Load()), node)
        target = ast.copy_location(ast.Attribute(row, node.target.attr, ast.Store()), node)
        return [keep, _placed(ast.Assign([target], _operation(node, node.op, read, node.value)), node)]

    def visit_For(self, node: ast.For) -> ast.For:
        return self._counted(node)

    def visit_While(self, node: ast.While) -> ast.While:
        return self._counted(node)

    def _counted(self, node: _Loop) -> _Loop:
        self.generic_visit(node)
        node.body.insert(0, _placed(ast.Expr(_call(node, "step")), node))
        return node


def _operation(at: ast.expr | ast.stmt, operator: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr:
    if type(operator) in _OPERATORS:
        return _call(at, _OPERATORS[type(operator)], left, right)
    return _call(at, "wrapped", ast.copy_location(ast.BinOp(left, operator, right), at))


def _call(at: ast.expr | ast.stmt, name: str, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.Attribute(ast.Name(HOST, ast.Load()), name, ast.Load()), list(arguments), [])
    for node in (call, call.func, call.func.value):  # type: ignore[attr-defined]  # the attribute's
        node.lineno, node.col_offset = at.lineno, at.col_offset
        # What spans lines would be said to fail at its last one.
        node.end_lineno, node.end_col_offset = at.lineno, at.col_offset + 1
    return call


_Statement = TypeVar("_Statement", bound=ast.stmt)


def _placed(node: _Statement, at: ast.stmt) -> _Statement:
    return ast.fix_missing_locations(ast.copy_location(node, at))
