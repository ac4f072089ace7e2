"""What an address trace costs: bytes and nanoseconds for each access, against general compressors of raw records.

    python benches/bench_address_trace.py [--rounds 7] [-- COMMAND ...]

Lackey, a tool of Valgrind's, shows what COMMAND does (by default a short run of this Python). Its instructions are cut
into pieces where they do not follow one another, as a tool's segments are. To reach: 1.5 bytes and 8 ns for each access
written, 50 million accesses read in a second.
"""

import argparse
import itertools
import shutil
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import sonde._native
from ratios import median_interval
from sonde.trace import AddressTrace

_PROGRAM = "print(sum(x * x for x in range(2000)), sorted({str(i): [i] for i in range(500)})[3])"
_MOST_ACCESSES = 2_000_000
_KINDS = {"L": 0, "S": 1, "M": 2}
_COMPRESSORS = (["gzip", "-6"], ["zstd", "-3"], ["xz", "-6"])
Slots = tuple[tuple[int, int, int], ...]


def seen_by_lackey(command: list[str]) -> Iterator[tuple[str, int, int]]:
    """Kind, address and size of each line: I, L, S or M."""
    options = ["--tool=lackey", "--trace-mem=yes", "--basic-counts=no", "--log-fd=1"]
    with subprocess.Popen(["valgrind", *options, *command], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            kind, _, place = line.strip().partition(" ")
            if kind in ("I", "L", "S", "M") and "," in place:
                address, _, size = place.strip().partition(",")
                yield kind, int(address, 16), int(size)
        run.kill()


def segments_of(lines: Iterator[tuple[str, int, int]]) -> Iterator[tuple[Slots, list[int]]]:
    """Runs: what has accesses between two jumps."""
    slots: list[tuple[int, int, int]] = []
    addresses: list[int] = []
    ip = behind = 0
    for kind, address, size in lines:
        if kind != "I":
            slots.append((ip, size, _KINDS[kind]))
            addresses.append(address)
            continue
        if (address != behind or len(slots) > 60) and slots:
            yield tuple(slots), addresses
            slots, addresses = [], []
        ip, behind = address, address + size
    if slots:
        yield tuple(slots), addresses


class Recorded:
    """A part of a program's accesses, ready to be written over and over."""

    def __init__(self, runs: Iterator[tuple[Slots, list[int]]]) -> None:
        self.segments: dict[Slots, int] = {}
        self.order, self.addresses = array("I"), array("Q")
        for slots, addresses in runs:
            self.order.append(self.segments.setdefault(slots, len(self.segments)))
            self.addresses.extend(addresses)
            if len(self.addresses) >= _MOST_ACCESSES:
                break

    def write(self, path: Path) -> float:
        """Nanoseconds for each access; definitions are not timed."""
        writer = sonde._native.AddressTraceWriter(bytes(path))
        for slots in self.segments:
            ip, size, kind = zip(*slots, strict=True)
            writer.segment(array("Q", ip), array("H", size), array("B", kind))
        began = time.process_time_ns()
        writer.feed(self.order, self.addresses)
        writer.finish()
        return (time.process_time_ns() - began) / len(self.addresses)


def read(path: Path) -> float:
    """Millions of accesses in a second, into columns."""
    native = sonde._native.AddressTraceReader(bytes(path))
    began = time.process_time_ns()
    while native.read(1 << 16)[0] == 0:
        pass
    return native.accesses * 1e3 / (time.process_time_ns() - began)


def compressed_bytes(path: Path, command: list[str]) -> tuple[int, float]:
    """Size and seconds."""
    began = time.perf_counter()
    size = 0
    with subprocess.Popen([*command, "-c", str(path)], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        while part := run.stdout.read(1 << 20):
            size += len(part)
    return size, time.perf_counter() - began


def show(name: str, values: list[float], unit: str) -> None:
    low, high = median_interval(values)
    print(f"{name}: {median(values):.2f} [{low:.2f}, {high:.2f}] {unit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("command", nargs="*", default=[sys.executable, "-S", "-E", "-c", _PROGRAM])
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        parser.exit(3, "valgrind is not there\n")
    recorded = Recorded(segments_of(seen_by_lackey(arguments.command)))
    count = len(recorded.addresses)
    print(f"{count:,} accesses, {len(recorded.order):,} runs of {len(recorded.segments):,} segments")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.addr" for number in range(arguments.rounds)]
        rounds = [(recorded.write(path), read(path)) for path in paths]
        written, reading = map(list, zip(*rounds, strict=True))
        size = paths[0].stat().st_size
        print(f"size: {size / count:.3f} bytes for each access, 1/{16 * count / size:.0f} of raw ones of 16 bytes")
        show("written", written, "ns for each access")
        show("read", reading, "million accesses in a second")
        raw = Path(folder) / "raw"
        trace = AddressTrace(paths[0])
        with raw.open("wb") as file:
            for batch in trace:
                pairs = array("Q", itertools.chain.from_iterable(zip(batch.ip, batch.address, strict=True)))
                file.write(pairs.tobytes())
        for command in _COMPRESSORS:
            if shutil.which(command[0]):
                compressed, seconds = compressed_bytes(raw, command)
                name = " ".join(command)
                print(f"{name} of raw ones: {compressed / count:.3f} bytes, {1e9 * seconds / count:.0f} ns each")


if __name__ == "__main__":
    main()
