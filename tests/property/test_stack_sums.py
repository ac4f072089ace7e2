"""What is new in sums of stacks."""

from hypothesis import given
from hypothesis import strategies as st

from sonde.instruments.contexts.live import SeenThread, StackSums
from sonde.instruments.contexts.profile import Function

FUNCTIONS = [Function(f"f{i}", "app", "app.py", i + 1) for i in range(4)]
THREADS = [SeenThread(1, 1), SeenThread(1, 2)]
times = st.lists(st.tuples(st.sampled_from(FUNCTIONS), st.sampled_from(THREADS), st.integers(0, 1000)), max_size=12)


def summed(seen: list[tuple[Function, SeenThread, int]]) -> StackSums:
    own, threads, both = dict[Function, int](), dict[SeenThread, int](), dict[tuple[SeenThread, Function], int]()
    for function, thread, ns in seen:
        own[function] = own.get(function, 0) + ns
        threads[thread] = threads.get(thread, 0) + ns
        both[thread, function] = both.get((thread, function), 0) + ns
    whole = sum(own.values())
    return StackSums(whole, len(seen), len(seen), whole, own, own, {}, threads, both)


@given(times, times)
def test_own_times_add_up_to_the_whole_and_what_is_new_is_that_alone(
    before: list[tuple[Function, SeenThread, int]], more: list[tuple[Function, SeenThread, int]]
) -> None:
    new, alone = summed(before + more).since(summed(before)), summed(more)
    assert new.whole == sum(new.own.values()) == sum(new.threads.values()) == sum(new.on_threads.values())
    assert new.own == {function: ns for function, ns in alone.own.items() if ns}
    assert new.threads == {thread: ns for thread, ns in alone.threads.items() if ns}
