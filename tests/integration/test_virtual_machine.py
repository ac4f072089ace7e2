"""Programs whose functions are replaced: the same results whichever versions run, while threads run and without."""

import ctypes
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sonde.base.errors import InputError, UsageError
from sonde.machine import Workbench

PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
RECIPES = ("O1", "O2", "O3", "sroa,newgvn,simplifycfg", "reg2mem")


@pytest.fixture
def bench() -> Iterator[Workbench]:
    workbench = Workbench()
    yield workbench
    workbench.close()


def output_of_run(bench: Workbench, capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int | None, str]:
    capfd.readouterr()
    status = bench.run(arguments)
    return status, capfd.readouterr().out


CONVENTIONS = "{} 1 6 1.50 16 7.0 2 2.50 -56 9 144 19\n"


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_every_way_to_pass_arguments_goes_through_stubs(
    bench: Workbench, capfd: pytest.CaptureFixture[str], level: str
) -> None:
    bench.load(str(PROGRAMS / "conventions.c"), [level])
    assert output_of_run(bench, capfd, "x") == (2, CONVENTIONS.format("x"))
    assert output_of_run(bench, capfd, "y", "7") == (7, CONVENTIONS.format("y"))


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_program_whose_functions_all_run_in_new_versions_does_the_same(
    bench: Workbench, capfd: pytest.CaptureFixture[str], recipe: str
) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    for function in bench.functions():
        bench.optimize(function.name, recipe, "new")
        bench.switch(function.name, "new")
    assert output_of_run(bench, capfd) == (1, CONVENTIONS.format("-"))
    assert {each.active for each in bench.functions()} == {"new"}


@pytest.mark.parametrize("recipe", [None, "O2"])
def test_exceptions_destructors_and_static_constructors_pass_through_versions(
    bench: Workbench, capfd: pytest.CaptureFixture[str], recipe: str | None
) -> None:
    bench.load(str(PROGRAMS / "throwing.cpp"))
    if recipe:
        for function in bench.functions():
            if "St" not in function.name:  # templates of the library, four in five, are like these
                bench.optimize(function.name, recipe, "new")
                bench.switch(function.name, "new")
    assert output_of_run(bench, capfd) == (
        3,
        "+global\n+apple\n-apple\n3 +plum\n-plum\n-1\n+inner\n-inner\n"
        "caught: a square has no negative side\n4\n-global\n",
    )


def test_a_run_leaves_the_variables_as_they_were_and_calls_change_them(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    assert [bench.call("counted", []).text for _ in range(2)] == ["1", "2"]
    bench.run([])
    bench.run([])
    assert bench.call("counted", []).text == "3"


@pytest.mark.parametrize(
    ("function", "arguments", "text"),
    [
        ("square", ["-12"], "144"),
        ("sum", ["4", "1", "2", "3", "-10"], "-4"),
        ("mean", ["2", "1.0", "4.0"], "2.5"),
        ("narrow", ["-3", "200", "true", "2.9"], "-56"),
        ("sorted_first", ["[3, 9, 4]", "3"], "9"),
        ("through", ["square", "5"], "25"),
        ("swapped", ["2.5", "7"], "{7.0, 2}"),
        (
            "jumps",
            [
                r'"\1"'.replace("1", "0"),
            ],
            "1",
        ),
    ],
)
def test_functions_are_called_with_arguments_as_typed(
    bench: Workbench, function: str, arguments: list[str], text: str
) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    assert bench.call(function, arguments).text == text
    bench.optimize(function, "O2", "fast")
    assert bench.call(f"{function}@fast", arguments).text == text


def test_a_returned_pointer_shows_the_text_behind_it(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    assert bench.call("greeting", []).text.endswith(' "hello"')


def test_what_cannot_be_called_says_why(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    for function, arguments, slug in [
        ("square", [], "argument-count"),
        ("square", ["x"], "bad-argument"),
        ("half", ["1"], "unsupported-type"),
        ("sqare", ["1"], "no-such-function"),
        ("square@slow", ["1"], "no-such-version"),
    ]:
        with pytest.raises(UsageError) as refusal:
            bench.call(function, arguments)
        assert refusal.value.slug == slug


def test_a_switched_function_is_switched_for_pointers_to_it_too(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    bench.machine.construct()
    address = bench.machine.functions["@square"].stub
    square = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)
    assert square(7) == 49
    bench.clone("square", "other")
    body = bench.body("square@other")
    multiply = next(each for each in body.instructions() if each.opcode == "mul")
    multiply.opcode, multiply.pieces[0] = "add", multiply.pieces[0].replace("mul", "add")
    bench.switch("square", "other")
    assert square(7) == 14
    assert bench.call("through", ["square", "7"]).text == "14"
    bench.switch("square", "base")
    assert square(7) == 49


def test_switching_under_load_never_gives_a_wrong_result(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "spinning.c"))
    versions = ["base"]
    for recipe in RECIPES:
        name = recipe.partition(",")[0]
        bench.optimize("mix@base", recipe, name)
        versions.append(name)
    answer = bench.call("mix", ["3", "17"]).text
    spin = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(
        bench.machine.functions["@spin"].stub
    )
    done = threading.Event()

    def work() -> tuple[int, int]:
        differences = rounds = 0
        while not done.is_set():
            differences += spin(3, 20_000, int(answer))
            rounds += 1
        return differences, rounds

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work) for _ in range(3)]
        switches, end = 0, time.monotonic() + 1.5
        while time.monotonic() < end:
            bench.switch("mix", versions[switches % len(versions)])
            switches += 1
        done.set()
        outcomes = [each.result() for each in running]
    assert switches > 1000
    assert all(differences == 0 and rounds > 0 for differences, rounds in outcomes)


def test_a_program_in_the_background_is_switched_while_it_runs(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "spinning.c"))
    bench.run([], background=True)
    assert bench.running()
    for name in ("O1", "O3"):
        bench.optimize("mix@base", name, name)
        bench.switch("mix", name)
    with pytest.raises(UsageError) as refusal:
        bench.drop("mix", "O1")
    assert refusal.value.slug == "program-runs"
    stop = bench.machine.engine.address("stop")
    assert stop is not None
    ctypes.c_int.from_address(stop).value = 1
    assert bench.wait() == 0
    assert not bench.running()


def test_exit_ends_a_program_in_the_background_and_nothing_else(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    bench.run(["x", "41"], background=True)
    assert bench.wait() == 41
    assert bench.call("square", ["3"]).text == "9"


def test_addresses_are_told_as_version_and_line_and_stubs_as_stubs(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    bench.optimize("square", "O2", "fast")
    bench.switch("square", "fast")
    lines = (PROGRAMS / "conventions.c").read_text().splitlines()
    expected = 1 + next(at for at, line in enumerate(lines) if line.startswith("int square"))
    for place in bench.addresses("square"):
        location = bench.locate(place.start + place.size - 1)
        assert location is not None
        assert (location.function, location.version) == ("square", place.version)
        assert (location.frames[0].line, Path(location.frames[0].file).name) == (expected, "conventions.c")
    stub = bench.locate(bench.machine.functions["@square"].stub)
    assert stub is not None
    assert (stub.function, stub.version) == ("square", "stub")
    assert bench.locate(16) is None


def test_inlined_code_is_told_with_its_callers(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "spinning.c"))
    bench.optimize("expected", "O2", "fast")
    bench.switch("expected", "fast")
    (place,) = bench.addresses("expected@fast")
    stacks = {
        tuple(frame.function for frame in location.frames)
        for address in range(place.start, place.start + place.size)
        if (location := bench.locate(address)) is not None
    }
    assert ("mix", "expected") in stacks
    assert ("expected",) in stacks


def test_programs_use_one_another_and_what_they_share(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text("int two(int); static int x = 1; int one(int n) { return n ? two(n - 1) + x : 0; }")
    (tmp_path / "two.c").write_text(
        "int one(int); static int x = 10; int two(int n) { return n ? one(n - 1) + x : 0; }"
    )
    bench.load(str(tmp_path / "one.c"))
    bench.load(str(tmp_path / "two.c"))
    assert bench.call("one", ["4"]).text == "22"
    with pytest.raises(UsageError) as refusal:
        bench.unload("one")
    assert refusal.value.slug == "unit-needed"


def test_what_is_unloaded_can_be_loaded_anew(bench: Workbench, tmp_path: Path) -> None:
    source = tmp_path / "value.c"
    for value in (1, 2):
        source.write_text(f"int value(void) {{ return {value}; }}")
        bench.load(str(source))
        assert bench.call("value", []).text == str(value)
        bench.unload("value")
    assert bench.functions() == []


def test_what_is_defined_twice_is_refused_unless_it_is_shared(bench: Workbench, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.c").write_text("int same(void) { return 1; }")
        (tmp_path / f"{name}.cpp").write_text(
            f"inline int shared() {{ static int n; return ++n; }} int {name}() {{ return shared(); }}"
        )
    bench.load(str(tmp_path / "a.c"))
    with pytest.raises(InputError) as refusal:
        bench.load(str(tmp_path / "b.c"))
    assert refusal.value.slug == "defined-twice"
    bench.load(str(tmp_path / "a.cpp"))
    bench.load(str(tmp_path / "b.cpp"))
    assert [bench.call(name, []).text for name in ("a()", "b()", "a()")] == ["1", "2", "3"]


def test_a_missing_symbol_is_named_and_can_be_loaded_later(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "needs.c").write_text("int other(void); int needs(void) { return other(); }")
    (tmp_path / "has.c").write_text("int other(void) { return 5; }")
    bench.load(str(tmp_path / "needs.c"))
    with pytest.raises(InputError, match="'other'") as refusal:
        bench.call("needs", [])
    assert refusal.value.slug == "missing-symbol"
    bench.load(str(tmp_path / "has.c"))
    assert bench.call("needs", []).text == "5"


def test_a_call_is_repeated_and_timed(bench: Workbench) -> None:
    bench.load(str(PROGRAMS / "conventions.c"))
    timing = bench.repeat("counted", [], 1000)
    assert timing.times == 1000
    assert 0 < timing.minimum_seconds <= timing.lower_quartile_seconds <= timing.median_seconds
    assert timing.median_seconds <= timing.upper_quartile_seconds <= timing.total_seconds
    assert bench.call("counted", []).text == "1001"
