"""Programs to compile on the command line."""

import pytest

from sonde.base.errors import UsageError
from sonde.options.compiled_program import compiled_program_of_words


def test_files_options_and_arguments_are_told_apart() -> None:
    words = [
        "a.c",
        "-O3",
        "-I",
        "inc",
        "-DX=1",
        "-std=c11",
        "b.c",
        "-lz",
        "-L",
        "lib",
        "-include",
        "c.h",
        "--",
        "-x",
        "--",
    ]
    request = compiled_program_of_words(words, "vm run")
    assert request.files == ["a.c", "b.c"] and request.level == 3
    assert request.compiler_options == ["-I", "inc", "-DX=1", "-std=c11", "-include", "c.h"]
    assert (request.libraries, request.folders) == (["z"], ["lib"])
    assert request.arguments == ["-x", "--"]


def test_optimising_is_the_default() -> None:
    assert (
        compiled_program_of_words(["a.c"], "vm run").level == 2
        and compiled_program_of_words(["a.c", "-O0"], "vm run").level == 0
    )


@pytest.mark.parametrize(
    ("words", "slug"),
    [([], "no-source"), (["-O2"], "no-source"), (["a.c", "-I"], "usage"), (["a.c", "-o", "x"], "usage")],
)
def test_what_makes_no_sense_is_refused(words: list[str], slug: str) -> None:
    with pytest.raises(UsageError) as refusal:
        compiled_program_of_words(words, "vm run")
    assert refusal.value.slug == slug
