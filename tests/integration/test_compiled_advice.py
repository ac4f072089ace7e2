"""Compiled advice when things go wrong: faults, full disks, full tables; and what its results say then."""

from pathlib import Path

import pytest

from compiled_advice import built, platform_object, run_compiled
from sonde.instruments.memory.toolkit import ResultNames, ToolResults, compile_tool, tool_report
from sonde.instruments.memory.toolkit.host import Event, HostedTool, Location

HEAD = "from sonde.instruments.memory.toolkit import Cache, Counts, Histogram, Output, Tool, after, before\n\n\n"
HEAD += "class Mine(Tool):\n"
ADVICE = '    @before("object:access")\n    def used(self, loc, type, obj):\n'


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return platform_object(tmp_path_factory.getbasetemp())


def results_of(
    text: str,
    sizes: list[int],
    platform: Path,
    tmp_path: Path,
    *,
    options: tuple[str, ...] = (),
    steps: int = 10_000_000,
) -> ToolResults:
    """Of the compiled advice after an access of each size; the twin says the same."""
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    source = compile_tool(path)
    stream = [Event("object:access", Location(size=size, address=64 * size), object=1, type=size) for size in sizes]
    compiled = run_compiled(built(source, tmp_path, platform, *options), stream, tmp_path)
    assert compiled == HostedTool(source, steps=steps).run(stream) or any(
        each.lost for each in compiled.outputs.values()
    )
    return compiled


FAULTS = {
    "self.a = 7 // (loc.size - 3)": "division-by-zero",
    "self.a = 7 % (loc.size - 3)": "division-by-zero",
    "self.a = int(1 / (loc.size - 3))": "division-by-zero",
    "self.a = 1 << (2 - loc.size)": "negative-shift",
    "self.a = loc.size\n        self.a >>= 2 - self.a": "negative-shift",
    "self.a = int(1e18 * (loc.size * 4))": "no-such-integer",
    "self.a = (7 + 1\n            ) // (\n            loc.size - 3)": "division-by-zero",
    "for i in range(0, 9, loc.size - 3):\n            self.a += 0": "range-without-step",
}


@pytest.mark.parametrize("body", FAULTS)
def test_a_fault_ends_all_advice_and_names_its_line(body: str, platform: Path, tmp_path: Path) -> None:
    text = f"{HEAD}{ADVICE}        self.runs += 1\n        {body}\n        self.after += 1\n"

    results = results_of(text, [1, 2, 3, 4, 5], platform, tmp_path)

    assert results.fault is not None
    assert (results.fault.what, results.fault.line) == (FAULTS[body], 8 + body.count("\n        self"))
    assert results.fields["runs"][1] == 3
    assert results.fields["after"][1] == 2
    assert results.notices("mine.py")[0].startswith(f"mine.py:{results.fault.line}: advice was switched off")


@pytest.mark.parametrize("loop", ["while loc.size > 2:", "while self.x():"])
def test_an_endless_loop_ends(loop: str, platform: Path, tmp_path: Path) -> None:
    text = f"{HEAD}{ADVICE}        {loop}\n            self.rounds += 1\n"
    text += "\n    def x(self):\n        return self.rounds >= 0\n"

    results = results_of(text, [1, 3, 3], platform, tmp_path, options=("-DSN_ADVICE_STEPS=1000",), steps=1000)

    assert results.fault is not None
    assert (results.fault.what, results.fault.line) == ("endless-loop", 7)
    assert results.fields["rounds"][1] == 1000


def test_the_real_bound_of_loops_is_reached_in_a_moment(platform: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{HEAD}{ADVICE}        while True:\n            self.rounds += 1\n")
    program = built(compile_tool(path), tmp_path, platform)

    results = run_compiled(program, [Event("object:access")], tmp_path)

    assert results.fields["rounds"][1] == 10_000_000


def test_a_full_disk_loses_lines_and_nothing_else(platform: Path, tmp_path: Path) -> None:
    text = (
        f'{HEAD}    out = Output("/dev/full")\n{ADVICE}        self.n += 1\n        self.out.print(f"{{loc.size}}")\n'
    )

    results = results_of(text, [1, 2, 3], platform, tmp_path)

    assert results.fields["n"][1] == 3
    assert results.outputs["out"].lost == 3
    assert results.notices() == ["3 lines could not be written to '/dev/full', 0 were"]


def test_a_file_that_cannot_be_opened_loses_lines(platform: Path, tmp_path: Path) -> None:
    text = f'{HEAD}    out = Output("no/such/folder")\n{ADVICE}        self.out.print("x")\n'

    assert results_of(text, [1], platform, tmp_path).outputs["out"].lost == 1


def test_what_is_printed_comes_out_as_it_was(platform: Path, tmp_path: Path) -> None:
    line = 'print(f"é\\t%09 {loc.size:#06x}\\n\\"?{loc.is_load}", loc.size, 7)'

    results = results_of(f"{HEAD}{ADVICE}        {line}\n", [255], platform, tmp_path)

    assert results.printed == ["é\t%09 0x00ff", '"?False 255 7']


def test_a_report_sees_names_and_plain_numbers(platform: Path, tmp_path: Path) -> None:
    text = HEAD + '    seen = Counts("n")\n    lives = Histogram()\n    cache = Cache(l1="512,2,16")\n    share = 0.5\n'
    text += (
        ADVICE + "        self.seen[type].n += loc.size\n        self.lives.add(loc.size)\n        self.last = type\n"
    )
    text += '        self.cache.access(loc)\n        print("in advice")\n\n    def report(self):\n'
    text += "        print(self.last, self.share, self.lives.all().mean, self.cache.misses)\n"
    text += "        for name, row in self.seen.top('n'):\n            print(name, row.n)\n"
    path = tmp_path / "mine.py"

    results = results_of(text, [2, 4, 4], platform, tmp_path)
    report = tool_report(compile_tool(path), results, ResultNames(types={2: "Node"}))

    assert report.text == "in advice\n" * 3 + "type 4 0.5 3.3333333333333335 [2]\ntype 4 8\nNode 2\n"
    assert report.notices == ()
