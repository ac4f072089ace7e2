"""Who calls whom in a module."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir.analyses.place import Place
from sonde.ir.analyses.strongly_connected import strongly_connected_parts
from sonde.ir.call_site import CALLS, CallSite, call_site
from sonde.ir.instruction import Instruction
from sonde.ir.module import Module
from sonde.ir.names import globals_in


class Call(NamedTuple):
    """A call in a function."""

    caller: str
    place: Place
    instruction: Instruction
    site: CallSite


@dataclass(frozen=True, slots=True)
class CallGraph:
    """The calls of a module: direct ones exactly, indirect ones as far as the module tells.

    A call through a pointer may call every function of its type whose address is taken: that is named anywhere but
    as what a call calls. It may also call functions of other modules; and other modules may call whatever is visible
    to them or whose address they get. Calls of an alias are calls of its function.

    >>> from sonde.ir.parse import parse_module
    >>> graph = CallGraph.of(parse_module('''declare i32 @puts(ptr)
    ... define void @f(ptr %p) {
    ...   %1 = call i32 %p(ptr @puts)
    ...   call void @f(ptr null)
    ...   ret void
    ... }'''))
    >>> graph.direct_callees("@f"), graph.callees("@f"), graph.is_recursive("@f")
    (['@f'], ['@puts', '@f'], True)
    """

    calls: Mapping[str, list[Call]]
    """Defined function -> its calls in the order of the text; intrinsics and assembler among them."""
    address_taken: frozenset[str]
    """Functions that may be called through a pointer."""
    _aliases: Mapping[str, str]
    _by_type: Mapping[str, list[str]]
    """Type -> functions of that type whose address is taken."""

    @classmethod
    def of(cls, module: Module) -> "CallGraph":
        """Read every call of a module."""
        calls: dict[str, list[Call]] = {}
        named: set[str] = set()  # other than to be called
        for function in module.defined_functions():
            found = calls.setdefault(function.name, [])
            named.update(globals_in(function.signature.suffix))
            for block in function.blocks:
                for index, instruction in enumerate(block.instructions):
                    if instruction.opcode in CALLS:
                        site = call_site(instruction)
                        found.append(Call(function.name, Place(block.name, index), instruction, site))
                        if not site.is_direct:
                            named.update(globals_in(instruction.text))
                        elif instruction.text.count("@") > 1:
                            begin, end = site.callee_span
                            named.update(globals_in(f"{instruction.text[:begin]} {instruction.text[end:]}"))
                    elif any("@" in piece for piece in instruction.pieces):
                        named.update(globals_in(instruction.text))
        aliases: dict[str, str] = {}
        for value in module.globals.values():
            if value.kind == "alias" and value.initializer.startswith("@"):
                aliases[value.name] = value.initializer
            else:
                named.update(globals_in(value.text))
        taken = {_resolve(name, aliases) for name in named} & module.functions.keys()
        by_type: dict[str, list[str]] = {}
        for name in module.functions:
            if name in taken and not name.startswith("@llvm."):
                by_type.setdefault(module.functions[name].signature.type, []).append(name)
        return cls(calls, frozenset(taken), aliases, by_type)

    def targets(self, call: Call) -> list[str]:
        """The functions that a call may call, intrinsics included, as far as this module knows them; none for
        assembler. An ifunc, or an alias of anything but a function, is given as it is named.
        """
        if call.site.is_direct:
            return [_resolve(call.site.callee, self._aliases)]
        if call.site.is_assembler:
            return []
        return self._by_type.get(call.site.type_written_out(), [])

    def direct_callees(self, caller: str) -> list[str]:
        """The functions that it calls by name, each once, without intrinsics."""
        return self._callees([call for call in self.calls.get(caller, ()) if call.site.is_direct])

    def callees(self, caller: str) -> list[str]:
        """The functions that it may call, each once, without intrinsics."""
        return self._callees(self.calls.get(caller, []))

    def callers(self, callee: str) -> list[str]:
        """The functions of this module that may call it."""
        return [caller for caller in self.calls if callee in self.callees(caller)]

    def call_sites(self, callee: str) -> list[Call]:
        """The calls of this module that may call it."""
        return [call for calls in self.calls.values() for call in calls if callee in self.targets(call)]

    def bottom_up(self) -> list[list[str]]:
        """The defined functions, callees before callers; those that may call one another are together."""
        names = list(self.calls)
        number_of = {name: number for number, name in enumerate(names)}
        after = [[number_of[each] for each in self.callees(name) if each in number_of] for name in names]
        return [[names[number] for number in sorted(part)] for part in strongly_connected_parts(after)]

    def is_recursive(self, function: str) -> bool:
        """Whether it may call itself, directly or through others, without leaving the module."""
        part = next((part for part in self.bottom_up() if function in part), [])
        return len(part) > 1 or function in self.callees(function)

    def _callees(self, calls: list[Call]) -> list[str]:
        found = dict.fromkeys(target for call in calls for target in self.targets(call))
        return [name for name in found if not name.startswith("@llvm.")]


def _resolve(name: str, aliases: Mapping[str, str]) -> str:
    seen = set()
    while name in aliases and name not in seen:
        seen.add(name)
        name = aliases[name]
    return name
