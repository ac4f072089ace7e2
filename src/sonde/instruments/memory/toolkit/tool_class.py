"""The class of a tool as it lies in its file: what it declares, which methods are advice. Nothing is run for that."""

import ast
from dataclasses import dataclass, field
from pathlib import Path

from sonde.base.errors import InputError
from sonde.base.near_names import near_or_all
from sonde.instruments.memory.toolkit.cache import Cache
from sonde.instruments.memory.toolkit.constants import constant
from sonde.instruments.memory.toolkit.join_points import JOIN_POINTS, TIMES, JoinPoint
from sonde.instruments.memory.toolkit.source_text import SourceText

_ROOM, _NAME = "sonde.instruments.memory", "toolkit"
LANGUAGE = f"{_ROOM}.{_NAME}"
MOST_COLUMNS = 64
LONGEST_NAME = 100
"""Bytes of a name of a class, field or column; lines of results have room for that (advice_runtime.c)."""
LONGEST_FILE = 1000
"""Bytes of the name of an output's file, likewise."""

_CONTAINERS = ("Cache", "Counts", "Histogram", "Output", "Set")
_ARGUMENTS: dict[str, tuple[str, ...]] = {"Histogram": (), "Set": (), "Output": ("file",), "Cache": ("l1", "l2", "l3")}
"""What a container takes; `Counts` takes any number of columns."""
_TAKEN_COLUMNS = frozenset({"values", "items", "top", "total", "columns", "refused", "by_key"})
"""Names that `Counts` and its rows have already."""


@dataclass(frozen=True, slots=True)
class Declared:
    """`name = ...` in the class: a container, a number, or something that only `report` can use."""

    node: ast.expr
    container: str | None
    number: int | float | bool | None = None
    texts: tuple[str, ...] = ()
    """Columns of Counts; the file of an Output."""
    cache: Cache | None = None


@dataclass(frozen=True, slots=True)
class ToolClass:
    """What is known of a tool before its methods are looked into."""

    source: SourceText
    node: ast.ClassDef
    declared: dict[str, Declared]
    constants: dict[str, int | float | bool]
    """Of the module."""
    methods: dict[str, ast.FunctionDef]
    advice: dict[str, tuple[tuple[str, JoinPoint], ...]]
    """Methods with decorators of the language."""


def find_tool(path: Path, class_name: str | None) -> ToolClass:
    """Find the tool in a file.

    Args:
        class_name: None if there is but one.
    Raises:
        InputError: `no-such-tool`: there is no such file or class, or there are several; `bad-tool`: it is not Python,
            or what it declares is not right.
    """
    source = SourceText(path)
    names = _Imports(source.tree)
    classes = [node for node in source.tree.body if isinstance(node, ast.ClassDef) and names.is_tool(node)]
    if class_name is not None:
        chosen = [node for node in classes if node.name == class_name]
        if not chosen:
            hint = near_or_all(class_name, [node.name for node in classes]) if classes else None
            raise _none(path, f"it has no tool {class_name!r}", hint)
        classes = chosen[-1:]
    if not classes:
        raise _none(
            path, "it has no class that derives from sonde.instruments.memory.toolkit.Tool", "write: class Mine(Tool):"
        )
    if len(classes) > 1:
        listed = ", ".join(node.name for node in classes)
        raise _none(path, f"it has {len(classes)} tools: {listed}", f"choose one: --tool {path}:{classes[0].name}")
    return _read_class(source, names, classes[0])


def _none(path: Path, fact: str, hint: str | None) -> InputError:
    return InputError(f"cannot use {str(path)!r} as a tool: {fact}", slug="no-such-tool", hint=hint)


@dataclass(slots=True)
class _Imports:
    """Which names of the module mean something of the language."""

    tree: ast.Module
    names: dict[str, str] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    """All names that the module imports or defines."""
    modules: set[str] = field(default_factory=set)
    """What stands for `sonde.instruments.memory.toolkit`, as it is written."""

    def __post_init__(self) -> None:
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.bound |= {each.asname or each.name for each in node.names}
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.bound.add(node.name)
            if isinstance(node, ast.ImportFrom) and node.module == LANGUAGE:
                self.names |= {each.asname or each.name: each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module == _ROOM:
                self.modules |= {each.asname or each.name for each in node.names if each.name == _NAME}
            elif isinstance(node, ast.Import):
                self.modules |= {each.asname or each.name for each in node.names if each.name == LANGUAGE}

    def meant(self, node: ast.expr) -> str | None:
        """`Tool` for each way to write it; None for what is not of the language."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in self.modules:
            return node.attr
        return None

    def is_tool(self, node: ast.ClassDef) -> bool:
        return any(self.meant(base) == "Tool" for base in node.bases)


def _read_class(source: SourceText, names: _Imports, node: ast.ClassDef) -> ToolClass:
    if len(node.bases) > 1 or node.keywords or node.decorator_list:
        source.refuse(node, f"{node.name!r} is more than a class that derives from Tool", "write: class Mine(Tool):")
    if is_too_long(node.name):
        source.refuse(node, f"its name has more than {LONGEST_NAME} bytes")
    declared: dict[str, Declared] = {}
    methods: dict[str, ast.FunctionDef] = {}
    advice: dict[str, tuple[tuple[str, JoinPoint], ...]] = {}
    for statement in node.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if is_too_long(name):
                    source.refuse(statement, f"a name has more than {LONGEST_NAME} bytes")
                declared[name] = _declaration(source, names, value)
            case ast.FunctionDef(name=name):
                if name in methods or name in declared:
                    source.refuse(statement, f"{name!r} is there twice")
                methods[name] = statement
                points = tuple(_advised(source, names, each) for each in statement.decorator_list)
                advice |= {name: tuple(each for each in points if each)} if any(points) else {}
                if any(points) and not all(points):
                    source.refuse(statement.decorator_list[points.index(None)], "advice has no other decorators")
            case ast.AsyncFunctionDef():
                source.refuse(statement, "advice cannot wait for anything", "write def, without async")
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign():
                pass
            case _:
                source.refuse(statement, "a tool has fields and methods only")
    if not advice:
        source.refuse(node, f"{node.name!r} has no advice", 'write @before("object:access") above a method')
    return ToolClass(source, node, declared, _module_constants(source), methods, advice)


def _declaration(source: SourceText, names: _Imports, value: ast.expr) -> Declared:
    container = names.meant(value.func) if isinstance(value, ast.Call) else None
    match value:
        case ast.Call(func=ast.Name(id=name)) if name in _CONTAINERS and name not in names.bound:
            source.refuse(value.func, f"{name!r} is not imported", f"write: from {LANGUAGE} import {name}")
    if not isinstance(value, ast.Call) or container not in _CONTAINERS:
        return Declared(value, None, constant(value))
    arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
    texts = []
    for each in arguments:
        if not isinstance(each, ast.Constant) or not isinstance(each.value, str):
            source.refuse(each, f"what {container} is given must be texts in quotes")
        texts.append(each.value)
    if container == "Counts":
        _check_columns(source, value, texts)
    allowed = _ARGUMENTS.get(container)
    named = [keyword.arg or "**" for keyword in value.keywords]
    if wrong := [name for name in named if allowed is None or name not in allowed]:
        source.refuse(value, f"{container} has no argument {wrong[0]!r}")
    if allowed is not None and (len(arguments) > len(allowed) or (allowed and not arguments)):
        source.refuse(value, f"{container} takes {', '.join(allowed) or 'nothing'}, not {len(arguments)}")
    if container == "Output" and not 0 < len(texts[0].encode("utf-8", "replace")) <= LONGEST_FILE:
        source.refuse(value, f"an Output needs the name of a file, of {LONGEST_FILE} bytes at most")
    if container != "Cache":
        return Declared(value, container, texts=tuple(texts))
    try:
        cache = Cache(*texts[: len(value.args)], **dict(zip(named, texts[len(value.args) :], strict=True)))
    except (InputError, TypeError) as error:
        fact = error.message.partition(": ")[2] if isinstance(error, InputError) else "it needs l1, and each level once"
        source.refuse(value, f"there is no such cache: {fact}", 'write Cache(l1="32K,8,64", l2="1M,16,64")')
    return Declared(value, container, cache=cache)


def is_too_long(name: str) -> bool:
    return len(name.encode()) > LONGEST_NAME


def _check_columns(source: SourceText, node: ast.expr, columns: list[str]) -> None:
    if not columns:
        source.refuse(node, "Counts needs columns", 'write Counts("accesses", "misses")')
    if len(columns) > MOST_COLUMNS:
        source.refuse(node, f"{len(columns)} columns are too many: a table has {MOST_COLUMNS} at most")
    for column in columns:
        if not column.isidentifier() or is_too_long(column) or column.startswith("_") or column in _TAKEN_COLUMNS:
            source.refuse(node, f"{column!r} cannot be the name of a column")
    if len(set(columns)) < len(columns):
        source.refuse(node, "a column is there twice")


def _advised(source: SourceText, names: _Imports, decorator: ast.expr) -> tuple[str, JoinPoint] | None:
    """What a decorator asks for; None if it is not of the language."""
    call = decorator if isinstance(decorator, ast.Call) else None
    time = names.meant(call.func if call else decorator)
    if time not in TIMES:
        return None
    if call is None or len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.Constant):
        source.refuse(decorator, f"{time} needs one join point in quotes", f'write @{time}("object:access")')
    name = call.args[0].value
    if not isinstance(name, str) or name not in JOIN_POINTS:
        source.refuse(call.args[0], f"there is no join point {name!r}", near_or_all(str(name), JOIN_POINTS))
    return time, JOIN_POINTS[name]


def _module_constants(source: SourceText) -> dict[str, int | float | bool]:
    """Numbers that have a name of the module, which is given once."""
    own = [each for each in source.tree.body if not isinstance(each, ast.FunctionDef | ast.ClassDef)]
    nodes = [node for statement in own for node in ast.walk(statement)]
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    found: dict[str, int | float | bool] = {}
    for statement in source.tree.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                number = constant(value)
                if number is not None and stored.count(name) == 1:
                    found[name] = number
    return found
