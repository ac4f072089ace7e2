"""Probes in what Numba compiles. Runs in the measured process, from the moment that its Numba begins to compile.

Numba compiles into libraries, one for each function and signature; what a function calls is linked into its library,
too, and optimized with it. Probes are put into a copy of the finished module, which goes to code generation in place of
it: what others link, and what Numba shows, stays as it was. Early ones are put into the module itself before it is
optimized, so that what is linked from it and inlined has them.

Nothing of this is to be seen among the program's calls: the agent calls it unseen.
"""

import os
import platform
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Literal, NamedTuple

from sonde.instruments.contexts.sources import native_probes
from sonde.instruments.contexts.sources.numba.told_code import MECHANISM, Telling
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.names import unquoted
from sonde.passes import ENTER, CallProbes, InterpreterProbes

_FIRST_NUMBER = 2
"""Below are those that stand for the interpreter's contexts: `native/probes/probes.h`."""
_LEAST_LLVM = 17
"""Older ones print pointers with types."""
_FROM_PYTHON = "_ZN7cpython"
"""So begin names of what Python calls: it unpacks arguments, and calls the function."""
_LOOPS = ("__ufunc__.", "__gufunc__.")
"""So begin names of loops over arrays that NumPy calls, and threads of a parallel loop."""

_PARALLEL = "__numba_parfor_gufunc"
"""So begin names of what threads run of a parallel loop."""


class Settings(NamedTuple):
    """What is asked for."""

    folder: str
    """Of the run."""
    command: str
    when: Literal["late", "early"]
    follow: bool


class NumbaProbes:
    """Puts probes into what Numba compiles from now on.

    Args:
        agent: the module `sonde._agent` of the process.
    """

    def __init__(self, settings: Settings, agent: Any, telling: Telling) -> None:
        self._when, self._telling, self._agent = settings.when, telling, agent
        self._offset = native_probes.thread_offset()
        self._numbers: dict[str, int] = {}
        """By symbol, of all that has probes."""
        self._described: dict[str, tuple[str, str, str, int]] = {}
        """By symbol, of all that Numba compiles: name, module, file and line."""
        self._plain: dict[int, Any] = {}
        """By library, while code is generated for it: the module that it has else."""
        self._replaced: list[tuple[Any, str, Any]] = []
        self._first_failure = ""
        native_probes.begin(
            native_probes.Plan(
                os.fsencode(settings.folder),
                os.fsencode(settings.command),
                f"{MECHANISM}-{settings.when}-probes".encode(),
                0,
                0,
                native_probes.HotPlan(0, False, 0, 0),
                False,
                settings.follow,
                *agent.outer_context(),
            )
        )

    def install(self) -> None:
        """Hook into Numba.

        Raises:
            AttributeError: it has not what is hooked.
        """
        from llvmlite import binding
        from numba.core import caching, codegen, lowering

        self._binding: ModuleType = binding
        for name, address in native_probes.addresses().items():
            binding.add_symbol(name, address)
        library, wrap = codegen.JITCodeLibrary, self._wrap
        wrap(lowering.BaseLower, "__init__", self._describe, None)
        if self._when == "early":
            wrap(library, "_optimize_final_module", self._probe_early, None)
        wrap(library, "_finalize_final_module", self._replace_module, self._put_module_back)
        # Code from a cache has no probes, and code with probes is not for other runs.
        self._replace(caching.Cache, "load_overload", self._agent.around(None, None, None))
        self._replace(caching.Cache, "save_overload", self._agent.around(None, None, None))

    def remove(self) -> None:
        """Let Numba be as it was."""
        while self._replaced:
            owner, name, original = self._replaced.pop()
            setattr(owner, name, original) if original is not None else delattr(owner, name)

    def _wrap(self, owner: Any, name: str, before: Callable[..., None], after: Callable[..., None] | None) -> None:
        self._replace(owner, name, self._agent.around(before, getattr(owner, name), after))

    def _replace(self, owner: Any, name: str, new: Any) -> None:
        self._replaced.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, new)

    def _describe(self, _lowering: Any, _context: Any, _library: Any, described: Any, code: Any, *_: Any) -> None:
        """A function is about to be compiled."""
        of = code.func_id
        name = of.func_qualname if described.native else f"{of.func_qualname} (object mode)"
        place = (of.filename, of.firstlineno)
        if name.startswith(_PARALLEL):  # it is made from text; its statements are those of the loop
            each = (one.loc for block in code.blocks.values() for one in block.body)
            place = min(((loc.filename, loc.line) for loc in each if loc.filename != place[0]), default=place)
        self._described[described.mangled_name] = (name, of.modname, *place)

    def _probe_early(self, library: Any) -> None:
        """A library is about to be optimized."""
        self._try(library, lambda: self._with_probes(library._final_module, is_finished=False))

    def _replace_module(self, library: Any) -> None:
        """Code is about to be generated for a library."""
        plain = library._final_module
        self._try(library, lambda: self._with_probes(plain, is_finished=True))
        if library._final_module is not plain:
            self._plain[id(library)] = plain

    def _put_module_back(self, library: Any) -> None:
        plain = self._plain.pop(id(library), None)
        if plain is not None:
            library._final_module = plain

    def _try(self, library: Any, make: Callable[[], Any]) -> None:
        try:
            made = make()
            if made is not None:
                library._final_module = made
        except Exception as error:  # noqa: BLE001 - the program runs on, without probes in that
            self._first_failure = self._first_failure or f"'{library.name}', to begin with: {_in_a_line(error)}"
            self._telling.not_probed(self._first_failure)

    def _with_probes(self, plain: Any, *, is_finished: bool) -> Any:
        """A copy of a module, with probes; None: there is nothing to put any into."""
        module = parse_module(str(plain))
        symbols = {each.name: unquoted(each.name) for each in module.defined_functions()}
        late = self._when == "late"
        wanted = {
            name: symbol
            for name, symbol in symbols.items()
            if late == is_finished and _is_counted(symbol) and not _has_probes(module.functions[name])
        }
        from_python = {name: of for name, symbol in symbols.items() if is_finished and (of := _called_by(symbol))}
        if not wanted and not from_python:
            return None
        self._number([*wanted.values(), *from_python.values()])
        probes = CallProbes(
            self._offset, self._when, sites=False
        )  # code of Numba's has no lines that would tell them apart
        probes.insert(module, {name: self._numbers[of] for name, of in wanted.items()})
        InterpreterProbes(self._offset).insert(module, {name: self._numbers[of] for name, of in from_python.items()})
        return self._parsed(module, plain.name)

    def _parsed(self, module: Module, name: str) -> Any:
        made = self._binding.parse_assembly(print_module(module))
        made.name = name
        made.verify()
        return made

    def _number(self, symbols: Iterable[str]) -> None:
        new = [symbol for symbol in dict.fromkeys(symbols) if symbol not in self._numbers]
        for symbol in new:
            self._numbers[symbol] = _FIRST_NUMBER + len(self._numbers)
        if new:
            self._telling.functions([self._description(symbol) for symbol in new])

    def _description(self, symbol: str) -> tuple[str, str, str, int]:
        """Of a function with probes; of a loop, that of what it calls."""
        for prefix in _LOOPS:
            if symbol.startswith(prefix):
                name, *rest = self._description(symbol.removeprefix(prefix))
                return (f"{name} (loop)", *rest)  # type: ignore[return-value]
        return self._described.get(symbol, (symbol, "", "", 0))


def watch_numba(settings: Settings, agent: Any) -> NumbaProbes | None:
    """Put probes into what Numba compiles from now on; None: it cannot be done, which is told."""
    telling = Telling(settings.folder)
    if platform.machine() != "x86_64":
        telling.not_probed(f"there are no probes for {platform.machine()}")
        return None
    try:
        from llvmlite import binding
        from numba import __version__

        if binding.llvm_version_info[0] < _LEAST_LLVM:
            telling.not_probed(f"the LLVM of Numba {__version__} is {binding.llvm_version_info[0]}, which is too old")
            return None
        probes = NumbaProbes(settings, agent, telling)
        try:
            probes.install()
        except BaseException:
            probes.remove()
            raise
    except Exception as error:  # noqa: BLE001 - the program runs as it would have
        telling.not_probed(_in_a_line(error))
        return None
    return probes


def _in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _is_counted(symbol: str) -> bool:
    return symbol.startswith(_LOOPS) or (symbol.startswith("_ZN") and not symbol.startswith(_FROM_PYTHON))


def _called_by(symbol: str) -> str:
    """The function that a symbol calls for Python; empty: it is none of those."""
    return f"_ZN{symbol.removeprefix(_FROM_PYTHON)}" if symbol.startswith(_FROM_PYTHON) else ""


def _has_probes(function: Function) -> bool:
    return any(f"@{ENTER}(" in each.text for block in function.blocks for each in block.instructions)
