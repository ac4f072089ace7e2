"""Run a command once, and measure it from outside."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from sonde.instruments.bench.invocations.command import Command
from sonde.instruments.bench.invocations.failures import check_set_up, failure
from sonde.instruments.bench.invocations.launch_record import LaunchRecord
from sonde.instruments.bench.invocations.launcher import LaunchRequest, launch
from sonde.instruments.bench.measurements import Invocation

_PADDING_VARIABLE = "SONDE_PADDING"
_HASH_SEED_VARIABLE = "PYTHONHASHSEED"


def run_command(
    command: Command,
    *,
    timeout_s: float | None = None,
    grace_s: float = 1.0,
    pin: int | None = None,
    aslr: bool = True,
    counters: bool = True,
    hash_seed: int | None = None,
    padding_bytes: int = 0,
    ignore_failure: bool = False,
) -> Invocation:
    """One invocation, whose only value is the seconds from just before `exec` to the command's end.

    What outlives the command (a daemon, a background job) is killed once the clock has stopped, as it would disturb
    the next invocation; `process["left-behind"]` counts it. Standard error is read as it comes, however much it is.

    Args:
        timeout_s: after which the command and all that it started are ended; what took longer and ended before that
            could be done is a time-out too.
        grace_s: between asking it to end, with SIGTERM, and SIGKILL.
        pin: processor to run on.
        aslr: whether memory may be laid out at random, as usual.
        counters: whether to open the kernel's and the processor's counters, where there are any.
        hash_seed: for Python programs; None leaves `PYTHONHASHSEED` alone, which means another one each time.
        padding_bytes: by how much to enlarge the environment, which moves the stack (`environment.draw_padding`).
        ignore_failure: take an exit code other than 0 for a success.
    Returns:
        With the outcome `failed` or `timeout`, what is known of it in `detail`, and no value, if it did not end well.
        `detail` also tells what was ignored, or had to be ended.
        `process` has `user`, `system` (s), `peak-memory` (B; of the largest process among the command and those it
        waited for), `minor-faults`, `major-faults`, `voluntary-switches`, `involuntary-switches`, and counters.
    Raises:
        UsageError, SondeError: as `Command.check` does, for what it finds before the command is started.
        MissingCapability: `no-launcher`, `cannot-pin`, `cannot-set-layout`.
        KeyboardInterrupt: after the command and all that it started were ended.
    Cost: about a millisecond over fork, exec and wait in C (`benches/bench_invocation.py`).
    """
    request = launch_request(command, hash_seed=hash_seed, padding_bytes=padding_bytes)
    request = replace(request, timeout_s=timeout_s, grace_s=grace_s, pin=pin, aslr=aslr, counters=counters)
    started = time.time()
    record = launch(request)
    if record is not None:
        check_set_up(record, pin=pin)
    failed = failure(record, timeout_s=timeout_s)
    ignored = (
        ignore_failure
        and failed is not None
        and failed[0] == "failed"
        and record is not None
        and not record.failed_step
        and record.exit_code is not None
    )
    if record is None or (failed and not ignored):
        outcome, detail = failed or ("failed", "")
        process = process_metrics(record) if record else {}
        return Invocation(np.empty(0), outcome, detail, started=started, process=process)
    notes = [f"{failed[1]} (ignored)"] if failed else []
    if record.left_behind:
        notes.append(f"{record.left_behind} processes that outlived it were ended")
    return Invocation(
        np.array([record.wall_s]), detail="; ".join(notes), started=started, process=process_metrics(record)
    )


def launch_request(command: Command, *, hash_seed: int | None, padding_bytes: int) -> LaunchRequest:
    """What the launcher is asked to do for this command.

    Raises:
        UsageError, SondeError: the program is not found, or is none.
    """
    environment = command.full_environment()
    if hash_seed is not None:
        environment[_HASH_SEED_VARIABLE] = str(hash_seed)
    if padding_bytes:
        environment[_PADDING_VARIABLE] = "x" * padding_bytes
    program, word = command.program(), command.argv[0]
    return LaunchRequest(
        command.argv,
        word if "/" in word else str(program),  # as a shell does it: scripts see it as $0
        environment,
        folder=command.folder,
        stdin=command.stdin,
        stdout=command.output if isinstance(command.output, Path) else None,
        drain_output=command.output == "drain",
        show_output=command.output == "show",
    )


def process_metrics(record: LaunchRecord) -> dict[str, float]:
    """What is known of the process as a whole, by the names of metrics."""
    metrics: dict[str, float] = {
        "user": record.user_s,
        "system": record.system_s,
        "peak-memory": float(record.peak_bytes),
        "minor-faults": float(record.minor_faults),
        "major-faults": float(record.major_faults),
        "voluntary-switches": float(record.voluntary_switches),
        "involuntary-switches": float(record.involuntary_switches),
    }
    metrics.update((counter.name, counter.value) for counter in record.counters)
    if record.left_behind:
        metrics["left-behind"] = float(record.left_behind)
    return metrics
