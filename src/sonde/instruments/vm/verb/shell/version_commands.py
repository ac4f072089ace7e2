"""Commands that make versions of functions, and choose which one the program runs."""

from sonde.instruments.vm.verb.shell.command import Answer, Command, Data
from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.workbench import Workbench
from sonde.report import Column

_VERSION_COLUMNS = (
    Column("version", "  version"),
    Column("instructions", "instructions", "count"),
    Column("bytes", "bytes", "count"),
    Column("origin", "made from"),
    Column("recipe", "passes"),
    Column("address", "address"),
)
_VERSIONED = Parameter("version", "versioned", "as 'versions' lists it")


def _opt(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    source, recipe, new = (
        arguments.text("function"),
        ",".join(arguments.texts("recipe")),
        arguments.optional_text("--as"),
    )
    before = _instructions(bench, source)
    report = bench.optimize(source, recipe, new)
    target = source if new is None else f"{source.partition('@')[0]}@{new}"
    after = _instructions(bench, target)
    text = f"{target}: {recipe} made {after} instructions of {before}"
    if arguments.has("--log"):
        text = "\n".join([text, *(f"  {line}" for line in report.lines)])
    data: dict[str, Data] = {"function": target, "recipe": recipe, "log": list(report.lines)}
    return Answer(text, {**data, "instructions_before": before, "instructions_after": after})


def _instructions(bench: Workbench, name: str) -> int:
    """Of a version; without `@`, of the active one."""
    function, _, version = name.partition("@")
    found = [each for each in bench.versions(function) if (each.name == version if version else each.is_active)]
    return found[0].instructions if found else 0


def _clone(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    source, new = arguments.text("function"), arguments.text("name")
    bench.clone(source, new)
    made = f"{source.partition('@')[0]}@{new}"
    return Answer(f"made {made}; it runs after: switch {made}", {"function": source.partition("@")[0], "version": new})


def _versions(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    name = arguments.text("function").partition("@")[0]
    versions = bench.versions(name)
    rows = [
        [
            ("* " if each.is_active else "  ") + each.name,
            each.instructions,
            each.size_bytes,
            each.origin,
            each.recipe,
            None if each.address is None else f"{each.address:#x}",
        ]
        for each in versions
    ]
    data: list[Data] = [
        {
            "name": each.name,
            "origin": each.origin,
            "recipe": each.recipe,
            "instructions": each.instructions,
            "size_bytes": each.size_bytes,
            "address": each.address,
            "is_active": each.is_active,
        }
        for each in versions
    ]
    return Answer(
        text_table(_VERSION_COLUMNS, rows, width=width),
        {"function": name, "versions": data},
    )


def _switch(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    name, _, version = arguments.text("version").rpartition("@")
    bench.switch(name, version)
    return Answer(f"{name} now runs {name}@{version}", {"function": name, "version": version})


def _drop(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    name, _, version = arguments.text("version").rpartition("@")
    bench.drop(name, version)
    return Answer(f"dropped {name}@{version}", {"function": name, "version": version})


VERSION_COMMANDS = (
    Command(
        "opt",
        "versions",
        "optimise a version of a function, or a clone of it",
        "opt isord O2 --as fast",
        (
            Parameter("function", "function", "its name; with @VERSION not the active version but that one"),
            Parameter("recipe", "pass", "O0 to O3, or passes: sroa,newgvn,adce", is_many=True),
            Parameter("--as", "version", "leave the version as it is, and optimise a clone of this name"),
            Parameter("--log", "flag", "tell what became of each instruction"),
        ),
        "'passes' lists passes. Without --as the version itself is changed, and what it was is gone; if it is\n"
        "the active one, the next call of the function runs the new code.",
        action=_opt,
        changes_state=True,
    ),
    Command(
        "clone",
        "versions",
        "copy a version of a function under a new version's name",
        "clone isord fast",
        (
            Parameter("function", "function", "its name; with @VERSION not the active version but that one"),
            Parameter("name", "version", "of the new version"),
        ),
        action=_clone,
        changes_state=True,
    ),
    Command(
        "versions",
        "versions",
        "list the versions of a function; * marks the one that runs",
        "versions isord",
        (Parameter("function", "name", "its name"),),
        action=_versions,
    ),
    Command(
        "switch",
        "versions",
        "let the program run another version, from its next call on",
        "switch isord@fast",
        (_VERSIONED,),
        "Also while the program runs; see start. Code of the function that was inlined into others stays as it is:\n"
        "optimise those anew.",
        action=_switch,
        changes_state=True,
    ),
    Command(
        "drop",
        "versions",
        "forget a version that does not run",
        "drop isord@fast",
        (_VERSIONED,),
        action=_drop,
        changes_state=True,
    ),
)
