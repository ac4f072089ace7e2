"""What other tools say about machine code: binutils and LLVM's symbolizer as oracles."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

Frame = tuple[str, str, int]
"""Function, file and line; file and line are empty and 0 where there is none."""

needs_binutils = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("gcc", "nm", "objdump", "addr2line")),
    reason="needs gcc and binutils (gcc, nm, objdump, addr2line)",
)


def shared_library(image: Path) -> Path:
    """An object file linked, so that all of its code has addresses."""
    linked = image.with_suffix(".so")
    _output("gcc", "-shared", "-Wl,-Bsymbolic", "-o", linked, image)
    return linked


def code_addresses(linked: Path) -> dict[str, int]:
    """Address of each symbol in code, as `nm` lists them."""
    rows = (line.split() for line in _output("nm", linked).splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tTwWuV"}


def function_sizes(image: Path) -> dict[str, int]:
    """Size of each function in an object, as `nm` lists them."""
    rows = (line.split() for line in _output("nm", "-S", image).splitlines())
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4 and row[2] in "tTwWuV"}


def instruction_addresses(linked: Path) -> list[int]:
    """Where instructions begin, as `objdump` disassembles them."""
    text = _output("objdump", "-d", "--no-show-raw-insn", "-j", ".text", linked)
    return [int(found, 16) for found in re.findall(r"^ +([0-9a-f]+):\t", text, re.MULTILINE)]


def inline_stacks(tool: str, linked: Path, addresses: list[int]) -> dict[int, list[Frame]]:
    """The inline stack at each address, innermost first, as `addr2line` or `llvm-symbolizer` prints them."""
    options = ["--output-style=GNU", "--no-demangle"] if tool == "llvm-symbolizer" else []
    asked = "".join(f"{address:#x}\n" for address in addresses)
    words = [tool, *options, "-a", "-i", "-f", "-e", str(linked)]
    lines = iter(subprocess.run(words, input=asked, check=True, capture_output=True, text=True).stdout.splitlines())
    stacks: dict[int, list[Frame]] = {}
    stack: list[Frame] = []
    for line in lines:
        if re.fullmatch("0x[0-9a-f]+", line):
            stack = stacks[int(line, 16)] = []
            continue
        file, number = re.sub(r" \(discriminator \d+\)$", "", next(lines)).rsplit(":", 1)
        stack.append((line, "", 0) if number in ("0", "?") else (line, file, int(number)))
    return stacks


def _output(*words: str | Path) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
