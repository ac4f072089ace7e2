"""Commands that bring programs and libraries in, and take them out."""

from sonde.base.compilation_steps import WITHOUT_PROBES
from sonde.base.errors import UsageError
from sonde.base.units import counted
from sonde.instruments.vm.verb.shell.command import Answer, Command, Data
from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.workbench import ModuleInfo, Workbench
from sonde.render.compiling import Compiling
from sonde.report import Column


def _load(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    options = arguments.texts("option")
    if options[:1] == ["into"]:
        return _load_into(bench, arguments.text("file"), options[1:])
    with Compiling(WITHOUT_PROBES) as steps:
        module = bench.load(arguments.text("file"), options, steps)
    return Answer(
        f"loaded {module.name}: {counted(module.functions, 'function')}, {counted(module.globals, 'global')}",
        {"module": _as_data(module)},
    )


def _load_into(bench: Workbench, path: str, words: list[str]) -> Answer:
    if len(words) != 1:
        raise UsageError(
            f"cannot load '{path}' into '{' '.join(words)}': one version is wanted",
            slug="missing-argument",
            hint="load edited.ll into isord@mine",
        )
    made = list(bench.load_edited(path, words[0]))
    return Answer(f"made {', '.join(made)}; it runs after: switch {made[0]}", {"versions": [*made]})


def _library(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    found = bench.load_library(arguments.text("library"))
    return Answer(f"loaded library {found}", {"library": found})


def _unload(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    bench.unload(arguments.text("module"))
    return Answer(f"unloaded {arguments.text('module')}", {"module": arguments.text("module")})


def _modules(bench: Workbench, _arguments: Arguments, width: int | None) -> Answer:
    modules = bench.modules()
    if not modules:
        return Answer("no modules; load one: load FILE", {"modules": []})
    rows = [(each.name, each.functions, each.globals, each.path) for each in modules]
    return Answer(
        text_table(_MODULE_COLUMNS, rows, width=width),
        {"modules": [_as_data(each) for each in modules]},
    )


def _as_data(module: ModuleInfo) -> dict[str, Data]:
    return {"name": module.name, "path": module.path, "functions": module.functions, "globals": module.globals}


_MODULE_COLUMNS = (
    Column("module", "module"),
    Column("functions", "functions", "count"),
    Column("globals", "globals", "count"),
    Column("path", "path"),
)

PROGRAM_COMMANDS = (
    Command(
        "load",
        "programs",
        "compile or read a program's file and link it with what is there",
        "load isord.c -DLENGTH=100 -I include",
        (
            Parameter("file", "file", "C or C++ source, or LLVM IR: .c .cc .cpp .cxx .ll .bc"),
            Parameter("option", "text", "for the compiler: -I, -D, -std= and others", is_optional=True, is_many=True),
        ),
        "Functions come in unoptimised, with the one version 'base'; see opt and clone.\n"
        "load FILE into FUNCTION@VERSION    make a version of a function by its text in a file, in LLVM's language:\n"
        "                                   what ir prints, edited, will do. into VERSION: of all functions in both.\n"
        "                                   Types, names and calling convention must be the program's.",
        action=_load,
        changes_state=True,
        passes_options_on=True,
    ),
    Command(
        "library",
        "programs",
        "load a shared library, whose functions programs may then call",
        "library libm.so.6",
        (Parameter("library", "file", "a path, or a name that the system's loader finds"),),
        action=_library,
        changes_state=True,
    ),
    Command(
        "unload",
        "programs",
        "take a module out",
        "unload isord",
        (Parameter("module", "module", "as 'modules' lists it"),),
        action=_unload,
        changes_state=True,
    ),
    Command("modules", "programs", "list what is loaded", "modules", action=_modules),
)
