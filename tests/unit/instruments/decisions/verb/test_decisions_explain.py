import json

import pytest

from sonde.cli import main


def test_a_word_is_explained_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "explain", "LoadWithLoopInvariantAddressInvalidated"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("LoadWithLoopInvariantAddressInvalidated (LLVM, decisions)\nThe address is the same")
    assert "a call in the loop may be what could write." in " ".join(told.split())
    assert "what to do: Copy it into a local variable" in told.replace("\n    ", " ")


def test_words_of_inliners_may_be_followed_by_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "explain", "hot method too big, 400 bytes of bytecode", "unstable_if"]) == 0
    told = capsys.readouterr().out
    assert "FreqInlineSize" in told
    assert "UncommonTrap/unstable_if" in told
    assert "Deoptimization/unstable_if" in told


def test_without_words_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "explain", "--compiler", "cpython", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {block["key"] for block in answer["blocks"]} == {"cpython-passes", "cpython-decisions", "cpython-reasons"}
    assert all(row["word"] and row["says"] for block in answer["blocks"] for row in block["rows"])


def test_a_word_that_is_not_known_names_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "explain", "LoadClobered"]) == 2
    assert "did you mean 'LoadClobbered'" in capsys.readouterr().err
