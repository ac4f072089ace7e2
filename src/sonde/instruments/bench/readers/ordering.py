"""The order of series, by which it is told what is compared with what: each alternative with the first."""

from collections.abc import Iterable

from sonde.instruments.bench.measurements import Series


def in_one_order(series: Iterable[Series]) -> tuple[Series, ...]:
    """Benchmark by benchmark, with alternatives in the same order in each: that in which they are first seen.

    For tools that measure in random order, where the first alternative would be another one in each benchmark.

    >>> from sonde.instruments.bench.measurements import Series
    >>> order = in_one_order(Series(*name, "startup", ()) for name in (("x", "b"), ("y", "a"), ("y", "b"), ("x", "a")))
    >>> [(each.benchmark, each.alternative) for each in order]
    [('x', 'b'), ('x', 'a'), ('y', 'b'), ('y', 'a')]
    """
    found = list(series)
    benchmarks = {name: place for place, name in enumerate(dict.fromkeys(each.benchmark for each in found))}
    alternatives = {name: place for place, name in enumerate(dict.fromkeys(each.alternative for each in found))}
    return tuple(sorted(found, key=lambda each: (benchmarks[each.benchmark], alternatives[each.alternative])))
