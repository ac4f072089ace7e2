"""Answers of wheels are compared by what has to be the same everywhere, and the first difference is told."""

import pytest

from wheels.answers import QUESTIONS, REFUSALS, Answer, Question, difference
from wheels.platforms import PLATFORMS

_QUESTION = Question("memory", ("memory",), tolerance=0.02)


@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        (Answer(0, "", {"line": 17, "misses": 20_300}), ""),
        (Answer(0, "", {"line": 17, "misses": 20_500}), "misses: 20500, here 20000"),
        (Answer(0, "", {"line": 17}), "misses: nothing, here 20000"),
        (Answer(-11, "sonde: no", {}), "exit code -11, here 0: sonde: no"),
    ],
)
def test_a_difference_is_told_with_both_sides(theirs: Answer, told: str) -> None:
    assert difference(_QUESTION, Answer(0, "", {"line": 17, "misses": 20_000}), theirs) == told


def test_refusals_are_of_questions_that_are_asked() -> None:
    asked = {(platform.name, question.name) for platform in PLATFORMS for question in QUESTIONS}

    assert REFUSALS.keys() <= asked
