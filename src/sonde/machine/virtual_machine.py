"""A running program whose functions can be replaced: units, versions, slots."""

import re
from collections.abc import Callable

from sonde.base.errors import InputError, UsageError
from sonde.events import CodeMap
from sonde.ir import Module, parse_module, print_module
from sonde.ir.edits import declaration_of, extract_functions, promote_internals
from sonde.ir.names import unquoted
from sonde.jit.engine import Engine, LoadedCode
from sonde.jit.object_code import ObjectCode
from sonde.jit.object_symbols import ifunc_refused
from sonde.jit.perf_output import PerfOutput
from sonde.llvm import LlvmModule
from sonde.machine.inlining import inlinable_into
from sonde.machine.slots import SlotSwitch
from sonde.machine.stubs import belongs_here, slot_name, startup_functions
from sonde.machine.unit import SHARED, Unit, UnitObjects, is_shared, own_functions, unit_modules
from sonde.machine.versions import BASE, MachineCode, ManagedFunction, Version, body_name

_VERSION_NAME = re.compile(r"[A-Za-z0-9_.]+")
STUB = "stub"
"""The version by which the code map calls stubs."""


class VirtualMachine:
    """Units that are linked with one another into this process, each function behind a slot.

    Threads may call functions while others add versions and switch.

    >>> machine = VirtualMachine()
    >>> text = "define i32 @f(i32 %x) { \\n %y = mul i32 %x, 3 \\n ret i32 %y \\n}"
    >>> unit = machine.load(LlvmModule.from_text(text, "f.ll"), "f", level=0)
    >>> machine.link()
    >>> import ctypes
    >>> f = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(machine.functions["@f"].stub)
    >>> f(14)
    42
    """

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine or Engine()
        self.units: dict[str, Unit] = {}
        self.functions: dict[str, ManagedFunction] = {}
        """By name with sigil."""
        self.code_map = CodeMap()
        self.imports: dict[str, int] = {}
        """Symbol -> address that goes before what libraries have."""
        self.perf: PerfOutput | None = None
        """Told of all code that is loaded."""
        self.last_step: Callable[[Module], Module] = _as_it_is
        """What is done to IR before its machine code is made; it leaves the module that it is given as it is."""
        self._switch = SlotSwitch(self.engine)
        self._unconstructed: list[LoadedCode] = []
        self._mapped: dict[LoadedCode, list[int]] = {}

    def load(self, loaded: LlvmModule, name: str, level: int) -> Unit:
        """Take a module in; it is compiled and linked when something in it is first needed.

        Raises:
            UsageError: `unit-exists`.
            InputError: `defined-twice`, `ifunc`.
        """
        if name in self.units:
            raise UsageError(
                f"cannot load '{name}': a program of that name is loaded", slug="unit-exists", hint=f"unload {name}"
            )
        module = parse_module(loaded.text())
        for value in module.globals.values():
            if value.kind == "ifunc":
                raise ifunc_refused(unquoted(value.name))
        promote_internals(module, f".{name}", visibility="default")
        self._leave_to_first(module, name)
        unit = Unit(name, module, level)
        for function in own_functions(module):
            base = Version(BASE, function.name, module, level)
            self.functions[function.name] = ManagedFunction(function.name, name, {BASE: base})
        self.units[name] = unit
        return unit

    def compile_base(self, unit: Unit) -> UnitObjects:
        """Compile the base versions of a unit, if that was not done yet; optimised ones then have their own IR.

        Raises:
            InputError: what LLVM says.
        """
        if unit.objects is None:
            still, compiled = unit_modules(unit)
            unit.objects = UnitObjects(still.object(2), compiled.object(unit.level))
            if unit.level:
                optimised = parse_module(compiled.text())
                for function in own_functions(unit.module):
                    base = self.functions[function.name].versions[BASE]
                    base.module, base.symbol = optimised, body_name(function.name, BASE)
                    base.recipe = (f"O{unit.level}",)
        return unit.objects

    def link(self) -> None:
        """Compile and link what was loaded and is not yet linked. On errors nothing is.

        Raises:
            InputError: `missing-symbol`, or what LLVM says.
        """
        waiting = [unit for unit in self.units.values() if unit.code is None]
        if not waiting:
            return
        objects = [self.compile_base(unit) for unit in waiting]
        images = [image for each in objects for image in (each.still, each.bodies)]
        code = self.engine.load("+".join(unit.name for unit in waiting), images, self.imports)
        for each in objects:
            self._map(each.still, code, STUB)
            self._map(each.bodies, code, BASE)
        self._unconstructed.append(code)
        for unit in waiting:
            unit.code = code
            code.constructors += [code.addresses[unquoted(each)] for each in startup_functions(unit.module, "before")]
            code.destructors += [code.addresses[unquoted(each)] for each in startup_functions(unit.module, "after")]
            for function in own_functions(unit.module):
                managed = self.functions[function.name]
                managed.stub = code.addresses[unquoted(function.name)]
                managed.slot = code.addresses[unquoted(slot_name(function.name))]
                symbol = unquoted(body_name(function.name, BASE))
                managed.versions[BASE].code = MachineCode(code.addresses[symbol], code.sizes[symbol], code)

    def construct(self) -> None:
        """Link, and run the static constructors that have not run yet."""
        self.link()
        for code in self._unconstructed:
            code.run_constructors()
        self._unconstructed = []

    def take_constructors(self) -> list[int]:
        """As `constructors_left`, for somebody who will run them."""
        left = self.constructors_left()
        self._unconstructed = []
        return left

    def constructors_left(self) -> list[int]:
        """Addresses of the static constructors that have not run yet, in their order."""
        self.link()
        return [constructor for code in self._unconstructed for constructor in code.constructors]

    def compile(self, managed: ManagedFunction, version: Version) -> MachineCode:
        """Make a version's machine code and load it, if that was not done yet.

        Raises:
            InputError: `invalid-ir`, `cannot-generate`, `missing-symbol`.
        """
        self.link()
        if version.code is None:
            version.code = self._load_body(managed, version.symbol, version.module, version.level, version.name)
        return version.code

    def load_part(self, managed: ManagedFunction, part: str, module: Module, level: int) -> MachineCode:
        """Make machine code of a part of a function that is no version of it, a continuation say, and load it.

        It stays until the program is unloaded. The code map has it as a version.

        Args:
            part: what the code map calls it.
            module: has it as `body_name(managed.name, part)`.
        Raises:
            InputError: as `compile`.
        """
        self.link()
        code = self._load_body(managed, body_name(managed.name, part), module, level, part)
        managed.parts.append(code)
        return code

    def _load_body(
        self, managed: ManagedFunction, symbol: str, module: Module, level: int, version: str
    ) -> MachineCode:
        name = f"{managed.name[1:]}@{version}"
        image = LlvmModule.from_text(print_module(self.last_step(module)), name).object(level)
        code = self.engine.load(name, [image], self.imports)
        self._map(image, code, version)
        return MachineCode(code.addresses[unquoted(symbol)], code.sizes[unquoted(symbol)], code)

    def switch(self, managed: ManagedFunction, version: Version) -> None:
        """Let calls of a function that begin from now on, in any thread, run a version. Frames that run, run on.

        Raises:
            InputError: as `compile`.
        """
        code = self.compile(managed, version)
        self._switch.point(managed.slot, code.address)
        managed.active = version.name

    def clone(self, managed: ManagedFunction, origin: Version, name: str) -> Version:
        """A further version with the code of `origin`, to be changed; it is neither compiled nor active.

        Raises:
            UsageError: `bad-version-name`, `version-exists`.
        """
        if not _VERSION_NAME.fullmatch(name):
            raise UsageError(
                f"cannot make a version '{name}': names are letters, digits, '_' and '.'",
                slug="bad-version-name",
                hint="fast, O2, try.1",
            )
        if name in managed.versions:
            raise UsageError(
                f"cannot make a version '{name}' of '{managed.name[1:]}': there is one of that name",
                slug="version-exists",
                hint=f"drop {managed.name[1:]}@{name}",
            )
        symbol = body_name(managed.name, name)
        version = Version(
            name, symbol, self._on_its_own(managed, origin, symbol), origin.level, origin.recipe, origin.name
        )
        managed.versions[name] = version
        return version

    def replace_body(self, managed: ManagedFunction, version: Version, module: Module, level: int, step: str) -> None:
        """Give a version other code; if it is active, calls that begin from now on run it.

        Args:
            module: holds the new body under `version.symbol`.
            step: what was done, for `Version.recipe`.
        Raises:
            InputError: as `compile`; the version is then as it was.
        """
        before = (version.module, version.level, version.recipe, version.code)
        version.module, version.level, version.recipe = module, level, (*version.recipe, step)
        version.code = None
        try:
            if managed.active == version.name and managed.slot:
                self.switch(managed, version)
        except BaseException:
            version.module, version.level, version.recipe, version.code = before
            raise

    def body_to_change(self, managed: ManagedFunction, version: Version) -> Module:
        """A module with a version's body under `version.symbol`, and what may be inlined into it; yours to change."""
        version.module, version.symbol = self.alone(managed, version), body_name(managed.name, version.name)
        return parse_module(print_module(version.module))

    def alone(self, managed: ManagedFunction, version: Version) -> Module:
        """A module in which a version's body is all that is defined, but for what may be inlined into it."""
        if version.module is self.units[managed.unit].module:
            return self._on_its_own(managed, version, body_name(managed.name, version.name))
        return version.module

    def drop(self, managed: ManagedFunction, version: Version) -> None:
        """Forget a version and unload its code. Nothing may run in it any more.

        Raises:
            UsageError: `version-active`, `version-base`.
        """
        if version.name == managed.active:
            raise UsageError(
                f"cannot drop '{managed.name[1:]}@{version.name}': it is the active version",
                slug="version-active",
                hint=f"switch {managed.name[1:]} {BASE}",
            )
        if version.name == BASE:
            raise UsageError(
                f"cannot drop '{managed.name[1:]}@{BASE}': it is what was loaded", slug="version-base", hint=None
            )
        del managed.versions[version.name]
        self._unload_code(version)

    def unload(self, name: str) -> None:
        """Forget a unit and all versions of its functions. Nothing may run in it any more.

        Raises:
            UsageError: `unit-needed`, another unit refers to it, or was linked together with it.
        """
        unit = self.units[name]
        provided = {each.name for each in own_functions(unit.module)} | set(unit.module.globals)
        for other in self.units.values():
            declared = {each for each, value in other.module.functions.items() if value.is_declaration}
            declared |= {each for each, value in other.module.globals.items() if value.is_declaration}
            together = unit.code is not None and other.code is unit.code
            if other is not unit and (together or declared & provided):
                raise UsageError(
                    f"cannot unload '{name}': '{other.name}' "
                    + ("was linked together with it" if together else "uses it"),
                    slug="unit-needed",
                    hint=f"unload {other.name}" if not together else "quit, and load one without the other",
                )
        for managed in [each for each in self.functions.values() if each.unit == name]:
            for version in managed.versions.values():
                if version.code is not None and version.code.library is not unit.code:
                    self._unload_code(version)
            for part in managed.parts:
                self._unload(part.library)
            del self.functions[managed.name]
        if unit.code is not None:
            self._unload(unit.code)
        del self.units[name]

    def _unload_code(self, version: Version) -> None:
        if version.code is not None:
            self._unload(version.code.library)
            version.code = None

    def _unload(self, code: LoadedCode) -> None:
        for start in self._mapped.pop(code):
            self.code_map.remove(start)
        self.engine.unload(code)

    def _map(self, image: bytes, code: LoadedCode, version: str) -> None:
        """Enter an object's functions into the code map, under their own names."""
        placed = ObjectCode(image, code.name).place(
            code.addresses, version, lambda symbol: symbol.removesuffix(f"-{version}")
        )
        self.code_map.add(*placed.ranges)
        if self.perf is not None:
            self.perf.add(placed.ranges)
        self._mapped.setdefault(code, []).extend(each.start for each in placed.ranges)

    def _on_its_own(self, managed: ManagedFunction, origin: Version, symbol: str) -> Module:
        whole = self.units[managed.unit].module
        if origin.module is whole:
            return extract_functions(
                whole, [managed.name], renamed={managed.name: symbol}, inlinable=inlinable_into(whole, origin.body)
            )
        return extract_functions(origin.module, [origin.symbol], renamed={origin.symbol: symbol}, inlinable=())

    def _leave_to_first(self, module: Module, name: str) -> None:
        """Make declarations of what other units define already."""
        for function in own_functions(module):
            first = self.functions.get(function.name)
            if first is not None:
                if not is_shared(function):
                    raise _defined_twice(function.name, name, first.unit)
                function.signature = declaration_of(function.signature)
                function.blocks = []
        for value in module.globals.values():
            other = self._unit_defining(value.name)
            if other is not None and belongs_here(value) and not value.is_declaration:
                if value.linkage not in SHARED:
                    raise _defined_twice(value.name, name, other)
                value.text = f"external global {value.value_type}"

    def _unit_defining(self, name: str) -> str | None:
        for unit in self.units.values():
            value = unit.module.globals.get(name)
            if value is not None and belongs_here(value) and not value.is_declaration:
                return unit.name
        return None


def _as_it_is(module: Module) -> Module:
    return module


def _defined_twice(symbol: str, name: str, other: str) -> InputError:
    return InputError(
        f"cannot load '{name}': '{unquoted(symbol)}' is defined in '{other}' already",
        slug="defined-twice",
        hint=f"unload {other}",
    )
