"""Nothing is lost: the entries of a time profile add up to its total, and to what an independent sum says."""

import io
import string
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from sonde.formats import write_pprof
from sonde.instruments.contexts.profile import ContextProfile, function_totals, write_profile
from sonde.instruments.decisions.time_profiles import perf_samples, read_time_profile
from strategies import profiles

NAMES = (
    st.text(string.ascii_letters + "_:<>(), $", min_size=1, max_size=20)
    .map(str.strip)
    .filter(lambda name: name and not name.endswith(")") and not name.startswith("(") and " (" not in name)
)
SAMPLES = st.lists(st.tuples(NAMES, st.integers(1, 10**6), st.booleans()), min_size=1, max_size=20)


@given(SAMPLES)
def test_samples_of_perf_are_read_back_in_either_form(samples: list[tuple[str, int, bool]]) -> None:
    text = ""
    for number, (name, period, on_one_line) in enumerate(samples):
        head = f"prog  77 1.{number:06}: {period} cpu-clock: "
        frame = f"\t 4011{number:02x} {name}+0x1f (/bin/prog)\n"
        text += f"{head}{frame.strip()}\n" if on_one_line else f"{head}\n{frame}\t 401000 main+0x1 (/bin/prog)\n\n"

    read = list(perf_samples(text.splitlines(keepends=True)))

    assert [(each.symbol, each.period) for each in read] == [(name, period) for name, period, _ in samples]


@examples(0.3)
@given(profiles(pruned=False))
def test_a_sonde_profile_and_its_pprof_say_the_same(profile: ContextProfile) -> None:

    with tempfile.TemporaryDirectory() as made:
        own, other = Path(made) / "a.sonde", Path(made) / "a.pprof"
        write_profile(own, profile)
        packed = io.BytesIO()
        write_pprof(profile, packed)
        other.write_bytes(packed.getvalue())
        first, second = read_time_profile(own), read_time_profile(other)
    totals = function_totals(profile)
    column = totals.self_ns if profile.has_time else totals.calls
    expected = Counter[tuple[str, str, int]]()
    for function, period in zip(profile.functions, column, strict=True):
        expected[(function.name, function.file, function.first_line)] += period
    assert Counter({(e.name, e.file, e.line): e.period for e in first.entries}) == +expected
    assert sum(e.period for e in first.entries) == sum(e.period for e in second.entries)
