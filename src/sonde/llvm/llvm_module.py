"""A module of LLVM's: read, checked, linked, optimised, made into machine code."""

import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Self

from sonde.base.errors import InputError, UsageError
from sonde.base.near_names import near_hint
from sonde.llvm.binding import require_llvm
from sonde.llvm.host import architecture_of, host_layout, host_machine, host_triple
from sonde.llvm.loadable import make_loadable
from sonde.llvm.pass_names import llvm_pass
from sonde.llvm.reading import read_bitcode, read_text, strip_debug_info, verify
from sonde.llvm.refusals import refused_link
from sonde.llvm.restricted_pipeline import run_alone

_THREAD_LOCAL = re.compile(r'@(?:"[^"]*"|\S+) = (?:[a-z_]+ )*thread_local\b')
_VECTORIZE_FROM = 2
"""The level from which loops and straight code are vectorized and loops unrolled, as clang has it."""


class LlvmModule:
    """Valid LLVM IR in LLVM's hands, in a context of its own.

    Modules may be used from several threads, one at a time: llvmlite lets one thread into LLVM at a time, and
    nothing here holds state outside of LLVM.

    >>> module = LlvmModule.from_text('define i32 @two() { \\n ret i32 2 \\n}', "two.ll")
    >>> module.functions()
    ['two']
    >>> module.verify()
    >>> module.assembly(2).count("ret")
    1
    """

    def __init__(self, module: Any, name: str) -> None:
        """For the class methods: `module` is llvmlite's."""
        self._module = module
        # A garbage collector that finds both in a circle would take them in any order.
        self._close = weakref.finalize(self, _close_in_order, module, module._context)
        self._close.atexit = False
        self.name = name
        """What errors call it: usually the file it came from."""
        self.stripped = ""
        """What LLVM says of debug information that was left out; empty where none was."""
        if not module.triple:
            module.triple = host_triple()
        elif architecture_of(module.triple) != architecture_of(host_triple()):
            raise InputError(
                f"cannot use the module '{name}': it is for {module.triple}, this machine is {host_triple()}",
                slug="other-target",
                hint="compile it for this machine",
            )
        if not module.data_layout:
            module.data_layout = host_layout()

    @classmethod
    def from_text(cls, text: str, name: str, *, strip_invalid_debug_info: bool = False) -> Self:
        """Parse LLVM's assembly language, and let LLVM check every rule of its IR.

        Args:
            text: the module.
            name: what errors call it.
            strip_invalid_debug_info: where only debug information breaks rules, leave it out, and note so in
                `stripped`.
        Raises:
            InputError: `bad-ir`, with line and caret; `invalid-ir`, in LLVM's own words; `ir-version`; `other-target`.
        """
        return cls._verified(read_text(text, require_llvm().create_context(), name), name, strip_invalid_debug_info)

    @classmethod
    def from_bitcode(cls, data: bytes, name: str, *, strip_invalid_debug_info: bool = False) -> Self:
        """Read LLVM's binary form, and let LLVM check every rule of its IR. Arguments: as of `from_text`.

        Raises:
            InputError: `bad-ir`, `invalid-ir`, `ir-version`, `other-target`.
        """
        return cls._verified(read_bitcode(data, require_llvm().create_context(), name), name, strip_invalid_debug_info)

    @classmethod
    def _verified(cls, module: Any, name: str, strip_invalid_debug_info: bool) -> Self:
        made = cls(module, name)
        try:
            made.verify()
        except InputError as error:
            if not strip_invalid_debug_info:
                raise
            try:
                made = cls.from_text(strip_debug_info(made.text()), name)
            except InputError:
                raise error from None
            made.stripped = error.message.removeprefix(f"cannot use the module '{name}': ")
        return made

    def text(self) -> str:
        """The module in LLVM's assembly language, as LLVM prints it."""
        return str(self._module)

    def bitcode(self) -> bytes:
        return bytes(self._module.as_bitcode())

    def copy(self) -> "LlvmModule":
        """The same once more, sharing nothing."""
        return LlvmModule.from_bitcode(self.bitcode(), self.name)

    def verify(self) -> None:
        """Let LLVM check the module once more, after passes for instance.

        Raises:
            InputError: `invalid-ir`.
        """
        verify(self._module, self.name)

    def link_in(self, other: "LlvmModule") -> None:
        """Make one module of two, as a linker would. `other` is used up.

        Raises:
            InputError: `cannot-link`: a symbol is defined twice, say. This module is of no use then.
        """
        # Into this context: what LLVM links must share one.
        moved = read_bitcode(other.bitcode(), self._module._context, other.name)
        other._close()
        try:
            self._module.link_in(moved)
        except RuntimeError as error:
            raise refused_link(self.name, other.name, str(error)) from error

    def optimize(self, level: int) -> None:
        """Run LLVM's own pipeline for modules.

        Args:
            level: 0 to 3.
        """
        binding = require_llvm()
        options = binding.create_pipeline_tuning_options(speed_level=level)
        options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = level >= _VECTORIZE_FROM
        options.loop_unrolling = level >= _VECTORIZE_FROM
        builder = binding.create_pass_builder(host_machine(level), options)
        builder.getModulePassManager().run(self._module, builder)

    def run_passes(self, names: Sequence[str], functions: Sequence[str] | None = None) -> None:
        """Run single passes, one after the other.

        Args:
            names: keys of `PASS_NAMES`.
            functions: run on these only; None: on all. Names without sigil.
        Raises:
            UsageError: `unknown-pass`, `module-pass` when one of them cannot be run on functions, `no-such-function`.
        """
        passes = [(name, llvm_pass(name)) for name in names]
        binding = require_llvm()
        builder = binding.create_pass_builder(host_machine(2), binding.create_pipeline_tuning_options(speed_level=2))
        if functions is None:
            manager = binding.create_new_module_pass_manager()
            for _, each in passes:
                getattr(manager, each.method)()
            manager.run(self._module, builder)
            return
        for name, each in passes:
            if each.kind == "module":
                raise UsageError(
                    f"cannot run the pass '{name}' on functions: it looks at whole modules",
                    slug="module-pass",
                    hint="run it on the module",
                )
        chosen = [self._defined_function(name) for name in functions]
        manager = binding.create_new_function_pass_manager()
        for _, each in passes:
            getattr(manager, each.method)()
        for function in chosen:
            manager.run(function, builder)

    def run_pipeline_pass(self, name: str) -> None:
        """Run one of `PIPELINE_PASSES`, and nothing else.

        Raises:
            InternalError: `pass-failed`.
        """
        changed = read_bitcode(run_alone(name, self.bitcode()), self._module._context, self.name)
        context = changed._context
        self._close.detach()
        self._module.close()
        self._module = changed
        self._close = weakref.finalize(self, _close_in_order, changed, context)
        self._close.atexit = False

    def object(self, level: int) -> bytes:
        """Machine code for this CPU: an ELF object file, position independent. The module stays as it is.

        Some symbols have other names than in the module, see `loadable`.

        Args:
            level: 0 to 3, how hard the code generator tries.
        Raises:
            InputError: `cannot-generate`: the code generator refuses the module.
        """
        return bytes(self._generate(host_machine(level).emit_object, make_loadable))

    def assembly(self, level: int) -> str:
        """The machine code as text.

        Raises:
            InputError: `cannot-generate`.
        """
        return str(self._generate(host_machine(level).emit_assembly))

    def functions(self) -> list[str]:
        """Names of the functions that are defined here, without sigil, in order."""
        return [each.name for each in self._module.functions if not each.is_declaration]

    def declarations(self) -> list[str]:
        """Names of the functions and variables that are only declared here; LLVM's intrinsics are not among them."""
        declared = [each.name for each in self._module.functions if each.is_declaration]
        declared += [each.name for each in self._module.global_variables if each.is_declaration]
        return [name for name in declared if not name.startswith("llvm.")]

    def has_thread_locals(self) -> bool:
        """Whether some variable is thread-local, here or where it is defined."""
        return any(_THREAD_LOCAL.match(str(each)) for each in self._module.global_variables)

    def declares_hidden(self) -> bool:
        """Whether something that is defined elsewhere is hidden (or protected) there."""
        declared = [*self._module.functions, *self._module.global_variables]
        return any(each.is_declaration and each.visibility.name != "default" for each in declared)

    def globals(self) -> list[str]:
        """Names of the variables and constants that are defined here, in order."""
        return [each.name for each in self._module.global_variables if not each.is_declaration]

    def _generate(self, emit: Callable[[Any], Any], prepare: Callable[[Any], None] = lambda _: None) -> Any:
        # The code generator begins with passes on IR: it works on a copy.
        module = self._module.clone()
        try:
            prepare(module)
            return emit(module)
        except RuntimeError as error:
            raise InputError(
                f"cannot generate code for the module '{self.name}': {error}", slug="cannot-generate"
            ) from error
        finally:
            module.close()

    def _defined_function(self, name: str) -> Any:
        try:
            function = self._module.get_function(name)
        except NameError:
            function = None
        if function is None or function.is_declaration:
            raise UsageError(
                f"cannot find a function '{name}' in '{self.name}'",
                slug="no-such-function",
                hint=near_hint(name, self.functions(), None),
            )
        return function


def _close_in_order(module: Any, context: Any) -> None:
    module.close()
    context.close()
