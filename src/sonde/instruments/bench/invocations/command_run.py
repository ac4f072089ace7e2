"""Run a command once, and measure it from outside."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from sonde.base.nameless_file import nameless_file
from sonde.instruments.bench.invocations.command import Command
from sonde.instruments.bench.invocations.failures import check_set_up, failure, last_line
from sonde.instruments.bench.invocations.launch_record import LaunchRecord
from sonde.instruments.bench.invocations.launcher import LaunchRequest, enough_descriptors, launch
from sonde.instruments.bench.measurements import Invocation
from sonde.instruments.bench.printed_metric import PrintedMetric

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
    metric: PrintedMetric | None = None,
) -> Invocation:
    """One invocation, whose only value is the seconds from just before `exec` to the command's end.

    Of a metric that the command prints, the values are those that it printed, and that time is `process["wall"]`;
    an invocation that printed none has failed. What it prints is kept in memory until it ends, or in its file.

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
        metric: what to look for in its standard output; None to take the time.
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
    with _kept_output(command, metric) as output:
        record = launch(request if output is None else replace(request, stdout=output, drain_output=False))
        printed = b"" if output is None else output.read_bytes()
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
    process = process_metrics(record)
    values = [record.wall_s]
    if metric is not None:
        process["wall"] = record.wall_s
        try:
            values = _values_in(printed, metric)
        except ValueError as error:
            return Invocation(np.empty(0), "failed", str(error), started=started, process=process)
    return Invocation(np.array(values), detail="; ".join(notes), started=started, process=process)


@contextmanager
def _kept_output(command: Command, metric: PrintedMetric | None) -> Iterator[Path | None]:
    """Where standard output can be read from afterwards; None where nobody looks at it."""
    if metric is None or isinstance(command.output, Path):
        yield command.output if metric is not None and isinstance(command.output, Path) else None
        return
    with enough_descriptors(command.argv[0]):
        descriptor = nameless_file("sonde-output")
    try:
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def _values_in(printed: bytes, metric: PrintedMetric) -> list[float]:
    """The values of a metric.

    Raises:
        ValueError: there is none; with the last line that was printed.
    """
    values = metric.values_in(printed.decode(errors="replace"))
    if not values:
        said = last_line(printed)
        told = f"the last line of its output is '{said}'" if said else "it printed nothing"
        raise ValueError(f"no '{metric.name}' was printed: {told}")
    return values


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
