"""What stands still while versions change: a program's variables, and for each function a stub and a slot.

Every reference to `@f`, in code, tables and other programs, is to its stub, whose address never changes. The stub jumps
to where the slot points. So a call of `f` costs one jump more than a direct one, and one store of a pointer, which the
processor makes whole, redirects all calls that begin after it.

    @f--slot = dso_local global ptr @f-base
    define i32 @f(i32 %0) {
      %code = load atomic ptr, ptr @f--slot acquire
      %result = musttail call i32 %code(i32 %0)      ; becomes: a jump
      ret i32 %result
    }
"""

from collections.abc import Mapping
from typing import Literal

from sonde.ir import Function, GlobalValue, Module, Signature, parse_module, split_list
from sonde.ir.edits import declaration_of, global_with_linkage, suffixed, with_linkage


def slot_name(function: str) -> str:
    """The name of the slot of a function, both with sigil."""
    return suffixed(function, "--slot")


def stub_module(module: Module, bodies: Mapping[str, str]) -> Module:
    """The variables of a module, and a stub and a slot for each of its functions.

    Args:
        module: as loaded; every symbol in it already has a name that other modules may use.
        bodies: function -> the name of what its slot points to at first; functions that are not in it get no stub.
    """
    result = Module(
        header=[line for line in module.header if not line.startswith("$")],
        types=dict(module.types),
        attribute_groups=dict(module.attribute_groups),
    )
    for value in module.globals.values():
        if belongs_here(value):
            result.add_global(value.name, _definition_text(value))
    text = []
    for name, body in bodies.items():
        signature = module.functions[name].signature
        text.append(_stub_text(signature))
        result.add_global(slot_name(name), f"dso_local global ptr {body}, align 8")
        result.functions[body] = Function(declaration_of(signature).named(body))
    result.functions.update(parse_module("\n".join(text)).functions)
    for name, function in module.functions.items():
        if name not in bodies and not name.startswith("@llvm."):
            result.functions[name] = Function(declaration_of(function.signature))
    return result


def belongs_here(value: GlobalValue) -> bool:
    """Whether a variable stands still; tables of block addresses go with their function, LLVM's own lists nowhere."""
    return not (
        value.name.startswith("@llvm.") or value.linkage == "available_externally" or "blockaddress(" in value.text
    )


def _definition_text(value: GlobalValue) -> str:
    if value.is_declaration or value.kind in ("alias", "ifunc"):
        return value.text
    return global_with_linkage(value, "external")


def _stub_text(signature: Signature) -> str:
    names = [f"%{at}" for at in range(len(signature.parameters))]
    given = ", ".join(
        " ".join(filter(None, (each.type, each.attributes, name)))
        for each, name in zip(signature.parameters, names, strict=True)
    )
    listed = f"{given}, ..." if given and signature.is_varargs else given or ("..." if signature.is_varargs else "")
    prefix = with_linkage(signature, "external").prefix
    head = f"{prefix} " if prefix else ""
    called = signature.type if signature.is_varargs else signature.return_type
    returns_nothing = signature.return_type == "void"
    return "\n".join(
        (
            f"define {head}{signature.return_type} {signature.name}({listed}) {{",
            f"  %code = load atomic ptr, ptr {slot_name(signature.name)} acquire, align 8",
            f"  {'' if returns_nothing else '%result = '}musttail call {head}{called} %code({listed})",
            "  ret void" if returns_nothing else f"  ret {signature.return_type} %result",
            "}",
        )
    )


def startup_functions(module: Module, which: Literal["before", "after"]) -> list[str]:
    """The static constructors (`before` main) or destructors (`after`), in the order in which they run."""
    listed = module.globals.get("@llvm.global_ctors" if which == "before" else "@llvm.global_dtors")
    if listed is None or not listed.initializer.startswith("["):
        return []
    found = []
    for entry in split_list(listed.initializer[1:-1]):
        _, _, fields = entry.rpartition("} {")
        priority, function = split_list(fields.strip(" {}"))[:2]
        found.append((int(priority.split(" ")[1]), function.removeprefix("ptr ")))
    ordered = [function for _, function in sorted(found, key=lambda each: each[0]) if function != "null"]
    return ordered if which == "before" else ordered[::-1]
