"""The terminal view of a comparison."""

import io
import re
from dataclasses import replace

import pytest

from golden_text import GoldenText
from sonde.base.fitted_text import display_width
from sonde.instruments.contexts.profile import ContextProfile, Function
from sonde.instruments.contexts.profile.comparison.context_diff import diff_contexts
from sonde.instruments.contexts.profile.comparison.yardstick import Normalise
from sonde.instruments.contexts.report.terminal.differences import DiffLimits, diff_as_data, print_diff
from tree_builder import chain_of, profile_of

BASE = "main 10\n  parse @101 20\n    token @201 500 x1000\n  write @102 470 x3"
HOTTER = BASE.replace("500 x1000", "900 x2000")


def shown(
    one: ContextProfile,
    two: ContextProfile,
    *,
    normalise: Normalise = "none",
    width: int = 100,
    rows: int = 40,
    names: tuple[str, str] = ("a.sonde", "b.sonde"),
) -> str:
    stream = io.StringIO()
    diff = diff_contexts(one, two, normalise=normalise)
    print_diff(diff, stream, names=names, limits=DiffLimits(rows=rows), width=width)
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_a_difference_looks_as_it_did(width: int, golden: GoldenText) -> None:
    golden(shown(profile_of(BASE), profile_of(HOTTER), width=width), f"contexts/views/difference-{width}.txt")


def test_a_change_is_shown_with_its_sign_both_values_and_both_call_counts() -> None:
    text = shown(profile_of(BASE), profile_of(HOTTER))
    assert re.search(r"\+400 ns +\+28\.6% +500 ns +900 ns +1,000 → 2,000 +▲ token", text)
    assert "write" not in text


def test_shares_are_compared_in_percentage_points() -> None:
    text = shown(profile_of(BASE), profile_of(HOTTER), normalise="total")
    assert re.search(r"-13\.4 pp +-29% +47\.0% +33\.6% +3 +.*▼ write", text)


def test_values_per_call_are_compared_per_call() -> None:
    text = shown(profile_of(BASE), profile_of(BASE.replace("470 x3", "940 x4")), normalise="calls")
    assert re.search(r"157 ns +235 ns +3 → 4 +▲ write", text)


def test_appeared_and_vanished_contexts_are_marked_and_not_unfolded() -> None:
    new = {"fetch": Function("fetch", "net", "net.py", 1), "read": Function("read", "net", "net.py", 50)}
    text = shown(profile_of(BASE), profile_of(BASE + "\n  fetch @103 0\n    read @2 300", functions=new))
    assert "+ fetch … 1 below" in text
    assert "+ read" in text.split("functions that changed")[1]
    assert "functions only in the second profile: 2" in text


def test_no_change_is_said_in_words() -> None:
    assert "no context or function changed by 0.5% of the heavier run or more" in shown(
        profile_of(BASE), profile_of(BASE)
    )


def test_times_come_with_a_word_on_noise_and_calls_without() -> None:
    assert "one run each" in shown(profile_of(BASE), profile_of(BASE))
    assert "one run each" not in shown(profile_of(BASE, clock="none"), profile_of(BASE, clock="none"))


def test_what_there_is_no_room_for_is_counted() -> None:
    outline = "main 0\n" + "\n".join(f"  f{i} @{i + 1} 100" for i in range(30))
    text = shown(profile_of(outline), profile_of(outline.replace(" 100", " 200")), rows=5)
    assert re.search(r"… 26 more changed contexts", text)


def test_deep_recursion_and_deep_chains_fit_the_page() -> None:
    text = shown(chain_of(20_000), chain_of(20_000, self_ns=2))
    assert "▲ down ×20,000 levels" in text
    outline = "\n".join(f"{'  ' * depth}f{depth} @1 0" for depth in range(300)) + f"\n{'  ' * 300}leaf @1 "
    text = shown(profile_of(f"{outline}100"), profile_of(f"{outline}200"), rows=3)
    assert "⋮ 299 frames" in text
    assert "▲ leaf" in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_every_line_stays_within_the_page(width: int) -> None:
    long = {"token": Function("Outer.<locals>." * 20 + "token", "app", "/very/long" * 30 + "/app.py", 200)}
    profiles = [
        replace(one, run=replace(one.run, command=("python3", "/very/long" * 8 + "/app.py")))
        for one in (profile_of(BASE, functions=long), profile_of(HOTTER, functions=long))
    ]
    for names in (("a.sonde", "b.sonde"), ("/home/somebody" * 9 + "/a.sonde", "b.sonde")):
        text = shown(*profiles, width=width, names=names)
        assert [line for line in text.splitlines() if display_width(line) > width] == []
        assert "a.sonde" in text


def test_the_data_holds_changed_contexts_and_their_callers() -> None:
    data = diff_as_data(diff_contexts(profile_of(BASE), profile_of(HOTTER)))
    assert [(each["label"], each["parent"], each["status"]) for each in data["contexts"]] == [
        ("main", None, "hotter"),
        ("parse", 0, "hotter"),
        ("token", 1, "hotter"),
    ]
    assert data["contexts"][2]["before"]["self_ns"] == 500
    assert data["contexts"][2]["change"] == 400
    assert data["unit"] == "ns"
