"""Whatever a memory profile says, its pages fit, tell all of it, and are well-formed."""

import json
import re
from pathlib import Path

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_memory_profiles import D1, I1, L2, Accesses, Born, made_profile, native_function, python_function
from report_json import has_table, table
from sonde.base.fitted_text import display_width
from sonde.instruments.memory.profile.difference import compare_memory
from sonde.instruments.memory.profile.memory_profile import MEMORY_KINDS, MemoryProfile, MemoryType
from sonde.instruments.memory.report import MemoryOptions, difference_report, memory_report
from sonde.render.html import MAX_PAGE_BYTES, report_html
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

NATIVE = ("native_functions", "native_lines", "native_without_lines")

NAMES = st.text(min_size=0, max_size=30)
COUNTS = st.integers(0, 10**12)


@st.composite
def profiles(draw: st.DrawFn) -> MemoryProfile:
    """Small profiles with any names; counts up to a million million."""
    functions = draw(st.lists(st.builds(python_function, NAMES, st.integers(0, 99), NAMES), min_size=1, max_size=3))
    natives = draw(st.lists(st.builds(native_function, NAMES, NAMES, st.integers(0, 99)), min_size=1, max_size=3))
    types = draw(st.lists(st.builds(MemoryType, st.sampled_from(MEMORY_KINDS), NAMES), min_size=1, max_size=4))
    lines = st.tuples(st.sampled_from(functions), st.integers(0, 50))
    rows, born = [], {}
    for _ in range(draw(st.integers(0, 6))):
        loads, stores = draw(COUNTS), draw(COUNTS)
        first = draw(st.integers(0, loads + stores))
        kind, site = draw(st.sampled_from(types)), draw(st.none() | lines)
        native = draw(st.tuples(st.sampled_from(natives), st.integers(0, 50)))
        misses = (first, draw(st.integers(0, first)))
        rows.append(Accesses(draw(st.none() | lines), (native,), kind, site, loads, stores, misses))
        lives = draw(st.dictionaries(st.integers(0, 45), st.integers(1, 10**6), max_size=4))
        born[kind, site] = Born(kind, site, sum(lives.values()), 0, draw(COUNTS), lives)
    return made_profile(rows, born.values(), caches=(I1, D1, L2), sources={functions[0].file: draw(NAMES)})


@examples(0.6)
@given(profiles(), st.integers(20, 140), st.sampled_from(["", "D1", "accesses"]))
def test_every_line_of_a_page_fits(profile: MemoryProfile, columns: int, sort: str) -> None:
    report = memory_report(profile, MemoryOptions(rows=4, sort=sort))
    for line in report_text(report, columns=columns).splitlines():
        assert display_width(line) <= columns, line


@examples(0.4)
@given(profiles(), profiles(), st.integers(20, 140))
def test_every_line_of_a_difference_fits(before: MemoryProfile, after: MemoryProfile, columns: int) -> None:
    report = difference_report(compare_memory(before, after))
    for line in report_text(report, columns=columns).splitlines():
        assert display_width(line) <= columns, line


@examples(0.4)
@given(profiles(), st.lists(st.integers(1, 900), min_size=3, max_size=3).map(sorted))
def test_cost_is_what_serving_every_miss_takes_longer_than_the_first_cache(
    profile: MemoryProfile, cycles: list[int]
) -> None:
    """The twin: of each row, so many accesses were served by L2, and so many by memory."""
    near, middle, far = cycles
    data = report_data(memory_report(profile, MemoryOptions(latencies=(near, middle, far))))
    for key in (*NATIVE, "python_lines", "types", "sites"):
        for row in table(data, key) if has_table(data, key) else []:
            by_memory = row["l2_misses"]["value"]
            by_l2 = row["d1_misses"]["value"] - by_memory
            assert row["cost"] == by_l2 * (middle - near) + by_memory * (far - near)
    costs = [row["cost"] for row in table(data, "types")] if profile.accesses else []
    assert costs == sorted(costs, reverse=True)
    assert sum(costs) == sum(
        misses[0] * (middle - near) + misses[1] * (far - middle) for misses in (row.misses for row in profile.classes)
    )


@examples(0.4)
@given(profiles())
def test_data_follow_the_schema_and_add_up(profile: MemoryProfile) -> None:
    data = json.loads(json.dumps(report_data(memory_report(profile)), allow_nan=False))
    VALIDATOR.validate(data)
    rows = {key: table(data, key) if has_table(data, key) else [] for key in NATIVE}
    for keys in (NATIVE[:1], NATIVE[1:]):
        assert sum(each["loads"] + each["stores"] for key in keys for each in rows[key]) == profile.accesses
    if profile.accesses:
        assert sum(each["accesses"] for each in table(data, "types")) == profile.accesses


@examples(0.4)
@given(profiles(), profiles())
def test_data_of_a_difference_have_both_sides(before: MemoryProfile, after: MemoryProfile) -> None:
    data = json.loads(json.dumps(report_data(difference_report(compare_memory(before, after))), allow_nan=False))
    VALIDATOR.validate(data)
    for side, profile in (("before", before), ("after", after)):
        assert table(data, "total")[0][side] == profile.accesses
    if has_table(data, "types"):
        changed = sum(row["accesses"]["after"] - row["accesses"]["before"] for row in table(data, "types"))
        assert changed == after.accesses - before.accesses


@examples(0.3)
@given(profiles())
def test_at_most_max_page_bytes_bytes_and_the_same_text_for_the_same_profile(profile: MemoryProfile) -> None:
    page = report_html(memory_report(profile))
    assert page.isascii() and len(page) <= MAX_PAGE_BYTES
    assert page == report_html(memory_report(profile))
    assert page.count("</script") == 2
    found = re.search(r'id="report">(.*?)</script>', page, re.S)
    assert found is not None
    data = json.loads(found[1])
    functions = [block for block in data["blocks"] if block["key"] == "native_functions"]
    counts = {column["key"]: column["values"] for block in functions for column in block["columns"]}
    if functions:
        assert sum(counts["loads"]) + sum(counts["stores"]) == profile.accesses
    assert all(number < len(data["functions"]) for _, number in data["names"])
