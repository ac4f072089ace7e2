"""The first sentence of a judgement agrees with its tables, read independently."""

import json
import re
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_measurements import measurements, start_up
from report_json import all_rows, blocks
from sonde.instruments.bench.judging import judge
from sonde.instruments.bench.report import judgement_report
from sonde.render.report_json import report_data

VERDICTS = ("worse", "better", "same", "unclear")
FACTOR = re.compile(r"([\d.,]+)( times|%) \[(-?[\d.,]+)%?, (-?[\d.,]+)%?\] (faster|slower)")


@examples(0.4)
@given(
    means=st.lists(st.sampled_from([1.0, 1.01, 1.05, 1.3, 2.0]), min_size=3, max_size=6),
    spread=st.sampled_from([0.003, 0.03, 0.2]),
    seed=st.integers(0, 2**32 - 1),
)
def test_whoever_is_called_fastest_or_slowest_is_so_by_the_tables(means: list[float], spread: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    names = "abcdef"[: len(means)]
    series = [
        start_up("x", name, mean * random.normal(1.0, spread, 15).clip(0.2))
        for name, mean in zip(names, means, strict=True)
    ]
    data: dict[str, Any] = json.loads(json.dumps(report_data(judgement_report(judge(measurements(*series))))))
    said = " ".join(data["headline"])
    compared = [row for block in blocks(data, "table") if block["key"] in VERDICTS for row in block["rows"]]
    verdicts = {row["second_name"]: row["verdict"] for row in compared}
    ratios = {row["second_name"]: row["ratio"] for row in compared}
    lower: dict[tuple[str, str], bool] = {}  # (one, other): whether one is established to take less
    for row in all_rows(data, "pairs-1"):
        low, high = row["difference"]["low"], row["difference"]["high"]
        lower[row["second"], row["first"]], lower[row["first"], row["second"]] = high < 0.0, low > 0.0

    def beats(one: str, other: str) -> bool:
        verdict = {"b": "better", "w": "worse"}
        if "a" in (one, other):
            wanted = verdict["w"] if one == "a" else verdict["b"]
            return lower[one, other] and verdicts[other if one == "a" else one] == wanted
        return lower[one, other]

    if found := re.match(r"(\w) is fastest: ", said):
        assert any(beats(found[1], name) for name in names if name != found[1])
    untold = re.search(r"(?:^|; )([a-f, and]+|[a-f, ]+ and \d+ more) cannot be told from (\w)", said)
    if untold:
        listed = set(re.findall(r"\b[a-f]\b", untold[1]))
        rest = {name for name in names if name != untold[2] and not beats(untold[2], name)}
        doubts = [notice["text"] for block in blocks(data, "notices") for notice in block["notices"]]
        # What rests on an assumption that fails is told from nothing, and that is said.
        assert listed <= rest or any("without what does not hold" in text for text in doubts)
        assert listed >= rest or "more" in untold[1]
    elif found:
        assert all(beats(found[1], name) for name in names if name != found[1])
    if slowest := re.search(r"(\w)(?: is|, the) slowest", said):
        assert all(beats(name, slowest[1]) for name in names if name != slowest[1])
    named = re.findall(r"(?:^|; )(\w) is \w+: " + FACTOR.pattern + " than a", said)
    for name, value, unit, low, high, word in named:
        ratio = ratios[name]
        assert (ratio["value"] > 1.0) == (word == "slower")
        told = [float(number.replace(",", "")) for number in (value, low, high)]
        as_ratio = [1.0 + number / 100.0 if word == "slower" else 1.0 - number / 100.0 for number in told]
        if unit == " times":
            as_ratio = [number if word == "slower" else 1.0 / number for number in told]
        ends = sorted(as_ratio[1:])
        assert np.allclose([as_ratio[0], *ends], [ratio["value"], ratio["low"], ratio["high"]], rtol=0.01)
