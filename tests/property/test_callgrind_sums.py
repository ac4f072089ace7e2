"""The callgrind format of calling contexts: nothing is lost, and inclusive values are those of the profile."""

import io
from collections import Counter

from hypothesis import given

from callgrind_reader import Key, read_callgrind
from sonde.formats import METRICS, write_callgrind_calls
from sonde.formats.callgrind_names import one_line
from sonde.formats.frame_name import NOT_LISTED, qualified_name
from sonde.instruments.contexts.profile import ContextProfile, function_totals
from strategies import profiles

OF_NO_CONTEXT = {("???", NOT_LISTED, 0), ("???", "(program)", 0)}


@given(profiles(approximate=True))
def test_own_counts_add_up_and_inclusive_ones_count_recursion_once(profile: ContextProfile) -> None:
    totals, tree = function_totals(profile), profile.contexts
    for metric in METRICS if profile.has_time else METRICS[1:]:
        stream = io.BytesIO()
        write_callgrind_calls(profile, stream, metric=metric)
        written = read_callgrind(stream.getvalue())

        own, inclusive = Counter[Key](), Counter[Key]()
        columns = (totals.self_ns, totals.total_ns) if metric == "time" else (totals.calls, totals.total_calls)
        for number in set(tree.function):
            function = profile.functions[number]
            key = (one_line(function.file) or "???", one_line(qualified_name(function)) or "???", function.first_line)
            own[key] += columns[0][number]
            inclusive[key] += columns[1][number]
        whole = profile.total_ns if metric == "time" else profile.total_calls
        assert sum(written.own.values()) == written.summary == whole
        assert {key: value for key, value in written.own.items() if key not in OF_NO_CONTEXT} == own
        assert {key: value for key, value in written.called.items() if key not in OF_NO_CONTEXT} == inclusive
        entered = sum(count for key, count in written.entered.items() if key not in OF_NO_CONTEXT)
        assert entered == sum(max(1, calls) for calls in tree.calls)
