"""What a profiler inside the virtual machine would not see of a Python program, and how wrong its miss rates would be.

    python findings.py [--size 1.0] [WORKLOAD ...]        some five minutes for all of them

Runs small programs around the standard library under `sonde memory` with the caches of the document, and with the tool
`heap_alone.py`, which simulates once all accesses and once those to objects alone. Printed are, for each program, the
share of the accesses that go to objects; by what factor the second simulation overestimates the miss rates of the
first; and the same from the profile, where allocated memory is a part of one simulation in which all share the caches.

Source: document 001, section 2.3.1: 42 % of the accesses are heap accesses, and looking at them alone overestimates
miss rates 1.8 to 2.9 times (SPECjvm98, DaCapo and PseudoJBB on the Jikes RVM).
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

from sonde.instruments.memory.profile import heap_share, read_memory_profile

TOOL = Path(__file__).with_name("heap_alone.py")
CACHES = ("--l1", "32K,4,32", "--l2", "1M,8,128", "--levels", "2")
WORKLOADS = {
    "json": """
import json
rows = [{"id": i, "name": f"row {i}", "parts": [i, i / 3, None]} for i in range(int(6000 * SIZE))]
print(json.loads(json.dumps(rows)) == rows)
""",
    "ast": """
import argparse, ast
source = open(argparse.__file__).read()
tree = ast.parse(source[:source.index("class ", int(30000 * SIZE))])
print(len(ast.unparse(tree)))
""",
    "tokenize": """
import argparse, itertools, tokenize
with open(argparse.__file__, "rb") as file:
    print(sum(1 for _ in itertools.islice(tokenize.tokenize(file.readline), int(6000 * SIZE))))
""",
    "re": """
import re
text = " ".join(f"user{i}@host{i % 97}.example.org 10.0.{i % 256}.{i * 7 % 256} {i:x}" for i in range(int(4000 * SIZE)))
print(len(re.findall(r"\\b[\\w.]+@[\\w.]+\\b", text)), len(re.sub(r"(\\d+)\\.(\\d+)", r"\\2.\\1", text)))
""",
    "sqlite3": """
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("create table t (a integer primary key, b integer, c text)")
rows = ((i, i * 7919 % 10007, f"text {i}") for i in range(int(6000 * SIZE)))
base.executemany("insert into t values (?, ?, ?)", rows)
base.execute("create index i on t (b)")
print(base.execute("select sum(n) from (select b % 100, count(*) as n from t group by b % 100)").fetchone())
print(base.execute("select count(*) from t as x join t as y on x.b = y.a").fetchone())
""",
    "linked list": """
class Link:
    def __init__(self, weight, following):
        self.weight, self.following = weight, following
first = None
for weight in range(int(30000 * SIZE)):
    first = Link(weight, first)
for turn in range(4):
    total, link = 0, first
    while link is not None:
        total, link = total + link.weight, link.following
print(total)
""",
    "sorted records": """
import heapq, random
draw = random.Random(1)
records = [(draw.random(), draw.randrange(1000), str(i)) for i in range(int(12500 * SIZE))]
records.sort()
records.sort(key=lambda record: record[1])
print(len(heapq.nsmallest(100, records, key=lambda record: record[2])))
""",
    "words": """
import collections
words = [f"w{i * i % 4001}" for i in range(int(30000 * SIZE))]
text = " ".join(words)
counts = collections.Counter(text.upper().split())
print(len(counts), counts.most_common(1), len(set(words)), len(text.replace("w1", "W")))
""",
    "numeric loop": """
n = max(4, int(55 * SIZE ** (1 / 3)))
a = [[(i * j) % 7 + 0.5 for j in range(n)] for i in range(n)]
b = [[sum(a[i][k] * a[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
print(b[n // 2][n // 3])
""",
    "zlib": """
import zlib
text = b"".join(b"line %d of a text that is compressed, %x\\n" % (i, i * i) for i in range(int(8000 * SIZE)))
print(zlib.decompress(zlib.compress(text)) == text)
""",
}


class Finding(NamedTuple):
    """Of one program."""

    accesses: int
    objects: int
    """Accesses to objects."""
    alone: tuple[float, ...]
    """Per level: the miss rate of object accesses simulated alone, divided by that of all accesses."""
    allocated: float
    """Share of the accesses that go to allocated memory, says the profile."""
    shared: tuple[float, ...]
    """Per level: its miss rate divided by that of all accesses, in the profile's simulation."""


def look_at(code: str, size: float) -> Finding:
    """Run `code` once."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "run.sonde"
        command = [sys.executable, "-m", "sonde", "memory", "--quiet", "-o", str(output), *CACHES, "--tool", str(TOOL)]
        program = f"SIZE = {size}\n\ndef main():{textwrap.indent(code, '    ')}\nmain()\n"
        done = subprocess.run([*command, "-c", program], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        heap = heap_share(read_memory_profile(output))
    every, objects = (counts_of(done.stderr, name) for name in ("all", "objects alone"))
    alone = tuple((x / objects[0]) / (y / every[0]) for x, y in zip(objects[1:], every[1:], strict=True))
    return Finding(every[0], objects[0], alone, heap.share, heap.overestimates)


def counts_of(report: str, name: str) -> tuple[int, ...]:
    """Accesses and misses in the line of the tool's report that ends with `name`."""
    line = next(line for line in report.splitlines() if line.endswith(f"  {name}"))
    return tuple(int(number.replace(",", "")) for number in re.findall(r"[\d,]+(?= )", line))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1.0, help="how much each program does (default: %(default)s)")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)} (default: all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.workloads) - set(WORKLOADS):
        parser.error(f"there is no workload '{min(unknown)}'")
    print("| | accesses | to objects | L1 | L2 | allocated memory | L1 | L2 |")
    print("|---|---|---|---|---|---|---|---|")
    findings = []
    for name in arguments.workloads or WORKLOADS:
        found = look_at(WORKLOADS[name], arguments.size)
        findings.append(found)
        alone, shared = (" | ".join(f"{times:.1f}" for times in each) for each in (found.alone, found.shared))
        share = found.objects / found.accesses
        print(
            f"| {name} | {found.accesses / 1e6:.0f} M | {share:.0%} | {alone} | {found.allocated:.0%} | {shared} |",
            flush=True,
        )
    share = statistics.mean(found.objects / found.accesses for found in findings)
    print(f"mean share of object accesses: {share:.0%}")
    for number, level in enumerate(("L1", "L2")):
        times = [found.alone[number] for found in findings]
        middle = statistics.median(times)
        print(f"{level} overestimated {min(times):.1f} to {max(times):.1f} times, median {middle:.1f}")


if __name__ == "__main__":
    main()
