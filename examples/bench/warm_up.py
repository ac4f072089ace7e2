"""Functions that come to rest after a while, or never do; see how they are told apart:

cd examples/bench
sonde bench --steady warm_up:rests warm_up:warms_up warm_up:slows_down warm_up:has_bursts --loops 1 --iterations 100:100
"""

_WORK = range(20_000)
_known: dict[int, int] = {}
_kept: list[int] = []
_calls = 0


def rests() -> int:
    """The same work each time."""
    return sum(number * number % 7 for number in _WORK)


def warms_up() -> int:
    """Remembers a thousand more results each time, until it knows all."""
    start = len(_known)
    for number in _WORK[start : start + 1000]:
        _known[number] = sum(range(number % 1000))
    return sum(_known.get(number) or sum(range(number % 1000)) for number in _WORK[::10])


def slows_down() -> int:
    """Keeps what it should throw away, and goes through all of it."""
    _kept.extend(_WORK)
    return sum(_kept)


def has_bursts() -> int:
    """Does three times the work in every seventh call, as a collector of garbage may."""
    global _calls
    _calls += 1
    return sum(rests() for _ in range(3 if _calls % 7 == 0 else 1))
