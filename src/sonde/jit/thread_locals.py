"""Thread-local variables without the help of the dynamic linker.

The usual way takes a slot in a table that the dynamic linker lays out when a library is loaded; code linked by a JIT
has none. Instead, each variable gets a small control block, and `__emutls_get_address` of the compiler's run-time
library finds (or makes, from a template) the calling thread's copy: what compilers call emulated TLS, on systems
whose linkers know no other. Variables of shared libraries stay where the dynamic linker has put them: their control
blocks (see `Libraries.thread_local`) say so to `sonde.thread_address`, which stands before.
"""

import re

from sonde.base.errors import InputError
from sonde.ir import GlobalValue
from sonde.jit.runtime import THREAD_ADDRESS
from sonde.llvm import LlvmModule

_INTRINSIC = "llvm.threadlocal.address.p0"
_NAME = r'@(?:"[^"\n]*"|[-\w$.]+)'
_VARIABLE = re.compile(
    rf"^({_NAME}) = ((?:[a-z_]+ )*?)thread_local(?:\(\w+\))? (?:(?:local_)?unnamed_addr |externally_initialized )*"
    r"(?:global|constant) (.*)$",
    re.MULTILINE,
)
_TAIL = re.compile(r'(?:, (?:comdat(?:\([^)]*\))?|align \d+|section "[^"]*"|![\w.]+ !\d+))*$')
_ADDRESS = re.compile(rf"call [^\n@]*ptr @{re.escape(_INTRINSIC)}\(ptr [^@\n]*({_NAME})\)")
_DECLARATION = re.compile(rf"^declare [^\n]*@{re.escape(_INTRINSIC)}\([^\n]*\n", re.MULTILINE)
_CONTROL_BLOCK = "{ i64, i64, ptr, ptr }"
_LOOKUP = THREAD_ADDRESS
_DECLARE_LOOKUP = (
    # What LLVM may assume of its own intrinsic too: within a thread the address stays the same.
    f"declare nonnull ptr @{_LOOKUP}(ptr) nounwind willreturn speculatable memory(none)\n"
)


def lower_thread_locals(module: LlvmModule) -> LlvmModule:
    """The module with calls of `sonde.thread_address` in the place of thread-local variables.

    Raises:
        InputError: `thread-local`: the address of such a variable is used in a way that this does not know.
    """
    text = module.text()
    variables: dict[str, str] = {}
    for found in _VARIABLE.finditer(text):
        variables[found[1]] = _control_block(found)
    text = _VARIABLE.sub(lambda found: variables[found[1]], text)
    text = _ADDRESS.sub(lambda found: f"call ptr @{_LOOKUP}(ptr {_beside(found[1], 'v')})", text)
    text = _look_up_operands(_DECLARATION.sub("", text), set(variables)) + "\n" + _DECLARE_LOOKUP
    try:
        return LlvmModule.from_text(text, module.name)
    except InputError as error:
        raise InputError(
            f"cannot run '{module.name}': the address of a thread-local variable is used in a constant or a phi",
            slug="thread-local",
            hint="compile it with clang 15 or later, or drop thread_local",
        ) from error


def _look_up_operands(text: str, variables: set[str]) -> str:
    """Before each instruction that names such a variable, look its address up, and let the instruction use that."""
    lines, count = [], 0
    for line in text.split("\n"):
        if line.startswith("  "):
            for name in dict.fromkeys(re.findall(_NAME, line)):
                if name in variables:
                    value, count = f"%sonde.thread.{count}", count + 1
                    lines.append(f"  {value} = call ptr @{_LOOKUP}(ptr {_beside(name, 'v')})")
                    line = re.sub(re.escape(name) + r"(?![-\w$.])", value, line)
        lines.append(line)
    return "\n".join(lines)


def _control_block(found: "re.Match[str]") -> str:
    name, prefix, rest = found.groups()
    kind = GlobalValue(name, f"global {rest}").value_type
    tail = _TAIL.search(rest)
    assert tail is not None  # it may be empty
    initial = rest[len(kind) : tail.start()].strip()
    prefix = prefix.replace("dso_local ", "")
    control = _beside(name, "v")
    if not initial:
        return f"{control} = {prefix}global {_CONTROL_BLOCK}"
    aligned = re.search(r"align (\d+)", tail[0])
    alignment = (
        aligned[1] if aligned else f"ptrtoint (ptr getelementptr ({{ i8, {kind} }}, ptr null, i32 0, i32 1) to i64)"
    )
    template, define_template = "null", ""
    if initial not in ("zeroinitializer", "0", "null", "undef"):
        template = _beside(name, "t")
        define_template = f"{template} = internal constant {kind} {initial}\n"
    shared = re.search(r"comdat(\([^)]*\))?", tail[0])
    group = "" if shared is None else f", comdat{shared[1] or '($' + name[1:] + ')'}"
    size = f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"
    return (
        f"{define_template}{control} = {prefix}global {_CONTROL_BLOCK} "
        f"{{ i64 {size}, i64 {alignment}, ptr null, ptr {template} }}{group}, align 8"
    )


def _beside(name: str, letter: str) -> str:
    """The name that compilers give to a variable's control block (v) and template (t)."""
    quoted = name.startswith('@"')
    return f'@"__emutls_{letter}.{name[2:-1]}"' if quoted else f"@__emutls_{letter}.{name[1:]}"
