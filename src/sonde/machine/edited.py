"""Functions that were edited in a file become versions, once they fit the program that runs.

The file is a whole module, or the text of functions as the shell prints it: then types, declarations and attributes are
the program's.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sonde.base.errors import InputError
from sonde.base.near_names import near_hint
from sonde.ir import Function, Instruction, Module, parse_module, print_module
from sonde.ir.edits import extract_functions, promote_internals
from sonde.ir.edits.linkage import is_local
from sonde.ir.names import quoted, unquoted
from sonde.ir.signature import Signature
from sonde.ir.types import matching
from sonde.llvm import LlvmModule
from sonde.machine.unit import Unit
from sonde.machine.versions import ManagedFunction, Version, body_name
from sonde.machine.virtual_machine import VirtualMachine

_OF_A_MODULE = re.compile(r"^(?:source_filename|target |declare |attributes #|[@%!$]\S+ = )", re.MULTILINE)
_ATTACHMENT = re.compile(r",? !(?:[-\w.$]+ )?![0-9]+")
_GROUP = re.compile(r" #[0-9]+\b")
_ABI = ("byval", "sret", "inalloca", "preallocated", "inreg", "zeroext", "signext", "nest", "swiftself", "swifterror",
        "swiftasync")  # fmt: skip
"""Attributes of parameters and results that say how they are handed over."""
_CONVENTION = re.compile(r"\b(?:\w+cc|cc [0-9]+)\b")


def load_edited(machine: VirtualMachine, path: str, function: ManagedFunction | None, version: str) -> list[Version]:
    """Make versions of the functions that a file of LLVM's language defines.

    They are compiled, so that what is missing is told now; none is active.

    Args:
        function: the one to take; None: all that the program has, too.
        version: the name of the versions.
    Raises:
        InputError: `edited-function`: it does not fit, with the reason; `bad-ir`, `invalid-ir`, `missing-symbol`;
            `no-such-source`. No version was made then.
        UsageError: as `VirtualMachine.clone`.
    """
    text = _read(path)
    defined = [each.name for each in parse_module(text).defined_functions()]
    local = {_local_name(each): each for each in machine.functions.values() if each.name != _local_name(each)}
    found = [
        machine.functions.get(each) or local[each] for each in defined if each in machine.functions or each in local
    ]
    if function is not None:
        found = [each for each in found if each is function]
    if not found:
        raise _no_function(machine, path, function, defined)
    is_whole = _OF_A_MODULE.search(text) is not None
    made: list[tuple[ManagedFunction, Version]] = []
    try:
        for each in found:
            unit = machine.units[each.unit]
            whole = _whole_module(text, path, unit) if is_whole else _completed(text, path, unit)
            made.append((each, _version(machine, each, whole, path, version)))
    except BaseException:
        for managed, each_made in made:
            machine.drop(managed, each_made)
        raise
    return [each for _, each in made]


def _version(machine: VirtualMachine, managed: ManagedFunction, edited: Module, path: str, name: str) -> Version:
    original = managed.versions["base"]
    where = f"{unquoted(managed.name)} of '{path}'"
    _check_signature(where, original.body.signature, edited.functions[managed.name].signature)
    symbol = body_name(managed.name, name)
    try:
        alone = extract_functions(edited, [managed.name], renamed={managed.name: symbol})
    except ValueError as error:
        raise _refused(where, str(error)) from error
    _check_mentions(machine, where, edited, alone)
    made = machine.clone(managed, original, name)
    try:
        machine.replace_body(managed, made, alone, made.level, f"edited in {Path(path).name}")
        machine.compile(managed, made)
    except BaseException:
        machine.drop(managed, made)
        raise
    return made


def _read(path: str) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror}", slug="no-such-source") from error
    if data[:2] == b"BC":
        return LlvmModule.from_bitcode(data, path).text()
    return data.decode("utf-8", errors="replace")


def _whole_module(text: str, path: str, unit: Unit) -> Module:
    """A module as it stands, with local names as the program has them."""
    module = parse_module(LlvmModule.from_text(text, path).text())
    constants = {
        name: value.text
        for name, value in module.globals.items()
        if value.kind == "constant" and is_local(value.linkage) and " unnamed_addr " in f" {value.text} "
    }
    promote_internals(module, f".{unit.name}", visibility="default")
    for name, text in constants.items():
        promoted = module.globals.get(_promoted(name, unit))
        if promoted is not None:
            promoted.text = text  # whose address does not matter: the file has its own
    return module


def _completed(text: str, path: str, unit: Unit) -> Module:
    """The program's module with other bodies for some functions."""
    module = parse_module(print_module(unit.module))
    for function in parse_module(text).defined_functions():
        name = function.name if function.name in module.functions else _promoted(function.name, unit)
        if name not in module.functions:
            raise _refused(f"{unquoted(function.name)} of '{path}'", "the program has no such function")
        original = module.functions[name].signature
        _check_signature(f"{unquoted(name)} of '{path}'", original, function.signature)
        parameters = tuple(
            replace(given, name=own.name)
            for given, own in zip(original.parameters, function.signature.parameters, strict=True)
        )
        for each in function.instructions():
            _strip(each)
        suffix = _ATTACHMENT.sub("", original.suffix)
        module.functions[name] = Function(replace(original, parameters=parameters, suffix=suffix), function.blocks)
    return parse_module(LlvmModule.from_text(print_module(module), path).text())


def _strip(instruction: Instruction) -> None:
    """Take out what refers to metadata and attributes that were not printed with it."""
    instruction.records = ()
    for at in range(0, len(instruction.pieces), 2):
        if '"' not in instruction.pieces[at]:
            instruction.pieces[at] = _GROUP.sub("", _ATTACHMENT.sub("", instruction.pieces[at]))


def _check_signature(where: str, program: Signature, file: Signature) -> None:
    """Refuse a function that is called in another way than the program calls it.

    Raises:
        InputError: `edited-function`.
    """
    if program.type != file.type:
        raise _refused(where, f"its type is {file.type}, the program's is {program.type}")
    here, there = (_CONVENTION.findall(each.prefix) for each in (file, program))
    if here != there:
        raise _refused(
            where, f"its calling convention is {' '.join(here) or 'C'}, the program's is {' '.join(there) or 'C'}"
        )
    handed = [("its result", program.prefix, file.prefix)]
    handed += [
        (f"its parameter {number}", one.attributes, other.attributes)
        for number, (one, other) in enumerate(zip(program.parameters, file.parameters, strict=True), 1)
    ]
    for what, ours, theirs in handed:
        here, there = _abi(theirs), _abi(ours)
        if here != there:
            raise _refused(
                where, f"{what} is {' '.join(here) or 'plain'}, the program's is {' '.join(there) or 'plain'}"
            )


def _abi(attributes: str) -> list[str]:
    found = []
    for match in re.finditer(r"[a-z]+", attributes):
        if match[0] in _ABI:
            end = match.end()
            found.append(
                attributes[match.start() : matching(attributes, end) if attributes[end : end + 1] == "(" else end]
            )
    return sorted(found)


def _check_mentions(machine: VirtualMachine, where: str, edited: Module, alone: Module) -> None:
    """Refuse what the program has in another form, and what only the file has.

    Raises:
        InputError: `edited-function`.
    """
    variables = {name: value for unit in machine.units.values() for name, value in unit.module.globals.items()}
    declared = {name: each for unit in machine.units.values() for name, each in unit.module.functions.items()}
    for name, function in alone.functions.items():
        if function.blocks or name.startswith("@llvm."):
            continue
        known = machine.functions.get(name)
        program = (
            known.versions["base"].body.signature if known else declared[name].signature if name in declared else None
        )
        if program is not None:
            _check_signature(f"{where}, which calls {unquoted(name)}", program, function.signature)
        elif edited.functions[name].blocks:
            raise _refused(where, f"it uses {unquoted(name)}, which the file defines and the program does not have")
    for name, value in alone.globals.items():
        if not value.is_declaration and value.linkage in ("private", "internal"):
            continue  # a constant of its own
        if name in variables:
            if variables[name].kind != "alias" and variables[name].value_type != value.value_type:
                program_type = variables[name].value_type
                raise _refused(where, f"{unquoted(name)} is {value.value_type}, the program's is {program_type}")
            own = edited.globals[name]
            if own.kind == "constant" and not own.is_declaration and own.initializer != variables[name].initializer:
                raise _refused(where, f"it uses {unquoted(name)}, which has another value in the program")
        elif name in edited.globals and not edited.globals[name].is_declaration:
            raise _refused(where, f"it uses {unquoted(name)}, which the file defines and the program does not have")


def _promoted(name: str, unit: Unit) -> str:
    return quoted("@", f"{unquoted(name)}.{unit.name}")


def _local_name(function: ManagedFunction) -> str:
    return quoted("@", unquoted(function.name).removesuffix(f".{function.unit}"))


def _no_function(
    machine: VirtualMachine, path: str, function: ManagedFunction | None, defined: Iterable[str]
) -> InputError:
    names = [unquoted(each) for each in defined]
    has = f"it defines {', '.join(names[:6])}" if names else "it defines none"
    if function is not None:
        return _refused(f"{unquoted(function.name)} of '{path}'", has)
    return InputError(
        f"cannot take functions of '{path}': the program has none of them; {has}",
        slug="edited-function",
        hint=near_hint(names[0] if names else "", map(unquoted, machine.functions), "functions"),
    )


def _refused(what: str, fact: str) -> InputError:
    return InputError(f"cannot take {what}: {fact}", slug="edited-function")
