"""The command `probe`: counters at the entry or in blocks of functions."""

from sonde.base.units import counted
from sonde.instruments.vm.verb.shell.command import Answer, Command, Data
from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.workbench import Workbench
from sonde.report import Column

_COLUMNS = (
    Column("count", "count", "count"),
    Column("version", "version"),
    Column("place", "at"),
)


def _probe(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    name, places = arguments.optional_text("function"), arguments.texts("place")
    if name is not None and places:
        f = bench.code(name)
        made = bench.probes.insert(f, places)
        version = made[0].code.version
        bench.machine.switch(f.function, version)
        text = (
            f"{made[0].code.name} counts at {counted(len(made), 'place')}; calls of {f.function.name[1:]} now run it; "
            f"counts: probe {f.function.name[1:]}"
        )
        return Answer(text, {"version": made[0].code.name, "places": [*places]})
    found = bench.probes.there()
    if name is not None:
        f = bench.code(name)
        found = [each for each in found if each.code.function is f.function]
    data: list[Data] = [
        {
            "function": each.code.function.name[1:],
            "version": each.code.version.name,
            "block": each.place.block,
            "instruction": each.place.at,
            "count": each.count,
        }
        for each in found
    ]
    if not found:
        return Answer("no probes; probe FUNCTION entry makes one", {"probes": data})
    rows = [(each.count, each.code.name, f"{each.place.block}+{each.place.at}") for each in found]
    return Answer(text_table(_COLUMNS, rows, width=width), {"probes": data})


PROBE_COMMANDS = (
    Command(
        "probe",
        "versions",
        "count how often a function passes some places",
        "probe isord entry %for.body",
        (
            Parameter("function", "function", "its name; with @VERSION not the active version but that one", True),
            Parameter("place", "text", "entry, a block, or a value; +N for N instructions later", True, True),
        ),
        "With places: makes a version that counts, and lets the program run it. Without: shows the counts, of all\n"
        "functions or of one, also while a program runs. Programs under run are counted, too.",
        action=_probe,
        changes_state=True,
    ),
)
