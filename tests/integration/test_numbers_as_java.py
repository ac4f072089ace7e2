"""Numbers in the text of profdiff, compared with what a Java machine writes."""

import random
import re
import struct
import subprocess
from pathlib import Path

import pytest

from java_programs import compile_java, jdks
from sonde.instruments.decisions.profdiff.java_text import two_places, value_text


def doubles() -> list[float]:
    """Shares and cycles as they occur, halves of the last digit, and numbers of any size; none so small that Java adds
    a digit that is not needed."""
    numbers = random.Random(7)
    shares = [numbers.randrange(10**12) / numbers.randrange(1, 10**12) * 100 for _ in range(4000)]
    small = [numbers.randrange(0, whole + 1) / whole * 100 for whole in range(1, 2000)]
    halves = [number / 1000 for number in range(5, 20_000, 10)]
    other = [numbers.random() * 10.0 ** numbers.randrange(-12, 22) for _ in range(4000)]
    return [*shares, *small, *halves, *other, 0.0, -0.0, 1e7, 1e-3, 9.99e-4, float("nan"), float("inf")]


def test_they_are_rounded_and_written_as_java_does(tmp_path: Path) -> None:
    new = [home for home in jdks() if int(re.search(r'JAVA_VERSION="(\d+)', (home / "release").read_text())[1]) >= 21]  # type: ignore[index]
    if not new:
        pytest.skip("no JDK 21 or newer is installed")
    compile_java(new[0], "TwoPlaces", tmp_path)
    values = doubles()
    bits = "".join(struct.pack(">d", value).hex() + "\n" for value in values)

    words = [str(new[0] / "bin" / "java"), "-cp", str(tmp_path), "TwoPlaces"]
    printed = subprocess.run(words, input=bits, capture_output=True, text=True, check=True).stdout.splitlines()

    ours = [f"{two_places(value)}|{two_places(value, 5)}|{value_text(value)}" for value in values]
    assert [pair for pair in zip(values, ours, printed, strict=True) if pair[1] != pair[2]] == []
