"""Collapsed stacks: lines add up to the profile, names survive."""

from collections import Counter
from io import BytesIO

from hypothesis import given

from exact_stacks import chain, exact_stacks
from sonde.formats import Metric, choose_metric, write_collapsed
from sonde.formats.frame_name import NOT_LISTED
from sonde.instruments.contexts.profile import ContextProfile, Function, contexts_from_self
from strategies import profiles


def _written(profile: ContextProfile, *, metric: Metric | None = None, max_bytes: int | None = None) -> bytes:
    stream = BytesIO()
    if max_bytes is None:
        write_collapsed(profile, stream, metric=metric)
    else:
        write_collapsed(profile, stream, metric=metric, max_bytes=max_bytes)
    return stream.getvalue()


def _read(data: bytes) -> Counter[tuple[str, ...]]:
    """Read as flame graph tools do: the last word is the weight, `;` separates, nothing is unescaped."""
    stacks: Counter[tuple[str, ...]] = Counter()
    for line in data.decode("utf-8").split("\n")[:-1]:
        stack, weight = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(weight)
    return stacks


def _unescaped(stack: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(frame.encode("latin-1", "backslashreplace").decode("unicode_escape") for frame in stack)


@given(profiles(surrogates=True, approximate=True))
def test_every_stack_has_its_exact_weight(profile: ContextProfile) -> None:
    expected = exact_stacks(profile, choose_metric(profile, None))

    stacks = _read(_written(profile))

    assert {_unescaped(stack): weight for stack, weight in stacks.items()} == expected


@given(profiles(approximate=True))
def test_weights_add_up_to_the_total_of_calls(profile: ContextProfile) -> None:
    stacks = _read(_written(profile, metric="calls"))

    assert stacks.total() == profile.total_calls


@given(profiles(approximate=True))
def test_weights_add_up_to_the_total_at_any_budget(profile: ContextProfile) -> None:
    for max_bytes in (0, 20, 100):
        stacks = _read(_written(profile, max_bytes=max_bytes))

        total = profile.total_ns if profile.has_time else profile.total_calls
        assert stacks.total() == total


@given(profiles(surrogates=True, approximate=True))
def test_one_line_per_stack_even_for_readers_that_split_at_every_line_separator(profile: ContextProfile) -> None:
    text = _written(profile).decode("utf-8")

    assert text.splitlines() == text.split("\n")[:-1]


def test_separators_in_names_are_escaped_and_distinct() -> None:
    functions = tuple(Function(name, "", "f.py", 1) for name in ("a;b", "a\nb", r"a\nb", r"a\x3bb"))
    tree = contexts_from_self(
        parent=[-1] * 4, function=range(4), call_line=[0] * 4, calls=[1, 2, 3, 4], self_ns=[0] * 4
    )

    written = _written(ContextProfile(functions, tree))

    assert (
        written
        == rb"""a\x3bb 1
a\nb 2
a\\nb 3
a\\x3bb 4
"""
    )


def test_an_empty_profile_gives_an_empty_file() -> None:
    empty = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])

    assert _written(ContextProfile((), empty)) == b""


def test_a_deep_chain_stays_within_its_budget_and_keeps_its_total() -> None:
    profile = chain(20_000)

    written = _written(profile, max_bytes=1_000_000)

    assert len(written) < 2_100_000
    stacks = _read(written)
    assert stacks.total() == 20_000
    (deepest,) = [stack for stack in stacks if stack[-1] == NOT_LISTED]
    assert stacks[deepest] == 20_000 - (len(deepest) - 1)
