"""What is found out about programs whose interpreters are waited for."""

import pytest

from sonde.base.errors import InputError
from sonde.instruments.contexts.sources.sampling import Found, StackSampling, newer_pythons
from sonde.instruments.contexts.verb.sampled_process import why_not


class Searches:
    """A sampler that finds what it is told, one after the other."""

    def __init__(self, *found: Found) -> None:
        self._found = list(found)

    def __call__(self, *_: object) -> "Searches":
        return self

    def add(self, _: int) -> int:
        return self._found.pop(0) if len(self._found) > 1 else self._found[0]

    def targets(self) -> list[object]:
        return []


def waited_for(monkeypatch: pytest.MonkeyPatch, *found: Found) -> Found:
    monkeypatch.setattr("sonde.instruments.contexts.sources.sampling.stack_sampling.StackSampler", Searches(*found))
    sampling = StackSampling(1_000_000, is_processor=True)
    sampling.wait_for(1)
    sampling.begin()
    assert sampling.wait(60)
    return sampling.found[1]


@pytest.mark.parametrize(
    "reason", [Found.UNKNOWN_VERSION, Found.NO_SYMBOLS, Found.NO_LOCK, Found.LOCKLESS_3_13, Found.OTHER_MACHINE]
)
def test_why_a_program_cannot_be_looked_at_is_known_when_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, reason: Found
) -> None:
    found = waited_for(monkeypatch, Found.NOT_PYTHON, Found.NOT_READY, reason, Found.NOT_PYTHON, Found.NO_PROCESS)

    assert found is reason


def test_a_program_that_ended_before_its_interpreter_was_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waited_for(monkeypatch, Found.NOT_PYTHON, Found.NOT_READY, Found.NO_PROCESS) is Found.NO_PROCESS


def test_who_asks_for_the_lock_of_a_build_without_one_is_told_what_else_to_ask() -> None:
    error = why_not(Found.NO_LOCK, 4711)

    assert isinstance(error, InputError)
    assert "4711" in error.message
    assert (error.slug, error.hint) == ("no-global-lock", "--what wall tells what its threads wait for")


def test_a_build_of_3_13_without_a_lock_is_refused_by_name() -> None:
    error = why_not(Found.LOCKLESS_3_13, 4711)

    assert (error.slug, error.exit_code) == ("free-threaded", 3)
    assert "4711" in error.message
    assert "3.14" in str(error.hint)


def test_versions_that_are_newer_than_sonde_are_told_once() -> None:
    assert newer_pythons(["3.13.0", "3.16.1", "3.15.9", "3.16.1", "10.1.0"]) == ["10.1.0", "3.16.1"]
