"""Which counters of the kernel and the processor can be had on this machine."""

import os

from sonde.instruments.bench.invocations.launcher import LaunchRequest, launch, launcher_path


def available_counters() -> tuple[str, ...]:
    """Names of those that invocations will have: `instructions`, `cycles`, ...; with `:u` when outside the kernel only.

    Most virtual machines have none of the processor's; `/proc/sys/kernel/perf_event_paranoid` above 2 forbids all.

    Raises:
        MissingCapability: `no-launcher`.
    """
    program = str(launcher_path())  # what else is sure to exist? Without words it says so, and ends
    record = launch(LaunchRequest((program,), program, os.environ))
    return tuple(counter.name for counter in record.counters) if record else ()
