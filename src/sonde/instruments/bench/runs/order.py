"""The order of a run: every benchmark in each round, its alternatives next to one another, both shuffled.

Why not all of one alternative and then all of the next: whatever changes on the machine meanwhile (temperature, what
else runs, what the disk has in memory) would look like a difference between them. Why at random and not by turns: what
an invocation leaves behind (a warm cache, a hot processor) would always go to the same successor. Why alternatives next
to one another, and not shuffled with those of other benchmarks: the shorter the time between two values that are
compared, the more of the drift they share, and it cancels in the comparison of values of the same round.

The place of each is decided by a hash of seed, round and name, and not by the state of a generator: so the order of
round 17 is the same whether the run was resumed before it or not, whichever benchmarks are done already, on every
machine and in every version of Python.
"""

from hashlib import blake2b

from sonde.instruments.bench.runs.plan import Alternative, Benchmark, Plan


def blocks(plan: Plan, round_: int) -> list[tuple[Benchmark, tuple[Alternative, ...]]]:
    """All benchmarks in the order of a round, each with its alternatives in theirs.

    Guarantee: each order of benchmarks, and of alternatives of a benchmark, is as likely as any other; what is left out
        of a plan does not change the order of the rest.

    >>> from sonde.instruments.bench.runs.plan import CommandWork
    >>> ab = tuple(Alternative(name, CommandWork(name)) for name in "ab")
    >>> plan = Plan((Benchmark("sort", ab),), seed=1)
    >>> ["".join(one.name for one in blocks(plan, round_)[0][1]) for round_ in range(6)]
    ['ba', 'ab', 'ba', 'ab', 'ab', 'ba']
    """
    shuffled = sorted(plan.benchmarks, key=lambda benchmark: _place(plan.seed, round_, benchmark.name))
    return [(benchmark, _shuffled(benchmark, plan.seed, round_)) for benchmark in shuffled]


def _shuffled(benchmark: Benchmark, seed: int, round_: int) -> tuple[Alternative, ...]:
    return tuple(sorted(benchmark.alternatives, key=lambda one: _place(seed, round_, f"{benchmark.name}\0{one.name}")))


def _place(seed: int, round_: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{round_}\0{name}".encode("utf-8", "surrogateescape"), digest_size=8).digest()
