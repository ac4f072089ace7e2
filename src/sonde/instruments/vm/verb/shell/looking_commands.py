"""Commands that show functions: what there is, their control flow, IR, machine code, and where that is."""

from pathlib import Path

from sonde.base.errors import UsageError
from sonde.base.whole_file import written_whole
from sonde.instruments.vm.graph import compact_text, full_text, svg
from sonde.instruments.vm.verb.shell.command import Answer, Command, Data
from sonde.instruments.vm.verb.shell.flow_graph import graph_of
from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter
from sonde.instruments.vm.verb.shell.text_table import text_table
from sonde.instruments.vm.verb.shell.words import quoted
from sonde.instruments.vm.verb.shell.workbench import Workbench
from sonde.llvm import PASS_NAMES, PIPELINE_PASSES
from sonde.options.output import check_output_path
from sonde.report import Column

_FUNCTION = Parameter("function", "function", "its name; with @VERSION not the active version but that one")
_PIPED_WIDTH = 120
"""Pictures made of text need some width, even where no terminal sets one."""


def _functions(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    pattern = arguments.optional_text("pattern")
    functions = bench.functions(pattern)
    if not functions:
        said = "no functions; load a program: load FILE" if pattern is None else f"no function matches '{pattern}'"
        return Answer(said, {"functions": []})
    rows = [
        (
            each.demangled or each.name,
            each.module,
            each.blocks,
            each.instructions,
            f"{each.active} of {each.versions}" if each.versions > 1 else each.active,
            each.signature,
        )
        for each in functions
    ]
    data: list[Data] = [
        {
            "name": each.name,
            "demangled": each.demangled,
            "module": each.module,
            "signature": each.signature,
            "blocks": each.blocks,
            "instructions": each.instructions,
            "versions": each.versions,
            "active": each.active,
        }
        for each in functions
    ]
    return Answer(text_table(_FUNCTION_COLUMNS, rows, width=width), {"functions": data})


def _ir(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    name, target = arguments.text("function"), arguments.optional_text("--save")
    if target is None:
        text = bench.ir(name)
        return Answer(text.rstrip("\n"), {"function": name, "ir": text})
    path = check_output_path(Path(target), force=arguments.has("--force"))
    text = bench.ir(name)
    with written_whole(path) as stream:
        stream.write(text.encode())
    version = quoted(f"{name.rpartition('@')[0] or name}@mine")
    said = f"wrote {path}; when it is edited: load {quoted(str(path))} into {version}"
    return Answer(said, {"function": name, "file": str(path)})


def _asm(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    text = bench.assembly(arguments.text("function"))
    return Answer(text.rstrip("\n"), {"function": arguments.text("function"), "assembly": text})


def _cfg(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    name, target = arguments.text("function"), arguments.optional_text("--svg")
    if target is not None:
        path = check_output_path(Path(target), force=arguments.has("--force"))
        picture = svg(graph_of(bench.body(name))).encode()
        with written_whole(path) as stream:
            stream.write(picture)
        return Answer(f"wrote {path}; open it in a browser", {"function": name, "svg": str(path)})
    draw = full_text if arguments.has("--full") else compact_text
    graph = graph_of(bench.body(name))
    text = draw(graph, width=width or _PIPED_WIDTH)
    edges: list[Data] = [{"source": each.source, "target": each.target, "label": each.label} for each in graph.edges]
    blocks: list[Data] = [{"id": each.id, "lines": list(each.lines)} for each in graph.nodes]
    return Answer(text.rstrip("\n"), {"function": name, "entry": graph.entry, "blocks": blocks, "edges": edges})


def _address(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    places = bench.addresses(arguments.text("function"))
    if not places:
        return Answer("no code yet: it is made when it is first needed", {"addresses": []})
    rows = [(each.version, f"{each.start:#x}", each.size, f"{each.slot:#x}") for each in places]
    text = text_table(_ADDRESS_COLUMNS, rows, width=width)
    data: list[Data] = [
        {"version": each.version, "address": each.start, "size_bytes": each.size, "slot": each.slot} for each in places
    ]
    return Answer(text, {"function": arguments.text("function"), "addresses": data})


def _where(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    typed = arguments.text("address")
    try:
        address = int(typed, 0)
    except ValueError:
        address = -1
    if not 0 <= address < 1 << 64:
        raise UsageError(
            f"cannot look up '{typed}': it is not an address", slug="bad-address", hint="write it as 0x7f12a0b4"
        )
    found = bench.locate(address)
    if found is None:
        return Answer(f"{address:#x} is in none of the code that was generated here", {"address": address})
    version = f"@{found.version}" if found.version else ""
    places = [
        f"{frame.function} at {frame.file}:{frame.line}" if frame.line else frame.function for frame in found.frames
    ]
    text = "\n".join([f"{found.function}{version} + {found.offset:#x}", *(f"  {place}" for place in places)])
    frames: list[Data] = [
        {"function": frame.function, "file": frame.file, "line": frame.line, "column": frame.column}
        for frame in found.frames
    ]
    return Answer(
        text,
        {
            "address": address,
            "function": found.function,
            "version": found.version,
            "offset": found.offset,
            "frames": frames,
        },
    )


def _perf(bench: Workbench, arguments: Arguments, _width: int | None) -> Answer:
    map_path, dump_path = bench.tell_perf(Path(arguments.optional_text("folder") or "."))
    text = (
        f"names in {map_path}, names and lines in {dump_path}\n"
        f"perf record -k mono -p PID; perf inject --jit -i perf.data -o jitted.data; perf report -i jitted.data"
    )
    return Answer(text, {"map": str(map_path), "dump": str(dump_path)})


def _passes(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    pattern = arguments.optional_text("pattern") or ""
    known = {name: (each.kind, each.about) for name, each in PASS_NAMES.items()}
    known |= {name: (each.kind, each.about) for name, each in PIPELINE_PASSES.items()}
    known |= {name: ("function", f"{each.about} (sonde's own)") for name, each in bench.passes.items()}
    found = {name: each for name, each in sorted(known.items()) if pattern in name}
    if not found:
        return Answer(f"no pass has '{pattern}' in its name", {"passes": []})
    text = text_table(_PASS_COLUMNS, [[name, *each] for name, each in found.items()], width=width)
    data: list[Data] = [{"name": name, "kind": kind, "about": about} for name, (kind, about) in found.items()]
    return Answer(text, {"passes": data})


_FUNCTION_COLUMNS = (
    Column("function", "function"),
    Column("module", "module"),
    Column("blocks", "blocks", "count"),
    Column("instructions", "instructions", "count"),
    Column("version", "version"),
    Column("type", "type"),
)
_ADDRESS_COLUMNS = (
    Column("version", "version"),
    Column("address", "address"),
    Column("bytes", "bytes", "count"),
    Column("slot", "slot"),
)
_PASS_COLUMNS = Column("pass", "pass"), Column("of", "of a"), Column("about", "")

LOOKING_COMMANDS = (
    Command(
        "functions",
        "looking",
        "list functions with their size, active version and type",
        "functions is*",
        (Parameter("pattern", "name", "part of a name, or a pattern with * and ?", is_optional=True),),
        action=_functions,
    ),
    Command(
        "ir",
        "looking",
        "show a function in LLVM's language, or save it to be edited",
        "ir isord@fast --save isord.ll",
        (
            _FUNCTION,
            Parameter("--save", "file", "write it to a file, which load FILE into FUNCTION@VERSION reads"),
            Parameter("--force", "flag", "overwrite the file if it exists"),
        ),
        action=_ir,
    ),
    Command("asm", "looking", "show a function's machine code", "asm isord", (_FUNCTION,), action=_asm),
    Command(
        "cfg",
        "looking",
        "draw a function's control flow: a line a block, whole blocks, or a picture",
        "cfg isord@fast --svg isord.svg",
        (
            _FUNCTION,
            Parameter("--full", "flag", "with the instructions of each block"),
            Parameter("--svg", "file", "write a picture that any browser shows"),
            Parameter("--force", "flag", "overwrite the picture's file if it exists"),
        ),
        action=_cfg,
    ),
    Command(
        "address",
        "looking",
        "show where a function's code is, and the slot through which it is called",
        "address isord",
        (_FUNCTION,),
        action=_address,
    ),
    Command(
        "where",
        "looking",
        "tell which function, version and line an address belongs to",
        "where 0x7f12a0b4",
        (Parameter("address", "text", "decimal, or hexadecimal with 0x"),),
        action=_where,
    ),
    Command(
        "perf",
        "looking",
        "write the names and lines of all code, loaded and to come, for the profiler perf",
        "perf /var/tmp",
        (Parameter("folder", "file", "where the jitdump is put; here if it is left out", is_optional=True),),
        "The perf map lies where perf looks for it, /tmp/perf-PID.map.",
        action=_perf,
        changes_state=True,
    ),
    Command(
        "passes",
        "looking",
        "list the passes that opt can run by themselves",
        "passes loop",
        (Parameter("pattern", "text", "part of a pass's name", is_optional=True),),
        action=_passes,
    ),
)
