"""Feed call events from anywhere to the exact analysis, and keep what it finds as a profile.

    python examples/events_to_contexts.py shop.sonde
    sonde view shop.sonde

Here the events are made up; they could as well come from a log of another system.
"""

import sys
from pathlib import Path

from sonde.events import EventBatch, Function, FunctionTable
from sonde.instruments.contexts.analyses import ExactContexts
from sonde.instruments.contexts.profile import ContextProfile, write_profile

SERVE = Function("serve", "shop", "shop.py", 10)
LOOK_UP = Function("Catalogue.look_up", "shop.catalogue", "shop/catalogue.py", 42)
PAY = Function("pay", "shop.till", "shop/till.py", 7)


def requests(functions: FunctionTable, count: int) -> EventBatch:
    """Some requests on one thread: 2 us of looking up, 5 us of paying, 1 us of the rest each."""
    serve, look_up, pay = map(functions.number, (SERVE, LOOK_UP, PAY))
    batch = EventBatch()
    now_ns = 0
    for _ in range(count):
        batch.enter(thread=0, function=serve, call_line=0, time_ns=now_ns)
        batch.enter(thread=0, function=look_up, call_line=12, time_ns=now_ns + 1_000)
        batch.leave(thread=0, time_ns=now_ns + 3_000)
        batch.enter(thread=0, function=pay, call_line=14, time_ns=now_ns + 3_000)
        batch.leave(thread=0, time_ns=now_ns + 8_000)
        batch.leave(thread=0, time_ns=now_ns + 8_000)
        now_ns += 10_000
    return batch


def main(output: Path) -> ContextProfile:
    functions = FunctionTable()
    analysis = ExactContexts(functions)
    # Batches may be cut anywhere; the profile is the same.
    for part in requests(functions, count=100).split(64):
        analysis.update(part)
    profile = analysis.snapshot()
    write_profile(output, profile)
    for row, function in enumerate(profile.contexts.function):
        print(f"{profile.contexts.self_ns[row]:>9,} ns  {profile.functions[function].label}")
    return profile


if __name__ == "__main__":
    main(Path(sys.argv[1]))
