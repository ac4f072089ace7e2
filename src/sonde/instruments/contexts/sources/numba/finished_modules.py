"""Where probes get into what Numba compiles. Runs in the measured process, once its Numba begins to compile.

Numba compiles into libraries, one for each function and signature; what a function calls is linked into its library,
too, and optimized with it. Probes are put into a copy of the finished module, which goes to code generation in place of
it: what others link, and what Numba shows, stays as it was. What is to be there before the optimizer goes into the
module itself, so that what is linked from it and inlined has it.

Nothing of this is to be seen among the program's calls: the agent calls it unseen.
"""

import platform
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from sonde.instruments.contexts.sources.numba.told_code import Telling
from sonde.ir import Module, print_module

Described = tuple[str, str, str, int]
"""Name, module, file and line of a function."""
FROM_PYTHON = "_ZN7cpython"
"""So begin names of what Python calls: it unpacks arguments, and calls the function."""
LOOPS = ("__ufunc__.", "__gufunc__.")
"""So begin names of loops over arrays that NumPy calls, and threads of a parallel loop."""
_LEAST_LLVM = 17
"""Older ones print pointers with types."""

_PARALLEL = "__numba_parfor_gufunc"
"""So begins what threads run of a parallel loop."""


class FinishedModules:
    """Puts something else in place of the modules that Numba has finished.

    Args:
        agent: the module `sonde._agent` of the process.
    """

    def __init__(self, agent: Any, telling: Telling) -> None:
        self._agent, self._telling = agent, telling
        self._described: dict[str, Described] = {}
        """By symbol, of all that Numba compiles."""
        self._plain: dict[int, Any] = {}
        """By library, while code is generated for it: the module that it has else."""
        self._replaced: list[tuple[Any, str, Any]] = []
        self._first_failure = ""

    def install(
        self,
        symbols: dict[str, int],
        copy: Callable[[Any], Any],
        *,
        before_optimizing: Callable[[Any], Any] | None = None,
        lowering: Callable[[Any], None] | None = None,
    ) -> None:
        """Hook into Numba.

        Args:
            symbols: what the code calls, and where it is.
            copy: of a finished module, the one that code is generated for; None: the module itself.
            before_optimizing: the same of one that is about to be optimized, for good.
            lowering: told of each function that is about to be compiled, before it is.
        Raises:
            AttributeError: it has not what is hooked.
        """
        from llvmlite import binding
        from numba.core import caching, codegen
        from numba.core import lowering as lowerings

        self._binding: ModuleType = binding
        for name, address in symbols.items():
            binding.add_symbol(name, address)
        library, wrap = codegen.JITCodeLibrary, self._wrap
        after = None if lowering is None else (lambda each, *_: lowering(each))
        wrap(lowerings.BaseLower, "__init__", self._describe, after)
        if before_optimizing is not None:
            wrap(library, "_optimize_final_module", lambda each: self._try(each, before_optimizing), None)
        wrap(library, "_finalize_final_module", lambda each: self._replace_module(each, copy), self._put_module_back)
        # Code from a cache has no probes, and code with probes is not for other runs.
        self._replace(caching.Cache, "load_overload", self._agent.around(None, None, None))
        self._replace(caching.Cache, "save_overload", self._agent.around(None, None, None))

    def remove(self) -> None:
        """Let Numba be as it was."""
        while self._replaced:
            owner, name, original = self._replaced.pop()
            setattr(owner, name, original) if original is not None else delattr(owner, name)

    def describe(self, symbol: str, name: str, file: str, line: int) -> None:
        """Say what a function is, if Numba has not: of a generator it names one, and compiles several."""
        self._described.setdefault(symbol, (name, "", file, line))

    def description(self, symbol: str) -> Described:
        """Of a function; of a loop, that of what it calls."""
        for prefix in LOOPS:
            if symbol.startswith(prefix):
                name, *rest = self.description(symbol.removeprefix(prefix))
                return (f"{name} (loop)", *rest)  # type: ignore[return-value]
        return self._described.get(symbol, (symbol, "", "", 0))

    def parsed(self, module: Module, name: str) -> Any:
        """A module of ours as one of LLVM's."""
        made = self._binding.parse_assembly(print_module(module))
        made.name = name
        made.verify()
        return made

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

    def _replace_module(self, library: Any, copy: Callable[[Any], Any]) -> None:
        """Code is about to be generated for a library."""
        plain = library._final_module
        self._try(library, copy)
        if library._final_module is not plain:
            self._plain[id(library)] = plain

    def _put_module_back(self, library: Any) -> None:
        plain = self._plain.pop(id(library), None)
        if plain is not None:
            library._final_module = plain

    def _try(self, library: Any, make: Callable[[Any], Any]) -> None:
        try:
            made = make(library._final_module)
            if made is not None:
                library._final_module = made
        except Exception as error:  # noqa: BLE001 - the program runs on, without probes in that
            self._first_failure = self._first_failure or f"'{library.name}', to begin with: {_in_a_line(error)}"
            self._telling.not_probed(self._first_failure)


class Installed(Protocol):
    """What puts probes into what Numba compiles."""

    def install(self) -> None:
        """Hook into Numba. Raises: AttributeError: it has not what is hooked."""
        ...

    def remove(self) -> None:
        """Let Numba be as it was."""
        ...


def installed(telling: Telling, make: Callable[[], Installed]) -> Installed | None:
    """Make something, and let it hook into Numba; None: it cannot be done, which is told."""
    if platform.machine() != "x86_64":
        telling.not_probed(f"there are no probes for {platform.machine()}")
        return None
    try:
        from llvmlite import binding
        from numba import __version__

        if binding.llvm_version_info[0] < _LEAST_LLVM:
            telling.not_probed(f"the LLVM of Numba {__version__} is {binding.llvm_version_info[0]}, which is too old")
            return None
        probes = make()
        try:
            probes.install()
        except BaseException:
            probes.remove()
            raise
    except Exception as error:  # noqa: BLE001 - the program runs as it would have
        telling.not_probed(_in_a_line(error))
        return None
    return probes


def is_counted(symbol: str) -> bool:
    """Whether a function is one of the program's, or of a library that Numba has compiled."""
    return symbol.startswith(LOOPS) or (symbol.startswith("_ZN") and not symbol.startswith(FROM_PYTHON))


def _in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
