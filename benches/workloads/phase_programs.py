"""A dozen programs with phases: each does some of what ordinary programs do, for a second or so.

python phase_programs.py NAME [ROUNDS]
"""

import ast
import csv
import decimal
import difflib
import html.parser
import io
import json
import pickle
import random
import re
import sqlite3
import sys
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path


def rows(count: int) -> list[dict[str, object]]:
    """Records of numbers and words."""
    draw = random.Random(count)
    return [{"id": n, "name": f"name {draw.randrange(9999)}", "value": draw.random()} for n in range(count)]


def sort_file(rounds: int) -> int:
    """Read, sort, print: the example of the document."""

    def read() -> list[str]:
        return [str(row["name"]) for row in rows(6000)]

    def sort(names: list[str]) -> list[str]:
        return sorted(names, key=lambda name: name[::-1])

    def write(names: list[str]) -> int:
        return sum(len(f"{name}\n") for name in names)

    return sum(write(sort(read())) for _ in range(rounds))


def json_records(rounds: int) -> int:
    """Write and read JSON."""

    def encode(records: list[dict[str, object]]) -> list[str]:
        return [json.dumps(each) for each in records]

    def decode(lines: list[str]) -> int:
        return sum(len(json.loads(line)) for line in lines)

    return sum(decode(encode(rows(2500))) for _ in range(rounds))


def unparse(rounds: int) -> int:
    """Parse and unparse a module of the standard library."""
    source = Path(textwrap.__file__).read_text(encoding="utf-8")
    return sum(len(ast.unparse(ast.parse(source))) for _ in range(rounds))


def compare_texts(rounds: int) -> int:
    """Differences of two texts."""
    draw = random.Random(3)
    lines = [f"line {draw.randrange(40)}" for _ in range(150)]
    other = [line if draw.random() < 0.8 else "changed" for line in lines]
    return sum(len(list(difflib.ndiff(lines, other))) for _ in range(rounds))


def words_of_text(rounds: int) -> int:
    """Regular expressions."""
    text = "The year 1984, the price 12.50 and 7 others. " * 400

    def numbers() -> int:
        return len(re.findall(r"\b\d+(?:\.\d+)?\b", text))

    def sentences() -> int:
        return len(re.split(r"(?<=[.!?])\s+", text))

    def shout() -> int:
        return len(re.sub(r"\b([a-z])(\w*)", lambda found: found[1].upper() + found[2], text))

    return sum(numbers() + sentences() + shout() for _ in range(rounds))


def bodies(rounds: int) -> int:
    """Arithmetic: bodies that attract one another."""
    state = [[float(n), float(n * n % 7), 0.1 * n, 0.0] for n in range(1, 8)]

    def advance(step: float) -> None:
        for one in state:
            for other in state:
                if one is not other:
                    dx, dy = one[0] - other[0], one[1] - other[1]
                    force = step / (dx * dx + dy * dy + 0.01)
                    one[2] -= dx * force
                    one[3] -= dy * force
        for one in state:
            one[0] += step * one[2]
            one[1] += step * one[3]

    def run() -> None:
        for _ in range(40):
            advance(0.001)

    for _ in range(rounds):
        run()
    return round(1e6 * sum(one[0] for one in state))


def pages(rounds: int) -> int:
    """A parser with methods that are called back."""
    page = "<html>" + "<p class='a'>text <b>bold</b> &amp; more</p>" * 300 + "</html>"

    class Tags(html.parser.HTMLParser):
        count = 0

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.count += len(tag) + len(attrs)

    def parse() -> int:
        tags = Tags()
        tags.feed(page)
        return tags.count

    return sum(parse() for _ in range(rounds))


def tables(rounds: int) -> int:
    """A database in memory."""

    def fill(database: sqlite3.Connection) -> None:
        database.execute("CREATE TABLE t (id INTEGER, name TEXT, value REAL)")
        database.executemany("INSERT INTO t VALUES (:id, :name, :value)", rows(3000))

    def ask(database: sqlite3.Connection) -> int:
        return len(database.execute("SELECT name, sum(value) FROM t GROUP BY name ORDER BY 2").fetchall())

    def once() -> int:
        with sqlite3.connect(":memory:") as database:
            fill(database)
            return ask(database)

    return sum(once() for _ in range(rounds))


def archives(rounds: int) -> int:
    """Pickle and compress."""

    def pack(level: int) -> bytes:
        return zlib.compress(pickle.dumps(rows(2000)), level)

    def unpack(packed: bytes) -> int:
        return len(pickle.loads(zlib.decompress(packed)))

    return sum(unpack(pack(1 + n % 6)) for n in range(rounds))


def spreadsheets(rounds: int) -> int:
    """CSV with decimals."""

    def write() -> str:
        text = io.StringIO()
        csv.writer(text).writerows((row["id"], row["name"], f"{row['value']:.6f}") for row in rows(2000))
        return text.getvalue()

    def add_up(text: str) -> decimal.Decimal:
        return sum((decimal.Decimal(row[2]) for row in csv.reader(io.StringIO(text))), decimal.Decimal(0))

    return sum(int(add_up(write())) for _ in range(rounds))


def memory(rounds: int) -> int:
    """Large blocks, many objects, and what collects them."""

    def blocks() -> int:
        return sum(len(bytearray(400_000)) for _ in range(40))

    def graph() -> int:
        nodes: list[list[object]] = [[] for _ in range(6000)]
        for n, node in enumerate(nodes):
            node.append(nodes[n - 1])
        return len(nodes)

    return sum(blocks() + graph() for _ in range(rounds))


def tiny_calls(rounds: int) -> int:
    """What costs a profiler most: functions of a line."""

    def fib(n: int) -> int:
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def one_round() -> int:
        return fib(15)

    return sum(one_round() for _ in range(rounds))


PROGRAMS: dict[str, tuple[Callable[[int], int], int]] = {
    "sort_file": (sort_file, 250),
    "json_records": (json_records, 110),
    "unparse": (unparse, 180),
    "compare_texts": (compare_texts, 1200),
    "words_of_text": (words_of_text, 700),
    "bodies": (bodies, 3300),
    "pages": (pages, 320),
    "tables": (tables, 150),
    "archives": (archives, 320),
    "spreadsheets": (spreadsheets, 280),
    "memory": (memory, 500),
    "tiny_calls": (tiny_calls, 9000),
}
"""Name -> (program, rounds)."""


def main() -> None:
    """Run one of them."""
    program, rounds = PROGRAMS[sys.argv[1]]
    print(program(int(sys.argv[2]) if len(sys.argv) > 2 else rounds))


if __name__ == "__main__":
    main()
