"""Making symbols that are local to a module visible to others, under names that no other module has."""

import re
from dataclasses import replace

from sonde.ir.call_site import CALLS
from sonde.ir.edits.linkage import is_local, linkage_of, with_linkage
from sonde.ir.edits.rename_globals import rename_globals_everywhere
from sonde.ir.module import Module
from sonde.ir.names import fresh_name, globals_in, unquoted

_WORD = re.compile(r"[\w.$]+")
_KEEP_LISTS = ("@llvm.used", "@llvm.compiler.used")
_LOCAL_PREFIX = re.compile(r"(?:private|internal)( dso_local)?(?= |$)")


def promote_internals(module: Module, suffix: str, *, visibility: str = "hidden") -> dict[str, str]:
    """Let other modules refer to what is `internal` or `private` here, as ThinLTO does.

    Symbols stay local that assembler text may name, and those that LLVM itself reads and never emits
    (`section "llvm.metadata"`, `@llvm.*`).

    Args:
        suffix: makes the names unique: put at their ends, see `suffixed`.
        visibility: `hidden`, as long as all is linked into one library; or `default`.
    Returns: old name -> new name, of all that was promoted.
    Cost: a walk over the module.
    """
    kept = _named_by_assembler(module)
    taken = module.global_names()
    new_names: dict[str, str] = {}

    def promote(name: str) -> bool:
        if name.startswith("@llvm.") or name in kept:
            return False
        new_names[name] = fresh_name(suffixed(name, suffix), taken)
        taken.add(new_names[name])
        return True

    said = "" if visibility == "default" else visibility
    for name, function in module.functions.items():
        if is_local(linkage_of(function.signature)) and promote(name):
            signature = with_linkage(function.signature, "external")
            function.signature = replace(signature, prefix=" ".join(filter(None, (said, signature.prefix))))
    for name, value in module.globals.items():
        if is_local(value.linkage) and 'section "llvm.metadata"' not in value.text and promote(name):
            rest = _LOCAL_PREFIX.sub("", value.text, count=1).strip(" ")
            value.text = " ".join(filter(None, (said, rest)))
    rename_globals_everywhere(module, new_names)
    return new_names


def suffixed(name: str, suffix: str) -> str:
    """A name with something at its end, inside its quotes if it has them.

    >>> suffixed("@f", ".1"), suffixed('@"a b"', ".1")
    ('@f.1', '@"a b.1"')
    """
    return f'{name[:-1]}{suffix}"' if name.endswith('"') else name + suffix


def _named_by_assembler(module: Module) -> set[str]:
    """Symbols that assembler text may name: whoever does that marks them as used, lest they are removed."""
    used = {name for each in _KEEP_LISTS if each in module.globals for name in globals_in(module.globals[each].text)}
    if not used:
        return set()
    words: set[str] = set()
    for line in module.header:
        if line.startswith("module asm"):
            words.update(_WORD.findall(line))
    for function in module.defined_functions():
        for instruction in function.instructions():
            if instruction.opcode in CALLS and "asm " in (text := instruction.text):
                words.update(_WORD.findall(text))
    return {name for name in used if unquoted(name) in words}
