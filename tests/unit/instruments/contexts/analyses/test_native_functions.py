"""C functions that were seen in stacks, as functions of a profile; and what is told of how that went."""

from array import array
from typing import Any

from sonde.code import Function
from sonde.instruments.contexts.analyses import NativeSide, stack_contexts
from sonde.instruments.contexts.analyses.native_functions import names_missing, native_function, native_losses
from sonde.instruments.contexts.profile import OwnEstimate, Run

NATIVE, JIT = 1 << 31, 1 << 30
LIBRARIES = ["/usr/bin/python3.12", "/usr/lib/libz.so.1"]
SUMS = {
    "pauses": 1000,
    "paused_ns": 25_000_000,
    "longest_ns": 2_000_000,
    "refused": 0,
    "late": 0,
    "unwound": 1000,
    "guessed": 0,
    "not_copied": 0,
    "cut_at_jit": 0,
    "broken": 0,
    "too_deep": 0,
}


def kinds(**sums: int) -> list[tuple[str, int]]:
    return [(loss.kind, loss.amount) for loss in native_losses(SUMS | sums, 1_000_000_000)]


def test_a_function_has_the_name_that_its_source_has() -> None:
    assert native_function("_ZN3app4workEi", "/app.cpp", 3, NATIVE | 1, LIBRARIES) == Function(
        "app::work(int)", "", "/app.cpp", 3, "function", "native", "/usr/lib/libz.so.1"
    )
    assert native_function("memcpy@@GLIBC_2.14", "", 0, NATIVE, LIBRARIES).name == "memcpy"
    assert native_function("sort.part.0", "", 0, NATIVE, LIBRARIES).name == "sort"


def test_code_of_the_kernel_is_the_same_in_each_process() -> None:
    first, second = (native_function("__vdso_time", "", 0, NATIVE, [f"[vdso: {pid}]"]) for pid in (4711, 4712))
    assert first == second and first.library == "[vdso]"


def test_what_has_no_name_is_that_of_its_library() -> None:
    assert native_function("", "", 0, NATIVE | 1, LIBRARIES).name == "[libz.so.1]"
    assert native_function("", "", 0, NATIVE | 9, LIBRARIES).name == "[no file]"
    made = native_function("", "", 0, NATIVE | JIT, LIBRARIES)
    assert (made.name, made.language, made.library) == ("[code made at run time]", "jit", "")


class SeenStacks:
    """`runpy` runs `<module>` through C; that calls `sort`, of which a part has a symbol of its own."""

    def columns(self) -> tuple[bytes, ...]:
        rows = [
            (-1, 0, 0, 0, 0.0),  # _run_code
            (0, 1, 5, 1, 0.0),  # builtin_exec
            (1, 2, 9, 2, 0.0),  # <module>
            (2, 3, 4, 30, 9.0),  # sort
            (2, 4, 4, 40, 16.0),  # its part
        ]
        whole = (array("q", column).tobytes() for column in list(zip(*rows, strict=True))[:4])
        return (*whole, array("d", [row[4] for row in rows]).tobytes())

    def functions(self) -> list[tuple[str, str, int, int, float]]:
        return [
            ("_run_code", "<frozen runpy>", 1, 3, 0.0),
            ("builtin_exec", "", 0, NATIVE, 0.0),
            ("<module>", "/app/app.py", 1, 0, 0.0),
            ("sort", "", 0, NATIVE | 1, 9.0),
            ("sort.part.0", "", 0, NATIVE | 1, 16.0),
        ]

    def lines(self) -> list[tuple[int, int, int]]:
        return [(3, 0, 3), (4, 0, 4)]

    def threads(self) -> list[tuple[int, int, int, int]]:
        return []

    def tasks(self) -> list[tuple[int, bool, str]]:
        return []

    def sums(self) -> dict[str, int]:
        sums = dict.fromkeys(("cut", "still", "too_deep", "without_room", "torn", "late"), 0)
        return sums | {"first_ns": 0, "last_ns": 990, "rounds": 100, "stacks": 100}


def test_parts_of_a_function_are_one_and_programs_are_found_behind_c() -> None:
    given: Any = SeenStacks()
    profile = stack_contexts(given, Run(), [], period_ns=9, native=NativeSide(LIBRARIES, SUMS))
    profile.check_valid()
    module, sort = profile.functions[2], profile.functions[3]
    assert module.module == "__main__"
    assert [profile.functions[number] for number in profile.contexts.function][-1] == sort
    assert list(profile.contexts.self_ns) == [0, 1, 2, 70]
    assert profile.own_estimates[sort] == OwnEstimate(70, 7), "deviations of parts add up at most"
    assert profile.line_samples[sort] == {0: 7}
    assert [loss.kind for loss in profile.losses] == ["threads-stopped"]


def test_what_looking_cost_and_what_is_missing_is_told() -> None:
    assert list(native_losses({}, 1)) == []
    (stopped,) = native_losses(SUMS, 1_000_000_000)
    assert stopped.detail == "samples stopped their thread (--native), for 25 us each, 2,000 at most: 2.5% of the time"
    assert kinds(broken=10) == [("threads-stopped", 1000)]
    assert kinds(broken=10, cut_at_jit=20) == [("threads-stopped", 1000), ("native-stacks-cut", 30)]
    assert kinds(guessed=10) == [("threads-stopped", 1000)]
    assert kinds(guessed=11) == [("threads-stopped", 1000), ("native-stacks-guessed", 11)]
    assert kinds(refused=1, late=20) == [
        ("threads-stopped", 1000),
        ("native-stacks-refused", 1),
        ("native-stacks-late", 20),
    ]
    assert kinds(pauses=0, unwound=0, refused=5) == [("native-stacks-refused", 5)]


def test_libraries_without_symbols_are_named_if_they_matter() -> None:
    nameless, other = (native_function("", "", 0, NATIVE | number, LIBRARIES) for number in (0, 1))
    named = native_function("deflate", "", 0, NATIVE | 1, LIBRARIES)
    assert list(names_missing([(nameless, 4), (named, 96)])) == []
    assert list(names_missing([(named, 96)])) == list(names_missing([])) == []
    (loss,) = names_missing([(nameless, 10), (other, 20), (named, 70)])
    assert (loss.kind, loss.amount) == ("native-names-missing", 2)
    assert "30% of the time" in loss.detail and "(libz.so.1, python3.12)" in loss.detail
