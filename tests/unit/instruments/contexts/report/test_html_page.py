"""The HTML page as text: what is in it, what cannot get out of it, and how large it may be."""

import io
import json
import random
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    Function,
    Loss,
    MeasuredProcess,
    Run,
    contexts_from_self,
)
from sonde.instruments.contexts.profile.pruning import prune
from sonde.instruments.contexts.report.html import MAX_CONTEXTS, MAX_PAGE_BYTES, write_html
from sonde.instruments.contexts.report.html.heaviest_contexts import heaviest_rows, keep_heaviest
from sonde.instruments.contexts.report.html.page_data import page_data
from sonde.render.html.embedded_sources import choose_sources
from strategies import profiles

NASTY_TEXTS = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "\u2028\u2029",
    "\ud800 lone \udc80",
    "\x00\x1b\r\n",
    "{{TITLE}}{{DATA}}",
    "\\u003c\\1\\g<0>",
    "\U0001f600\u202e",
    "&lt;&amp;&quot;'\"",
)


def test_contexts_come_back_as_they_were() -> None:
    profile = random_profile(500, seed=1)
    data = data_of(write(profile))
    assert rows_of(data) == rows_of_profile(profile)
    assert data["contexts"]["rest_calls"] == data["contexts"]["rest_ns"] == []


def test_run_processes_and_losses_are_told() -> None:
    profile = small_profile(
        run=Run(command=("python", "app.py", "-x"), duration_ns=5, ended="exited 3", clock="tsc", complete=False),
        processes=(
            MeasuredProcess(10, 1, "python app.py", "3.12.1", "cpython-monitoring", 3, 7, "exited 3"),
            MeasuredProcess(11, 10, "python app.py", "3.11.2", "cpython-eval-hook", 1, 2, "unknown"),
        ),
        losses=(Loss("contexts-not-stored", 12, "Twelve contexts did not fit."),),
    )
    data = data_of(write(profile))
    assert data["run"]["command"] == "python app.py -x"
    assert (data["run"]["ended"], data["run"]["complete"]) == ("exited 3", False)
    assert (data["processes"]["count"], data["processes"]["threads"]) == (2, 4)
    assert data["processes"]["pythons"] == ["3.11.2", "3.12.1"]
    assert data["losses"]["listed"] == [["contexts-not-stored", 12, "Twelve contexts did not fit."]]


def test_what_was_taken_out_of_the_times_is_told() -> None:
    process = MeasuredProcess(7, 1, "a", "3.12.1", "cpython-monitoring", 1, 8, "exited 0")
    watched = replace(process, taken_ns=330, costs_ns=(20.0, 21.25, 0.0, 0.0))
    said = [data_of(write(small_profile(processes=(each,))))["run"]["taken_out"] for each in (watched, process)]
    assert said == ["taken out of the times: 330 ns that it cost to watch the calls, 41 ns each", ""]


def test_without_a_clock_there_are_no_times() -> None:
    data = data_of(write(small_profile(run=Run(clock="none"))))
    assert data["run"]["has_time"] is False
    assert data["contexts"]["self_ns"] == []


def test_an_exact_profile_has_nothing_to_doubt() -> None:
    data = data_of(write(random_profile(50, seed=8)))
    assert data["exactness"]["said"] == ["exact: every call in its context"]
    assert data["exactness"]["left_out"] is data["exactness"]["sampled"] is False
    for name in ("not_kept_calls", "not_kept_ns", "error", "calls_deviation", "ns_deviation"):
        assert data["contexts"][name] == []


@given(profiles(approximate=True), st.integers(1, 12))
def test_doubts_and_what_was_not_kept_travel_with_their_contexts(profile: ContextProfile, limit: int) -> None:
    data = page_data(profile, title="", max_contexts=limit)
    contexts, size = data["contexts"], len(data["contexts"]["up"])
    kept = heaviest_rows(profile, limit)
    assert contexts["calls"] == [profile.contexts.calls[row] for row in kept]
    assert (contexts["error"] or [0] * size) == [profile.errors()[row] for row in kept]
    for name in ("calls_deviation", "ns_deviation"):
        column = getattr(profile.contexts, name)
        if profile.has_time or name == "calls_deviation":
            assert contexts[name] == [column[row] for row in kept if column]
    # What a context has beyond itself and its children is hidden in this page, or was not kept.
    for lost, rest in (("not_kept_calls", "rest_calls"), ("not_kept_ns", "rest_ns")):
        pairs = zip(contexts[lost] or [0] * size, contexts[rest] or [0] * size, strict=True)
        assert all(0 <= not_kept <= remaining for not_kept, remaining in pairs)


def test_what_was_not_kept_adds_up_with_what_is_shown_and_hidden() -> None:
    whole = random_profile(300, seed=9)
    half = prune(approximate(whole), [row % 2 for row in range(300)])
    for limit in (1000, 50):
        data = page_data(half, title="", max_contexts=limit)
        not_kept = data["exactness"]["all_not_kept"]
        assert data["hidden"]["calls"] + not_kept["calls"] + sum(data["contexts"]["calls"]) == whole.total_calls
        assert data["hidden"]["ns"] + not_kept["ns"] + sum(data["contexts"]["self_ns"]) == whole.total_ns
        assert not_kept["calls"] == whole.total_calls - sum(half.contexts.calls)
    assert data["exactness"]["left_out"] is True
    assert data["exactness"]["hot_from"] == half.hot_threshold


def test_function_columns_count_recursion_once() -> None:
    profile = random_profile(400, seed=2, n_functions=6)
    functions = data_of(write(profile))["functions"]
    expected = slow_function_totals(profile)
    names = [function.name for function in profile.functions]
    shown = zip(
        functions["name"],
        zip(functions["calls"], functions["total_calls"], functions["self_ns"], functions["total_ns"], strict=True),
        strict=True,
    )
    assert {names.index(name): values for name, values in shown} == expected


def test_a_pruned_page_keeps_totals_and_says_what_is_hidden() -> None:
    profile = random_profile(MAX_CONTEXTS + 2_000, seed=3, n_functions=50)
    data = data_of(write(profile))
    assert len(data["contexts"]["up"]) == MAX_CONTEXTS
    assert data["hidden"]["contexts"] == 2_000
    assert data["total"] == {"calls": profile.total_calls, "ns": profile.total_ns}
    assert data["hidden"]["ns"] == profile.total_ns - sum(data["contexts"]["self_ns"])
    assert data["hidden"]["in_functions"] is False
    # Inclusive values are those of the whole profile, for contexts and for functions.
    roots = [row for row, up in enumerate(data["contexts"]["up"]) if up == 0]
    assert sum(total_ns for row, (*_, total_ns) in enumerate(rows_of(data)) if row in roots) == profile.total_ns
    assert sum(data["functions"]["self_ns"]) == profile.total_ns


@given(st.integers(0, 2**32), st.integers(1, 120), st.booleans())
@examples(0.6)
def test_the_heaviest_contexts_are_a_valid_tree(seed: int, limit: int, timed: bool) -> None:
    profile = random_profile(100, seed=seed, clock="tsc" if timed else "none")
    kept = keep_heaviest(profile, limit)
    kept.check_valid()
    assert len(kept.contexts) == min(limit, 100)
    assert kept.pruned_contexts == 100 - len(kept.contexts)
    assert (kept.total_calls, kept.total_ns) == (profile.total_calls, profile.total_ns)
    lightest = min(kept.weights())
    assert sum(weight > lightest for weight in profile.weights()) <= len(kept.contexts)


@pytest.mark.parametrize("text", NASTY_TEXTS)
def test_names_are_data_and_never_markup(text: str) -> None:
    functions = (Function(text, text, text, 3), Function("<img src=x onerror=alert(1)>", "m", text, 9))
    profile = small_profile(
        functions=functions,
        run=Run(command=(text,), clock="tsc", ended=text),
        losses=(Loss(text, 1, text),),
        sources={text: text},
    )
    page = write(profile, title=text)
    page.encode("ascii")
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    data = data_of(page)
    assert data["functions"]["name"] == [text, "<img src=x onerror=alert(1)>"]
    assert data["title"] == text
    assert data["sources"] == {"0": text}
    assert data["losses"]["listed"] == [[text, 1, text]]


@given(st.text(), st.text())
def test_any_text_survives(name: str, source: str) -> None:
    profile = small_profile(
        functions=(Function(name, name, "a.py", 1), Function("f", "", "a.py", 2)), sources={"a.py": source}
    )
    data = data_of(write(profile, title=name))
    assert data["functions"]["name"][0] == name
    assert data["sources"] == {"0": source}


def test_the_page_fetches_nothing_and_runs_only_its_own_script() -> None:
    page = write(small_profile())
    assert re.search(r"default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'", page)
    assert "http:" not in page
    assert "https:" not in page
    assert not re.search(r"\binnerHTML\b|\binsertAdjacentHTML\b|document\.write|\beval\(", page)


def test_the_same_profile_gives_the_same_bytes() -> None:
    assert write(random_profile(3_000, seed=4)) == write(random_profile(3_000, seed=4))


def test_a_large_profile_stays_within_the_budget() -> None:
    profile = random_profile(200_000, seed=5, n_functions=20_000, sources={"m.py": "x = '<&\u20ac'\n" * 100_000})
    page = write(profile)
    assert len(page) <= MAX_PAGE_BYTES
    assert len(data_of(page)["contexts"]["up"]) == MAX_CONTEXTS


def test_monstrous_names_shrink_the_page_instead_of_breaking_the_budget() -> None:
    long = "\U0001f600" * 1000
    functions = [Function(f"{long}{index}", f"{long}.{index}", f"/{index}" * 500, 1) for index in range(5_000)]
    profile = random_profile(5_000, seed=6, functions=functions, all_functions_once=True)
    page = write(profile)
    data = data_of(page)
    assert len(page) <= MAX_PAGE_BYTES
    assert data["hidden"]["contexts"] > 0
    assert data["hidden"]["functions"] > 0
    assert all("characters]" in name for name in data["functions"]["name"])


def test_an_empty_profile_has_a_page() -> None:
    empty = ContextProfile((), contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[]))
    assert data_of(write(empty))["contexts"]["up"] == []


def test_sources_are_chosen_in_order_while_they_fit() -> None:
    sources = {"a": "x" * 50, "b": "y" * 90, "c": "z" * 40, "unused": "u"}
    chosen = choose_sources(sources, ["a", "b", "none", "c"], 100)
    assert list(chosen.texts) == ["a", "c"]
    assert (chosen.left_out_files, chosen.left_out_bytes) == (1, 92)


def write(profile: ContextProfile, title: str = "a run") -> str:
    stream = io.StringIO()
    write_html(profile, stream, title=title)
    return stream.getvalue()


def data_of(page: str) -> Any:
    found = re.findall(r'<script type="application/json" id="profile">(.*?)</script>', page, flags=re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def approximate(profile: ContextProfile) -> ContextProfile:
    bounds = Approximation(metric="time", phi=0.01, epsilon=0.002, floor=0, counters=500)
    return replace(profile, approximation=bounds)


def small_profile(
    *,
    functions: tuple[Function, ...] = (Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5)),
    run: Run = Run(clock="tsc"),  # noqa: B008 - a frozen value
    **fields: Any,
) -> ContextProfile:
    tree = contexts_from_self(parent=[-1, 0], function=[0, 1], call_line=[0, 3], calls=[1, 10], self_ns=[5, 95])
    return ContextProfile(functions=functions, contexts=tree, run=run, **fields)


def random_profile(
    n_contexts: int,
    *,
    seed: int,
    n_functions: int = 40,
    clock: str = "tsc",
    functions: list[Function] | None = None,
    all_functions_once: bool = False,
    **fields: Any,
) -> ContextProfile:
    choose = random.Random(seed)
    functions = functions or [Function(f"f{index}", "m", "m.py", index + 1) for index in range(n_functions)]
    numbers = range(len(functions))
    profile = ContextProfile(
        functions=tuple(functions),
        contexts=contexts_from_self(
            # The first rows may be further roots.
            parent=[-1, *(choose.randrange(-1 if row < 3 else 0, row) for row in range(1, n_contexts))],
            function=numbers if all_functions_once else choose.choices(numbers, k=n_contexts),
            call_line=[choose.randrange(50) for _ in range(n_contexts)],
            calls=[choose.randrange(1000) for _ in range(n_contexts)],
            self_ns=[choose.randrange(10**6) if clock != "none" else 0 for _ in range(n_contexts)],
        ),
        run=Run(clock=clock),
        **fields,
    )
    profile.check_valid()
    return profile


def rows_of_profile(profile: ContextProfile) -> list[tuple[Any, ...]]:
    tree = profile.contexts
    columns = (tree.call_line, tree.calls, tree.self_ns, tree.total_calls, tree.total_ns)
    names = [profile.functions[index].name for index in tree.function]
    return list(zip(tree.parent, names, *columns, strict=True))


def rows_of(data: Any) -> list[tuple[Any, ...]]:
    """The contexts of a page with their inclusive values added up, as the page's script does it."""
    contexts = data["contexts"]
    size = len(contexts["up"])
    parents = [row - up if up else -1 for row, up in enumerate(contexts["up"])]
    totals = []
    for own, rest in (("calls", "rest_calls"), ("self_ns", "rest_ns")):
        total = [a + b for a, b in zip(contexts[own], contexts[rest] or [0] * size, strict=True)]
        for row in range(size - 1, -1, -1):
            if parents[row] >= 0:
                total[parents[row]] += total[row]
        totals.append(total)
    names = [data["functions"]["name"][index] for index in contexts["function"]]
    return list(
        zip(parents, names, contexts["call_line"], contexts["calls"], contexts["self_ns"], *totals, strict=True)
    )


def slow_function_totals(profile: ContextProfile) -> dict[int, tuple[int, int, int, int]]:
    """By walking from every context to its root."""
    tree = profile.contexts
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row, function in enumerate(tree.function):
        above = tree.parent[row]
        while above >= 0 and tree.function[above] != function:
            above = tree.parent[above]
        outermost = above < 0
        sums[function][0] += tree.calls[row]
        sums[function][1] += tree.total_calls[row] * outermost
        sums[function][2] += tree.self_ns[row]
        sums[function][3] += tree.total_ns[row] * outermost
    return {function: (a, b, c, d) for function, (a, b, c, d) in sums.items() if a}
