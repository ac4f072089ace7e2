"""Calls: whom they call, with what."""

from dataclasses import dataclass

from sonde.ir.instruction import Instruction
from sonde.ir.types import matching, split_list, type_end

CALLS = ("call", "invoke", "callbr")
"""Opcodes that call."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What is handed over."""

    type: str
    attributes: str
    value: str


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call, read from its text.

    >>> site = call_site(Instruction.from_text("tail call i32 (ptr, ...) @printf(ptr noundef @.str, i32 %x) #1", "%r"))
    >>> site.callee, site.return_type, [(each.type, each.value) for each in site.arguments]
    ('@printf', 'i32', [('ptr', '@.str'), ('i32', '%x')])
    """

    callee: str
    """`@f`, `%pointer`, a constant expression, or `asm ...`."""
    return_type: str
    function_type: str | None
    """Written out only for functions with variable arguments."""
    arguments: tuple[Argument, ...]
    callee_span: tuple[int, int]
    """Where the callee stands in the instruction's text."""

    @property
    def is_direct(self) -> bool:
        """Whether it names the function that it calls."""
        return self.callee.startswith("@")

    @property
    def is_assembler(self) -> bool:
        return self.callee.startswith("asm ")

    @property
    def is_intrinsic(self) -> bool:
        return self.callee.startswith("@llvm.")

    def type_written_out(self) -> str:
        """The type of the function called, as this call sees it."""
        return self.function_type or f"{self.return_type} ({', '.join(each.type for each in self.arguments)})"


def call_site(instruction: Instruction) -> CallSite:
    """Read a call, invoke or callbr.

    Raises:
        ValueError: it is none.
    """
    text = instruction.text
    if instruction.opcode not in CALLS:
        raise ValueError(f"'{text}' calls nothing")
    start = text.index(instruction.opcode) + len(instruction.opcode) + 1
    begin, end = find_type(text, start)
    written = text[begin:end]
    is_function_type = written.endswith(")") and " (" in written and not written.startswith(("target(",))
    callee_begin = end + 1
    if text.startswith("addrspace(", callee_begin):
        callee_begin = matching(text, callee_begin + 9) + 1
    arguments_begin = _callee_end(text, callee_begin)
    arguments_end = matching(text, arguments_begin)
    return CallSite(
        callee=text[callee_begin:arguments_begin],
        return_type=written[: _parameters_begin(written)] if is_function_type else written,
        function_type=written if is_function_type else None,
        arguments=tuple(map(_argument, split_list(text[arguments_begin + 1 : arguments_end - 1]))),
        callee_span=(callee_begin, arguments_begin),
    )


def find_type(text: str, start: int) -> tuple[int, int]:
    """Where the first type after `start` begins and ends, over flags, conventions and attributes.

    Raises:
        ValueError: there is none.
    """
    at = start
    while at < len(text):
        end = type_end(text, at)
        if end > at:
            return at, end
        while at < len(text) and text[at] not in " (":
            at += 1
        if text.startswith("(", at):
            at = matching(text, at)
        at += 1
    raise ValueError(f"no type in '{text[start:]}'")


def _parameters_begin(function_type: str) -> int:
    """Where the list of parameters begins: the last bracket that is closed at the end."""
    at = 0
    while (end := matching(function_type, at := function_type.index(" (", at) + 1)) < len(function_type):
        at = end
    return at - 1


def _callee_end(text: str, begin: int) -> int:
    if text[begin] in "@%":
        if text[begin + 1] == '"':
            return text.index('"', begin + 2) + 1
        return text.index("(", begin)
    if text.startswith("asm ", begin):
        at = text.index('"', begin)
        at = text.index('"', text.index('"', at + 1) + 1)  # the constraints
        return text.index("(", text.index('"', at + 1))
    at = text.index("(", begin)  # a constant expression
    return matching(text, at) if text[at - 1] == " " else at


def _argument(text: str) -> Argument:
    end = type_end(text)
    rest = text[end + 1 :]
    at = 0
    while at < len(rest):  # attributes are words, perhaps with an argument; the value is what comes last
        word_end = at
        while word_end < len(rest) and rest[word_end] not in " (":
            word_end += 1
        word = rest[at:word_end]
        if not word.isidentifier() or word in _CONSTANT_WORDS:
            break
        if word == "align" and rest.startswith(" ", word_end):
            word_end = rest.find(" ", word_end + 1)
        elif rest.startswith("(", word_end):
            word_end = matching(rest, word_end)
        if word_end < 0 or word_end >= len(rest):
            break
        at = word_end + 1
    return Argument(text[:end], rest[:at].rstrip(), rest[at:])


_CONSTANT_WORDS = frozenset(
    (
        "null", "true", "false", "undef", "poison", "zeroinitializer", "none", "blockaddress", "getelementptr",
        "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast", "trunc", "add", "sub", "xor", "c", "asm",
        "splat", "dso_local_equivalent", "no_cfi", "ptrauth", "extractelement", "insertelement", "shufflevector",
    )
)  # fmt: skip
"""Words that begin a constant, where an argument's value is read."""
