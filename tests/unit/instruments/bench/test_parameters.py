"""Parameters of the command line: their values, and where these are filled in."""

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.bench.runs.parameters import read_parameters, with_parameters
from sonde.instruments.bench.runs.plan import Alternative, CommandWork, FunctionWork


@pytest.mark.parametrize(
    ("listed", "values"),
    [
        ("1,10,100", ["1", "10", "100"]),
        ("1..4", ["1", "2", "3", "4"]),
        ("-2..2..2", ["-2", "0", "2"]),
        ("0..5..2", ["0", "2", "4"]),
        ("7..7", ["7"]),
        ("1,4..5,fast", ["1", "4", "5", "fast"]),
        ("-O,", ["-O", ""]),
        ("0.5,a=b", ["0.5", "a=b"]),
    ],
)
def test_values_are_lists_and_ranges_with_both_ends(listed: str, values: list[str]) -> None:
    assert read_parameters([f"n={listed}"]) == {"n": values}


@pytest.mark.parametrize(
    ("definitions", "fact"),
    [
        (["n"], "it is not NAME=VALUES"),
        (["=1"], "it is not NAME=VALUES"),
        (["2n=1"], "it is not NAME=VALUES"),
        (["rounds=1"], "it is not NAME=VALUES"),
        (["n=1", "n=2"], "'n' is there already"),
        (["n=1,1"], "the value '1' twice"),
        (["n=1..3,2"], "the value '2' twice"),
        (["n=3..1"], "'3..1' is no range"),
        (["n=1..3..0"], "'1..3..0' is no range"),
        (["n=1..99999999999"], "more than 10000 values"),
        (["n=1..200", "k=1..200"], "that makes 40000 combinations"),
    ],
)
def test_what_is_no_parameter_is_refused(definitions: list[str], fact: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_parameters(definitions)

    assert refused.value.slug == "bad-parameter"
    assert fact in refused.value.message


def test_all_combinations_are_named_and_filled_in_everywhere() -> None:
    work = CommandWork("sort {n}", environment={"K": "{k}"}, stdin="{n}.txt", folder="{k}", output="out{n}")
    one = Alternative("sort {n}", work, prepare="make {n}", setup="{k} ${n} {{n}}", cleanup="rm")

    found = list(with_parameters([one], {"n": ["1", "2"], "k": ["a", "b"]}))

    assert [(name, values) for name, values, _ in found] == [
        ("n=1, k=a", {"n": "1", "k": "a"}),
        ("n=1, k=b", {"n": "1", "k": "b"}),
        ("n=2, k=a", {"n": "2", "k": "a"}),
        ("n=2, k=b", {"n": "2", "k": "b"}),
    ]
    (last,) = found[-1][2]
    assert last == Alternative(
        "sort {n}",
        CommandWork("sort 2", environment={"K": "b"}, stdin="2.txt", folder="b", output="out2"),
        prepare="make 2",
        setup="b ${n} {n}",
        cleanup="rm",
    )


def test_texts_of_functions_are_filled_in_too() -> None:
    one = Alternative("f", FunctionWork("m:{f}", interpreter="python{v}", arguments="{v}"))

    ((_, _, (first,)),) = with_parameters([one], {"f": ["g"], "v": ["3"]})

    assert first.work == FunctionWork("m:g", interpreter="python3", arguments="3")


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        ("sort", r"cannot use the parameter 'num=\.\.\.': nothing mentions {num}"),
        ("sort {num} {nmu}", "cannot fill in '{nmu}': there is no parameter 'nmu'; did you mean 'num'"),
        ("sort {num} {{num}} | awk {print}", "cannot fill in '{print}'"),
    ],
)
def test_names_that_nothing_mentions_and_mentions_of_no_parameter_are_refused(command: str, fact: str) -> None:
    with pytest.raises(UsageError, match=fact):
        list(with_parameters([Alternative("a", CommandWork(command))], {"num": ["1"]}))
