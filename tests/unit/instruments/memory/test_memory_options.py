"""Which caches are simulated, and which options exclude one another."""

import argparse
from pathlib import Path

import pytest

from sonde.base.cache_geometry import CacheGeometry, CacheSettings, MachineCaches
from sonde.base.errors import SondeError, UsageError
from sonde.instruments.memory.options import (
    CacheOptions,
    MemoryOptions,
    WatchOptions,
    check_shown,
    check_what_is_left_out,
    parse_latencies,
)
from sonde.instruments.memory.verb import memory
from sonde.instruments.memory.verb.program import program_to_measure
from sonde.options.declared import options_from
from sonde.options.parser import parser_for
from sonde.valgrind.tool_caches import caches_for_the_tool

HERE = MachineCaches(
    CacheGeometry(16 << 10, 4, 64), (CacheGeometry(32 << 10, 8, 64), CacheGeometry(1 << 20, 16, 64)), "made up"
)


def parsed(*words: str) -> argparse.Namespace:
    return parser_for("memory", memory).parse_args(words)


def settings(*words: str) -> CacheSettings:
    return options_from(CacheOptions, parsed(*words)).settings(HERE)


def check_left_out(*words: str) -> None:
    arguments = parsed(*words)
    classify = options_from(CacheOptions, arguments).classify
    check_what_is_left_out(options_from(WatchOptions, arguments), is_kept="output" in arguments, classify=classify)


def tool_words(*words: str) -> str:
    return caches_for_the_tool(settings(*words))


def test_the_machines_caches_are_the_default() -> None:
    assert tool_words() == "I1:16384,4,64;D1:32768,8,64;L2:1048576,16,64"


def test_each_cache_can_be_given() -> None:
    words = ("--i1", "8K,2,32", "--l1", "4K,1,32", "--l2", "64K,8,32", "--l3", "4M,16,64")
    assert tool_words(*words) == "I1:8192,2,32;D1:4096,1,32;L2:65536,8,32;L3:4194304,16,64"


def test_the_number_of_levels_can_be_given() -> None:
    assert tool_words("--levels", "1") == "I1:16384,4,64;D1:32768,8,64"


def test_policies_and_inclusion() -> None:
    plain = settings()
    assert (plain.policy, plain.inclusion, plain.write_allocate, plain.classify) == ("lru", "neither", True, False)
    other = settings("--policy", "plru", "--exclusive", "--no-write-allocate", "--classify")
    assert (other.policy, other.inclusion, other.write_allocate, other.classify) == ("plru", "exclusive", False, True)


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("--l1", "33K,8"), "it is not SIZE,WAYS,LINE"),
        (("--l3", "4M,16,64", "--levels", "2"), "it is the cache of level 3"),
        (("--levels", "3"), "this machine has none"),
    ],
)
def test_caches_that_cannot_be(words: tuple[str, ...], fact: str) -> None:
    with pytest.raises(UsageError, match=fact) as caught:
        settings(*words)
    assert caught.value.slug == "bad-cache"


def test_inclusive_and_exclusive_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="not allowed with"):
        parsed("--inclusive", "--exclusive")


def test_tools_need_what_lines_only_leaves_out() -> None:
    with pytest.raises(UsageError, match="told of objects") as caught:
        check_left_out("--lines-only", "--tool", "t.py")
    assert caught.value.slug == "lines-only"
    with pytest.raises(UsageError, match="cannot use --sharing with --lines-only"):
        check_left_out("--lines-only", "--sharing")
    check_left_out("--lines-only", "--trace", "t.addr", "--classify", "--output", "o")


@pytest.mark.parametrize(
    "words",
    [("--lines-only",), ("--tool", "t.py"), ("--trace", "t.addr"), ("--classify",), ("--sharing",), ("--output", "o")],
)
def test_counting_only_excludes_looking(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        check_left_out("--count-only", *words)
    assert caught.value.slug == "count-only" and words[0] in caught.value.message
    check_left_out(*words)
    check_left_out("--count-only")


def test_what_is_to_be_shown_is_checked_before_the_program_runs() -> None:
    here = settings()
    for word in ("", "cost", "accesses", "D1", "l2"):
        check_shown(MemoryOptions(sort=word, latencies=(4, 14, 200)), here)
    for shown, slug in (
        (MemoryOptions(sort="L3"), "unknown-order"),
        (MemoryOptions(latencies=(4, 9)), "bad-latencies"),
    ):
        with pytest.raises(UsageError) as caught:
            check_shown(shown, here)
        assert caught.value.slug == slug


@pytest.mark.parametrize("text", ["", "4", "4,x", "14,4", "4,14,40,200,900", "0,4", "-4,9", "4,,9", "4,99999999"])
def test_latencies_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_latencies(text)
    assert caught.value.slug == "bad-latencies" and f"'{text}'" in caught.value.message


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["--l1", "4K,1,32", "app.py", "--rows", "3"], ["app.py", "--rows", "3"]),
        (["--classify", "-m", "json.tool"], ["-m", "json.tool"]),
        (["--trace", "a", "--", "ls", "-l"], ["--", "ls", "-l"]),
        (["-o", "run.sonde", "-"], ["-"]),
    ],
)
def test_the_programs_words_are_left_alone(words: list[str], program: list[str]) -> None:
    assert memory.split_program(words)[1] == program


def test_source_files_are_compiled_as_vm_run_would_compile_them(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.touch()
    program = program_to_measure([str(source), "-O3", "-lz", "--", "-x"])
    assert program.target is None and program.request is not None
    assert (program.request.level, program.request.libraries, program.request.arguments) == (3, ["z"], ["-x"])
    for words, slug in (([str(source), "--perf"], "usage"), ([str(tmp_path / "none.c")], "no-such-source")):
        with pytest.raises(SondeError) as caught:
            program_to_measure(words)
        assert caught.value.slug == slug
