"""Generators that come with sonde: the same code again, optimised or not; and calls of a pointer inlined."""

import re
from dataclasses import replace

from sonde.base.errors import UsageError
from sonde.ir import Function, Instruction, Module, call_site, parse_module, print_module
from sonde.ir.edits import declaration_of, suffixed
from sonde.llvm import LlvmModule
from sonde.osr.code import Code
from sonde.osr.landing import Landing
from sonde.osr.point import Firing, Generator

_NOT_INLINED = re.compile(r"\b(?:noinline|optnone|alwaysinline)\b ?")
_GROUP = re.compile(r"#([0-9]+)")


def clone(recipe: str = "") -> Generator:
    """Go on in the same code, optimised by a recipe."""

    def same_code(firing: Firing) -> Landing:
        return firing.here(recipe)

    return same_code


def inline(pointer: str, recipe: str = "O2") -> Generator:
    """Go on in code into which the function is inlined that a pointer points to as the point fires.

    Args:
        pointer: a value of the function, with sigil. It must be the point's `value` too, for the code is right for this
            function only.
        recipe: run on what comes of it.
    """

    def inlined(firing: Firing) -> Landing:
        if firing.value is None:
            raise UsageError(
                f"cannot inline what {pointer} points to: the point has no value", slug="osr-inline", hint=None
            )
        callee = _function_at(firing, firing.value)
        module, symbol = with_calls_of(firing.code, pointer, callee)
        return Landing(module, symbol, firing.place, recipe=recipe)

    return inlined


def with_calls_of(code: Code, pointer: str, callee: Code) -> tuple[Module, str]:
    """A copy of a function that calls another one by name, ready to be inlined, where it calls a pointer.

    Returns: the module, and the function's symbol there.
    Raises:
        UsageError: `osr-inline`: no call of the pointer has the callee's type.
    """
    module, body = code.copied()
    local = suffixed(callee.function.name, ".inlined")
    signature = callee.body.signature
    changed = 0
    for block in body.blocks:
        for at, each in enumerate(block.instructions):
            if each.opcode != "call":
                continue
            site = call_site(each)
            if site.callee == pointer and site.type_written_out() == signature.type:
                block.instructions[at] = _calling(each, pointer, local)
                changed += 1
    if not changed:
        raise UsageError(
            f"cannot inline {callee.name}: {code.name} has no call of {pointer} as {signature.type}",
            slug="osr-inline",
            hint=f"ir {code.name}",
        )
    module.functions[local] = Function(declaration_of(signature).named(local))
    other, inlined = callee.copied()
    inlined.signature = replace(inlined.signature, name=local)
    del other.functions[next(name for name, each in other.functions.items() if each is inlined)]
    other.functions[local] = inlined
    together = LlvmModule.from_text(print_module(module), code.name)
    together.link_in(LlvmModule.from_text(print_module(other), callee.name))
    module = parse_module(together.text())
    _force_inlining(module, module.functions[local])
    return module, body.name


def _calling(call: Instruction, pointer: str, name: str) -> Instruction:
    """The same call of a function by name."""
    at = max(
        at for at in range(1, len(call.pieces), 2) if call.pieces[at] == pointer and call.pieces[at + 1][:1] == "("
    )
    pieces = [*call.pieces[: at - 1], call.pieces[at - 1] + name + call.pieces[at + 1], *call.pieces[at + 2 :]]
    return Instruction(call.result, "call", pieces, call.records)


def _force_inlining(module: Module, function: Function) -> None:
    """Let it be inlined wherever it is called; nothing else refers to it."""
    for match in _GROUP.finditer(function.signature.suffix):
        text = module.attribute_groups.get(int(match[1]), "")
        if (kept := _NOT_INLINED.sub("", text)) != text:
            number = max(module.attribute_groups) + 1
            module.attribute_groups[number] = kept
            suffix = function.signature.suffix.replace(match[0], f"#{number}", 1)
            function.signature = replace(function.signature, suffix=suffix)
            break
    function.signature = replace(
        function.signature, prefix=f"internal {function.signature.prefix.replace('dso_local', '').strip()}".strip(),
        suffix=f"alwaysinline {function.signature.suffix}".strip(),
    )  # fmt: skip


def _function_at(firing: Firing, address: int) -> Code:
    """The function that a pointer points to: its stub's address is what the program knows it by."""
    machine = firing.code.machine
    for managed in machine.functions.values():
        if managed.stub == address:
            return Code(machine, managed, managed.versions[managed.active])
    raise UsageError(
        f"cannot inline what is at {address:#x}: it is no function of a program that was loaded",
        slug="osr-inline",
        hint="load the file that defines it",
    )
