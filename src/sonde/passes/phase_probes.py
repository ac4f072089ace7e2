"""Probes at the calls of phases: where chosen functions begin, and wherever they end."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sonde.ir import Block, Function, Instruction, Module, call_site
from sonde.ir.edits import split_block, why_not_split
from sonde.passes.calls_and_returns import attributes_of, can_have_probes, end_points, returns_twice, switches_stacks

ENTER, LEAVE, UNWIND, BACK, LAST = (f"sn_phases_{each}" for each in ("enter", "leave", "unwind", "back", "last"))
"""What the code calls (`native/probes/phase_calls.h`)."""

_PERSONALITY = "@__gxx_personality_v0"
_ENDS_PROCESS = re.compile(
    r'@"?(?:\\01)?(?:_exit|_Exit|quick_exit|abort|__assert_fail|execve?|execvp?e?|execlp?e?|fexecve)"?\('
)
"""What ends the process without its usual end, or lets it become another program."""
_FRAME = "call ptr @llvm.addressofreturnaddress.p0()"
_MARKERS = re.compile(r"^(?:tail |notail )?call (?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*")
_ATTACHMENTS = re.compile(r"(?:, ![-\w.$]+ ![0-9]+)*$")
_GROUP = re.compile(r"#([0-9]+)")
_CATCHES_ALL = re.compile(r"^\s*(?:cleanup|catch ptr null)\b", re.MULTILINE)
_NAMES = "%phase."


@dataclass(frozen=True, slots=True)
class PhaseProbes:
    """Put probes into the functions that are phases, when the optimiser is done.

    All other functions stay as they are, but for a word where a jump may come back (`setjmp`), and where the process
    is ended or replaced (`_exit`, `execve`).

    Guarantee: what the program does stays the same, but for time and memory. Of each call, the beginning and the end
        are told: a return, a tail call, an exception that goes on (calls that may throw become invokes with a pad of
        their own, in programs that know exceptions), `longjmp` back to a function that the module defines.
    Cost: of a function that is no phase, nothing.
    Source: Buytaert, PhD thesis, section 3.4 (step 3).

    >>> from sonde.ir import parse_module
    >>> module = parse_module('define void @f() {\\n  ret void\\n}')
    >>> PhaseProbes({"@f": 3}).insert(module)
    ['@f']
    >>> [each.opcode for each in module.functions["@f"].entry.instructions]
    ['call', 'call', 'call', 'ret']
    """

    numbers: Mapping[str, int]
    """Of functions by name, with sigil. Several may have one number: copies of what is one function in the source."""

    def insert(self, module: Module) -> list[str]:
        """Change the module in place. Returns: names of the functions with probes, with sigil."""
        chosen = [each for each in module.defined_functions() if each.name in self.numbers]
        functions = [each for each in chosen if can_have_probes(module, each)]
        if not functions:
            return []
        module.declare("ptr @llvm.addressofreturnaddress.p0()")
        for name in (ENTER, LEAVE, UNWIND, BACK):
            module.declare(f"preserve_mostcc void @{name}(i32, ptr) nounwind")
        module.declare(f"preserve_mostcc void @{LAST}() nounwind")
        knows_exceptions = _PERSONALITY in module.functions
        for function in module.defined_functions():
            _mark_jumps_and_ends(module, function)
        for function in functions:
            _Insertion(module, function, self.numbers[function.name], function.local_names()).insert(knows_exceptions)
        return [each.name for each in functions]


def has_several_stacks(module: Module) -> bool:
    """Whether a program exchanges stacks, so that of two frames it is not known which is above the other."""
    return any(
        each.opcode == "call" and switches_stacks(each)
        for function in module.defined_functions()
        for each in function.instructions()
    )


def _mark_jumps_and_ends(module: Module, function: Function) -> None:
    text, marks = Instruction.from_text, 0
    for block in function.blocks:
        at = 0
        while at < len(block.instructions):
            each = block.instructions[at]
            at += 1
            if each.opcode != "call":
                continue
            if _ENDS_PROCESS.search(each.text) and not each.text.startswith("musttail "):
                block.instructions.insert(at - 1, text(f"call preserve_mostcc void @{LAST}()"))
                at += 1
            elif returns_twice(module, each):
                here = f"{_NAMES}here{marks}"
                marks += 1
                block.instructions[at:at] = [text(_FRAME, here), _told(BACK, 0, here)]
                at += 2


def _told(what: str, number: int, frame: str) -> Instruction:
    return Instruction.from_text(f"call preserve_mostcc void @{what}(i32 {number}, ptr {frame})")


@dataclass(slots=True)
class _Insertion:
    """Probes into one function."""

    module: Module
    function: Function
    number: int
    taken: set[str]
    """Names in the function."""
    frame: str = field(default=_NAMES + "frame")

    def insert(self, knows_exceptions: bool) -> None:
        ends = [each for _, each in end_points(self.module, self.function, is_late=True)]
        if "nounwind" not in attributes_of(self.module, self.function).split():
            self._see_exceptions(ends, knows_exceptions)
        for block in self.function.blocks:
            for end in ends:
                at = next((at for at, each in enumerate(block.instructions) if each is end), None)
                if at is not None:
                    what = UNWIND if end.opcode == "resume" else LEAVE
                    block.instructions.insert(at, _told(what, self.number, self.frame))
        head = self.function.entry
        first = next(at for at, each in enumerate(head.instructions) if each.opcode != "alloca")
        head.instructions[first:first] = [
            Instruction.from_text(_FRAME, self.frame),
            _told(ENTER, self.number, self.frame),
        ]

    def _see_exceptions(self, ends: list[Instruction], knows_exceptions: bool) -> None:
        """Let every exception that leaves the function come by."""
        own = " personality " in f" {self.function.signature.suffix}"
        if not own and not knows_exceptions:
            return
        for block in self.function.blocks:
            if block.is_landing_pad:
                _let_in(block.instructions[block.first_after_phis()])
        pad = Block(f"{_NAMES}pad")
        is_used = False
        for block in list(self.function.blocks):
            at = len(block.instructions) - 2  # from the end: what is split off is done with
            while at >= 0:
                if self._may_throw(block.instructions[at], ends) and not why_not_split(self.function, block, at + 1):
                    self._let_land(block, at, pad.name)
                    is_used = True
                at -= 1
        if not is_used:
            return
        thrown = f"{_NAMES}thrown"
        pad.instructions = [
            Instruction.from_text("landingpad { ptr, i32 }\n          cleanup", thrown),
            _told(UNWIND, self.number, self.frame),
            Instruction.from_text(f"resume {{ ptr, i32 }} {thrown}"),
        ]
        self.function.blocks.append(pad)
        if not own:
            suffix = self.function.signature.suffix
            at = suffix.find("!")
            at = len(suffix) if at < 0 else at
            whole = f"{suffix[:at].rstrip()} personality ptr {_PERSONALITY} {suffix[at:]}".strip()
            self.function.signature = replace(self.function.signature, suffix=whole)

    def _may_throw(self, call: Instruction, ends: list[Instruction]) -> bool:
        if call.opcode != "call" or any(call is end for end in ends) or call.text.startswith("musttail "):
            return False
        site = call_site(call)
        if site.is_intrinsic or site.is_assembler or returns_twice(self.module, call):
            return False
        callee = self.module.functions.get(site.callee)
        groups = (self.module.attribute_groups.get(int(group), "") for group in _GROUP.findall(call.text))
        said = " ".join((call.text, *groups, "" if callee is None else attributes_of(self.module, callee)))
        return "nounwind" not in re.split(r"[\s{}]+", said)

    def _let_land(self, block: Block, at: int, pad: str) -> None:
        """Make an invoke of a call."""
        rest = split_block(self.function, block, at + 1, taken=self.taken)
        call = block.instructions[at]
        text = _MARKERS.sub("invoke ", call.text)
        attachments = _ATTACHMENTS.search(text)
        assert attachments is not None  # it may be empty
        body, tail = text[: attachments.start()], text[attachments.start() :]
        invoke = Instruction.from_text(f"{body}\n          to label {rest.name} unwind label {pad}{tail}", call.result)
        invoke.records = call.records
        block.instructions[at:] = [invoke]


def _let_in(landing_pad: Instruction) -> None:
    """Let exceptions of all types come to a landing pad; the code there goes on with those that it does not know."""
    if landing_pad.opcode == "landingpad" and not _CATCHES_ALL.search(landing_pad.text):
        landing_pad.edit_text(lambda text: text.replace("\n", "\n          cleanup\n", 1))
