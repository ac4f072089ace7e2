"""What a person does with programs that were loaded: look, optimise, call, switch, run."""

import ctypes
import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from sonde.base.compilation_steps import MACHINE_CODE
from sonde.base.errors import EXIT_BUG, InputError, UsageError
from sonde.base.near_names import near_hint
from sonde.base.steps import Steps
from sonde.code.symbols import demangled, short_names
from sonde.events import CodeLocation
from sonde.ir import Function, print_function, print_module
from sonde.ir.names import quoted, unquoted
from sonde.jit.engine import Engine
from sonde.jit.front_end import compile_file
from sonde.jit.main_program import run_main
from sonde.jit.perf_output import PerfOutput
from sonde.llvm import LlvmModule
from sonde.machine.background import BackgroundRunner
from sonde.machine.calls import Caller, CallResult, Timing
from sonde.machine.descriptions import CodeAddress, FunctionInfo, ModuleInfo, PassReport, VersionInfo
from sonde.machine.edited import load_edited
from sonde.machine.versions import ManagedFunction, Version
from sonde.machine.virtual_machine import VirtualMachine
from sonde.passes import PASSES, Pass, Pipeline, parse_recipe

LINES = "-gline-tables-only"
"""Programs are compiled with this, so that addresses can be told as lines; it costs far less than all of `-g`."""


class Workbench:
    """Programs, their functions in versions, and their running code.

    Names are as in the source or as symbols; `f@version` is one version, `f` alone the active one.
    """

    def __init__(self) -> None:
        self.machine = VirtualMachine(Engine())
        self.passes: dict[str, type[Pass]] = dict(PASSES)
        """What recipes may name besides LLVM's passes; plug-ins may be added."""
        self._caller = Caller(self.machine.engine)
        self._paths: dict[str, str] = {}
        self._background = BackgroundRunner(self.machine.engine)
        self.machine.imports["exit"] = self._background.exit_address

    def load(self, path: str, options: Sequence[str] = (), steps: Steps | None = None) -> ModuleInfo:
        """Load C, C++, LLVM IR or bitcode; `-O0` to `-O3` is the level of the base versions (0), all other options
        are the compiler's.

        Args:
            steps: told of those of `WITHOUT_PROBES`.
        Raises:
            SondeError: what `compile_file` and `VirtualMachine.load` say.
        """
        level = 0
        compiler = []
        for option in options:
            if option in ("-O0", "-O1", "-O2", "-O3"):
                level = int(option[2])
            else:
                compiler.append(option)
        steps = steps or Steps()
        module = compile_file(path, [LINES, *compiler], names=True, steps=steps)
        steps.begin(MACHINE_CODE)
        name = self._free_name(Path(path).stem)
        self.machine.load(module, name, level)
        self._paths[name] = path
        return self._module_info(name)

    def load_edited(self, path: str, version: str) -> list[str]:
        """Make versions of functions that were edited in a file of LLVM's language.

        Args:
            version: `f@name`, or `name` for all functions of the program that the file defines.
        Returns: the versions, as `f@name`.
        Raises: as `load_edited` of `sonde.machine.edited`, and `find`.
        """
        function, _, name = version.rpartition("@")
        made = load_edited(self.machine, path, self.find(function)[0] if function else None, name)
        managed = {
            id(each): function for function in self.machine.functions.values() for each in function.versions.values()
        }
        return [f"{_source_name(managed[id(each)])}@{each.name}" for each in made]

    def load_library(self, path_or_name: str) -> str:
        """Load a shared library: a path, a file name, or what `-l` takes.

        Raises:
            InputError: `no-such-library`.
        """
        libraries = self.machine.engine.libraries
        return (
            libraries.add_file(path_or_name)
            if "." in path_or_name or "/" in path_or_name
            else libraries.add(path_or_name)
        )

    def unload(self, module: str) -> None:
        """Forget a program.

        Raises:
            UsageError: `no-such-module`, `program-runs`, `unit-needed`.
        """
        self._refuse_while_running("unload a program")
        if module not in self.machine.units:
            raise UsageError(
                f"cannot unload '{module}': no program of that name is loaded",
                slug="no-such-module",
                hint=near_hint(module, self.machine.units, "modules"),
            )
        self.machine.unload(module)
        del self._paths[module]

    def modules(self) -> list[ModuleInfo]:
        """The programs, in the order in which they were loaded."""
        return [self._module_info(name) for name in self.machine.units]

    def functions(self, pattern: str | None = None) -> list[FunctionInfo]:
        """The functions whose name or source name contains `pattern`, or matches it where it has `*` or `?`."""
        infos = map(self._function_info, self.machine.functions.values())
        return [info for info in infos if pattern is None or _matches(info, pattern)]

    def names(self, prefix: str) -> list[str]:
        """Functions that begin like this, for completion; versions after an `@`. Raises: as `body`."""
        function, at, version = prefix.partition("@")
        if not at:
            return sorted(
                name for name in map(_source_name, self.machine.functions.values()) if name.startswith(prefix)
            )
        versions = self.find(function)[0].versions
        return [f"{function}@{name}" for name in versions if name.startswith(version)]

    def body(self, name: str) -> Function:
        """The IR of a version. Raises: UsageError `no-such-function`, `no-such-version`."""
        return self.find(name)[1].body

    def ir(self, name: str) -> str:
        """The IR of a version as text. Raises: as `body`."""
        managed, version = self.find(name)
        return print_function(Function(version.body.signature.named(managed.name), version.body.blocks))

    def assembly(self, name: str) -> str:
        """The machine code of a version, as the assembler reads it, without debug information. Raises: as `body`."""
        managed, version = self.find(name)
        module = LlvmModule.from_text(print_module(self.machine.last_step(self.machine.alone(managed, version))), name)
        module.run_passes(["strip"])
        return module.assembly(version.level)

    def addresses(self, name: str) -> list[CodeAddress]:
        """Where the versions of a function are that are compiled; one of them if `name` has an `@`. Raises: as
        `body`, and what linking says."""
        managed, chosen = self.find(name)
        self.machine.link()
        versions = [chosen] if "@" in name else list(managed.versions.values())
        return [
            CodeAddress(each.name, each.code.address, each.code.size_bytes, managed.slot)
            for each in versions
            if each.code is not None
        ]

    def locate(self, address: int) -> CodeLocation | None:
        """What is at an address; None when it is none of the code that was generated here."""
        return self.machine.code_map.lookup(address)

    def optimize(self, name: str, recipe: str, version: str | None = None) -> PassReport:
        """Run passes on a version, or on a clone of it that is called `version`.

        Args:
            recipe: `O2`, or passes separated by commas: `sroa,newgvn,simplifycfg`.
        Raises:
            UsageError: `unknown-pass`, and as `body` and `clone`.
        """
        pipeline = parse_recipe(recipe, self.passes)
        managed, origin = self.find(name)
        changed = self.machine.clone(managed, origin, version) if version else origin
        try:
            module = self.machine.body_to_change(managed, changed)
            outcome = pipeline.run(module, functions=[changed.symbol])
            self.machine.replace_body(managed, changed, outcome.module, _code_level(pipeline, changed.level), recipe)
        except BaseException:
            if version:
                self.machine.drop(managed, changed)
            raise
        return PassReport(tuple(map(str, outcome.log)))

    def clone(self, name: str, version: str) -> None:
        """A further version with the same code. Raises: UsageError `version-exists`, and as `body`."""
        managed, origin = self.find(name)
        self.machine.clone(managed, origin, version)

    def versions(self, name: str) -> list[VersionInfo]:
        """The versions of a function, oldest first. Raises: as `body`."""
        managed, _ = self.find(name)
        return [
            VersionInfo(
                each.name,
                " | ".join(each.recipe),
                each.origin,
                sum(1 for _ in each.body.instructions()),
                each.code.size_bytes if each.code else None,
                each.code.address if each.code else None,
                each.name == managed.active,
            )
            for each in managed.versions.values()
        ]

    def switch(self, name: str, version: str) -> None:
        """Let all calls that begin from now on run a version, also in a program that runs. Raises: as `body`."""
        managed, _ = self.find(name)
        self.machine.switch(managed, managed.version(version))

    def drop(self, name: str, version: str) -> None:
        """Forget a version. Raises: UsageError `version-active`, `version-base`, `program-runs`, and as `body`."""
        self._refuse_while_running("drop a version")
        managed, _ = self.find(name)
        self.machine.drop(managed, managed.version(version))

    def call(self, name: str, arguments: Sequence[str]) -> CallResult:
        """Call a function, or one version of it, with arguments as typed. Raises: what `Caller.call` says."""
        managed, address = self._ready(name)
        body = managed.versions["base"].body
        return self._caller.call(body.signature, address, arguments, self._types(managed), self._resolve)

    def repeat(self, name: str, arguments: Sequence[str], times: int) -> Timing:
        """Call it many times, and time it. Raises: as `call`."""
        managed, address = self._ready(name)
        body = managed.versions["base"].body
        return self._caller.repeat(body.signature, address, arguments, times, self._types(managed), self._resolve)

    def tell_perf(self, folder: Path) -> tuple[Path, Path]:
        """Write the names and lines of all code, loaded and to come, where perf looks for them.

        Args:
            folder: for the dump.
        Returns: the perf map, the jitdump.
        Raises:
            SondeError: `cannot-write`.
        """
        if self.machine.perf is None:
            perf = PerfOutput(folder)
            perf.add(self.machine.code_map)
            self.machine.perf = perf
        return self.machine.perf.paths

    def run(self, arguments: Sequence[str], background: bool = False) -> int | None:
        """Run `main`: in a process of its own, which begins with the variables as they are now and leaves them so;
        or in the background, in a thread, where versions can be switched meanwhile.

        Args:
            arguments: without the program's name.
        Returns: the exit status, negative for a signal; None in the background.
        Raises:
            UsageError: `program-runs`.
            InputError: `no-main`, and what linking says.
        """
        self._refuse_while_running("run a program")
        main = self._main()
        words = [self._paths[main.unit], *arguments]
        if background:
            self._background.start(main.stub, words, self.machine.take_constructors())
            return None
        return self._run_in_fork(main, words)

    def wait(self) -> int:
        """The exit status of the program in the background, when it has ended.

        Raises:
            UsageError: `nothing-runs`, none was started.
        """
        if not self._background.was_started:
            raise UsageError("cannot wait: no program was started", slug="nothing-runs", hint="start ARGUMENTS")
        return self._background.wait()

    def running(self) -> bool:
        """Whether a program runs in the background."""
        return self._background.is_running

    def close(self) -> None:
        """Unload everything; a program in the background must have ended."""
        if self.machine.perf is not None:
            self.machine.perf.close()
        self.machine.engine.close()

    def _run_in_fork(self, main: ManagedFunction, words: Sequence[str]) -> int:
        code = self.machine.units[main.unit].code
        assert code is not None  # it was linked to find main
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)  # what is buffered is to be printed once
        child = os.fork()
        if child == 0:
            try:
                run_main(code, words, constructors=self.machine.constructors_left())
            finally:  # only by a bug of ours; the caller's code is not to run twice
                os._exit(EXIT_BUG)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)

    def _main(self) -> ManagedFunction:
        self.machine.link()
        if "@main" not in self.machine.functions:
            raise InputError("cannot run: no program that is loaded has a 'main'", slug="no-main", hint="load FILE")
        return self.machine.functions["@main"]

    def find(self, name: str) -> tuple[ManagedFunction, Version]:
        """The function and version that a name means: a symbol, or a source name if only one function has it.

        Raises:
            UsageError: `no-such-function`, `ambiguous-function`, `no-such-version`.
        """
        base, at, version = name.rpartition("@") if "@" in name[1:] else (name, "", "")
        managed = self.machine.functions.get(quoted("@", base)) or self._by_source_name(base)
        unit = self.machine.units[managed.unit]
        if unit.level:  # what runs is then not what was loaded
            self.machine.compile_base(unit)
        return managed, managed.version(version if at else managed.active)

    def _by_source_name(self, name: str) -> ManagedFunction:
        for unit in self.machine.units.values():
            value = unit.module.globals.get(quoted("@", name))
            if value is not None and value.kind == "alias" and value.initializer in self.machine.functions:
                return self.machine.functions[value.initializer]
        names = {managed: _source_name(managed) for managed in self.machine.functions.values()}
        found = [managed for managed, source in names.items() if name in short_names(source)]
        if len(found) == 1:
            return found[0]
        known = names.values()
        if found:
            listed = "".join(f"\n  {names[each]} of {each.unit}: {unquoted(each.name)}" for each in found[:8])
            raise UsageError(
                f"cannot tell which '{name}' is meant: {listed}",
                slug="ambiguous-function",
                hint="name it with its parameters, in quotes, or by its symbol, which stands last",
            )
        raise UsageError(
            f"cannot find a function '{name}'", slug="no-such-function", hint=near_hint(name, known, "functions")
        )

    def _ready(self, name: str) -> tuple[ManagedFunction, int]:
        """A function that can be called now, and the address to call."""
        managed, version = self.find(name)
        self.machine.construct()
        return managed, self.machine.compile(managed, version).address if "@" in name[1:] else managed.stub

    def _types(self, managed: ManagedFunction) -> dict[str, str]:
        return self.machine.units[managed.unit].module.types

    def _resolve(self, name: str) -> int:
        """The address of a function or variable, for arguments."""
        self.machine.link()
        address = self.machine.engine.address(name)
        return address if address is not None else self.find(name)[0].stub

    def _refuse_while_running(self, what: str) -> None:
        if self._background.is_running:
            raise UsageError(f"cannot {what}: a program runs in the background", slug="program-runs", hint="wait")

    def _free_name(self, stem: str) -> str:
        name, number = stem, 2
        while name in self.machine.units:
            name, number = f"{stem}-{number}", number + 1
        return name

    def _module_info(self, name: str) -> ModuleInfo:
        unit = self.machine.units[name]
        functions = sum(1 for managed in self.machine.functions.values() if managed.unit == name)
        variables = sum(1 for value in unit.module.globals.values() if not value.is_declaration)
        return ModuleInfo(name, self._paths[name], functions, variables)

    def _function_info(self, managed: ManagedFunction) -> FunctionInfo:
        body = managed.versions[managed.active].body
        symbol = unquoted(managed.name)
        return FunctionInfo(
            symbol,
            _source_name(managed),
            managed.unit,
            body.signature.type,
            len(body.blocks),
            sum(len(block.instructions) for block in body.blocks),
            len(managed.versions),
            managed.active,
        )


def _code_level(pipeline: Pipeline, level: int) -> int:
    """How hard to try in making code of what passes made: as hard as the passes did, but for single ones in earnest."""
    return pipeline.level if pipeline.level is not None else max(level, 2)


def _source_name(managed: ManagedFunction) -> str:
    """What the source calls it: local names are without what made them unique here."""
    return demangled(unquoted(managed.name).removesuffix(f".{managed.unit}"))


def _matches(info: FunctionInfo, pattern: str) -> bool:
    if "*" in pattern or "?" in pattern:
        return fnmatchcase(info.name, pattern) or fnmatchcase(info.demangled, pattern)
    return pattern in info.name or pattern in info.demangled
