"""C of methods."""

from collections.abc import Mapping

from sonde.instruments.memory.toolkit import typed_tree as tree
from sonde.instruments.memory.toolkit.c_expressions import ExpressionWriter
from sonde.instruments.memory.toolkit.c_names import c_bytes, c_comment, c_name, c_text, c_type
from sonde.instruments.memory.toolkit.effects import applied, expressions_of, is_plain, statements, within
from sonde.instruments.memory.toolkit.source_text import SourceText
from sonde.instruments.memory.toolkit.value_types import Kind

_INDENT = "    "


def method_in_c(method: tree.Method, methods: Mapping[str, tree.Method], source: SourceText) -> str:
    """A function that does what a method does."""
    return _MethodWriter(method, methods, source).text()


class _MethodWriter:
    def __init__(self, method: tree.Method, methods: Mapping[str, tree.Method], source: SourceText) -> None:
        self._method = method
        self._source = source
        self._lines: list[str] = []
        self._depth = 1
        self._commented = 0
        self._loops = 0
        failure = "return;" if method.result is Kind.NOTHING else "return 0;"
        self._expressions = ExpressionWriter(self._emit, methods, failure)

    def text(self) -> str:
        method = self._method
        parameters = ", ".join(f"{c_type(each.kind)}{c_name(each.name)}" for each in method.parameters)
        result = "void " if method.result is Kind.NOTHING else c_type(method.result)
        every = [outer for each in statements(method.body) for outer in expressions_of(each)]
        read = {inner.name for outer in every for inner in within(outer) if isinstance(inner, tree.Local)}
        for each in method.locals:
            self._emit(f"{c_type(each.kind)}{c_name(each.name)} = 0;")
        for each in (*method.parameters, *method.locals):
            if each.name not in read:
                self._emit(f"(void){c_name(each.name)};")
        self._block(method.body)
        head = f"static {result}method_{c_name(method.name)}({parameters or 'void'}) {{"
        return "\n".join([head, *self._lines, "}", ""])

    def _emit(self, line: str) -> None:
        """Add a line; braces at its ends change the depth of what follows."""
        if line.startswith("}"):
            self._depth -= 1
        self._lines.append(_INDENT * self._depth + line)
        if line.endswith("{"):
            self._depth += 1

    def _block(self, body: tuple[tree.Statement, ...]) -> None:
        for statement in body:
            if statement.line != self._commented:
                self._commented = statement.line
                self._emit(c_comment(f"{statement.line}: {self._source.line(statement.line)}"))
            self._statement(statement)

    def _statement(self, node: tree.Statement) -> None:
        value = self._expressions.value
        match node:
            case tree.Assign():
                self._assign(node.target, node.value)
            case tree.Augment(target=tree.Cell() as cell):
                self._augment_cell(node, cell)
            case tree.Augment():
                self._assign(node.target, applied(node))
            case tree.Add():
                row, added = self._expressions.values((node.row, node.value))
                self._emit(f"sn_histogram_add({row}, {added});")
            case tree.Insert():
                self._emit(f"(void)sn_table_row(&table_{c_name(node.set)}, {self._expressions.keys(node.keys)});")
            case tree.Print():
                self._print(node)
            case tree.Call(call=tree.MethodCall() as call):
                if text := self._expressions.call(call):
                    self._emit(f"(void){text};" if call.kind is not Kind.NOTHING else f"{text};")
            case tree.Call(call=tree.CacheAccess() as access):
                self._emit(f"(void){self._expressions.access(access)};")
            case tree.If():
                self._if(node)
            case tree.While():
                self._while(node)
            case tree.ForRange():
                self._for(node)
            case tree.Return():
                self._emit("return;" if node.value is None else f"return {value(node.value)};")
            case tree.Jump():
                if node.kind != "pass":
                    self._emit(f"{node.kind};")

    def _assign(self, target: tree.Target, value: tree.Expression) -> None:
        text = self._expressions.value(value)
        match target:
            case tree.Local():
                self._emit(f"{c_name(target.name)} = {text};")
            case tree.Field():
                self._emit(f"self.{c_name(target.name)} = {text};")
            case tree.ObjectField():
                text = f"sn_bits_of({text})" if target.kind is Kind.FLOAT else text
                self._emit(f"{c_name(target.owner.name)}[field_{c_name(target.name)}] = {text};")
            case tree.Cell():
                if not is_plain(target.row):
                    text = self._expressions.named(value.kind, text)
                self._emit(f"{self._expressions.value(target.row)}[{target.column}] = {text};")

    def _augment_cell(self, node: tree.Augment, target: tree.Cell) -> None:
        row = self._expressions.value(target.row)
        if not isinstance(target.row, tree.Local):
            row = self._expressions.named(target.row.kind, row)
        left = f"{row}[{target.column}]"
        if not is_plain(node.value):
            left = self._expressions.named(Kind.INT, left)
        result = self._expressions.applied(applied(node), left, self._expressions.value(node.value))
        self._emit(f"{row}[{target.column}] = {result};")

    def _if(self, node: tree.If) -> None:
        self._emit(f"if ({self._expressions.value(node.test)}) {{")
        self._block(node.then)
        otherwise = node.otherwise
        while len(otherwise) == 1 and isinstance(inner := otherwise[0], tree.If) and is_plain(inner.test):
            self._emit(f"}} else if ({self._expressions.value(inner.test)}) {{")
            self._block(inner.then)
            otherwise = inner.otherwise
        if otherwise:
            self._emit("} else {")
            self._block(otherwise)
        self._emit("}")

    def _while(self, node: tree.While) -> None:
        if is_plain(node.test):
            self._emit(f"while ({self._expressions.value(node.test)}) {{")
        else:
            self._emit("for (;;) {")
            self._emit(f"if (!{self._expressions.value(node.test)}) break;")
        self._expressions.fault("--faults.steps < 0", node.line, "ENDLESS_LOOP")
        self._block(node.body)
        self._emit("}")

    def _for(self, node: tree.ForRange) -> None:
        start, stop, step = self._expressions.values(node.bounds)
        if not isinstance(node.bounds[2], tree.Constant) or node.bounds[2].value == 0:
            step = self._expressions.named(Kind.INT, step)
            self._expressions.fault(f"{step} == 0", node.line, "RANGE_WITHOUT_STEP")
        self._loops += 1
        following, rounds = f"next{self._loops}", f"rounds{self._loops}"
        self._emit(f"int64_t {following} = {start};")
        self._emit(f"uint64_t {rounds} = sn_rounds({following}, {stop}, {step});")
        self._emit(f"for (; {rounds}; {rounds}--, {following} = sn_add({following}, {step})) {{")
        self._emit(f"{c_name(node.variable.name)} = {following};")
        self._expressions.fault("--faults.steps < 0", node.line, "ENDLESS_LOOP")
        self._block(node.body)
        self._emit("}")

    def _print(self, node: tree.Print) -> None:
        numbers = [part for part in node.parts if isinstance(part, tree.Number)]
        texts = iter(self._expressions.values([number.value for number in numbers]))
        output = "&printed" if node.output is None else f"&output_{c_name(node.output)}"
        for part in _joined(node.parts):
            if isinstance(part, str):
                self._emit(f"sn_print_text({output}, {c_text(part)}, {len(c_bytes(part))});")
            elif part.base == "truth":
                self._emit(f"sn_print_truth({output}, {next(texts)});")
            else:
                prefixed, fill = "true" if part.prefixed else "false", "0" if part.zeros else " "
                form = f"'{part.base}', {prefixed}, '{fill}', {part.width}"
                self._emit(f"sn_print_number({output}, {next(texts)}, {form});")
        self._emit(f"sn_print_end({output});")


def _joined(parts: tuple[str | tree.Number, ...]) -> list[str | tree.Number]:
    """Texts beside one another become one."""
    joined: list[str | tree.Number] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return joined
