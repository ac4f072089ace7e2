"""The code map of real objects: every instruction against other tools, and JIT-compiled code in this process."""

import ctypes
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from machine_code import (
    Frame,
    code_addresses,
    function_sizes,
    inline_stacks,
    instruction_addresses,
    needs_binutils,
    shared_library,
)
from sonde.events import CodeMap
from sonde.jit.front_end import compile_file
from sonde.jit.object_code import ObjectCode
from sonde.llvm import LinkingJit
from sweeps import sampled

PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
C, CXX = PROGRAMS / "inlined_calls.c", PROGRAMS / "inlined_calls.cpp"


def llvm_object(source: Path, level: int, options: list[str]) -> bytes:
    module = compile_file(source, options, debug=True)
    module.optimize(level)
    return module.object(level)


def gcc_object(source: Path, level: int, options: list[str], folder: Path) -> bytes:
    image = folder / "gcc.o"
    words = ["gcc", "-c", "-fPIC", f"-O{level}", "-g", *options, "-o", str(image), str(source)]
    subprocess.run(words, check=True, capture_output=True)
    return image.read_bytes()


def the_object(compiler: str, source: Path, level: int, options: list[str], folder: Path) -> bytes:
    if compiler == "gcc":
        return gcc_object(source, level, options, folder)
    return llvm_object(source, level, options)


def differences(
    code: CodeMap, stacks: Mapping[int, list[Frame]], *, outermost_name: bool, c_names: bool
) -> list[tuple[str, list[Frame], list[Frame]]]:
    """The addresses at which the map and another tool differ, with what each says."""
    found = []
    for address, expected in stacks.items():
        location = code.lookup(address)
        assert location is not None
        frames = [(each.function, each.file if each.line else "", each.line) for each in location.frames]
        if not outermost_name:
            frames[-1], expected = ("", *frames[-1][1:]), [*expected[:-1], ("", *expected[-1][1:])]
        if not c_names:
            frames, expected = without_c_names(frames, expected)
        if [comparable(each) for each in frames] != [comparable(each) for each in expected]:
            found.append((hex(address), frames, expected))
    return found


def without_c_names(frames: list[Frame], expected: list[Frame]) -> tuple[list[Frame], list[Frame]]:
    # Of functions in C++ that have no mangled name addr2line shows the name of what they were inlined into.
    named = [each[0].startswith("_Z") for each in frames]
    if len(frames) != len(expected):
        return frames, expected
    pairs = [
        (one, other) if has_name else (("", *one[1:]), ("", *other[1:]))
        for one, other, has_name in zip(frames, expected, named, strict=True)
    ]
    return [one for one, _ in pairs], [other for _, other in pairs]


def comparable(frame: Frame) -> Frame:
    """Constructors and destructors have several names for one code; either will do."""
    function, file, line = frame
    return re.sub(r"([CD])[0-5](?=[BEI])", r"\1", function), file.replace("/./", "/"), line


@needs_binutils
@pytest.mark.parametrize(
    ("compiler", "source", "level", "options"),
    sampled(
        *(["llvm", "gcc"], [C, CXX], [0, 2], [["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-5", "-ffunction-sections"]]),
        one_in=2,
    ),
)
def test_every_instruction_has_the_stack_that_other_tools_find(
    tmp_path: Path, compiler: str, source: Path, level: int, options: list[str]
) -> None:
    image = tmp_path / "it.o"
    image.write_bytes(the_object(compiler, source, level, options, tmp_path))
    linked = shared_library(image)
    placed = ObjectCode(image.read_bytes(), "it.o").place(code_addresses(linked))
    code = CodeMap()
    code.add(*placed.ranges)
    addresses = [each for each in instruction_addresses(linked) if code.range_at(each)]

    assert placed.unmapped == ()
    assert len(addresses) > 100
    if "-gdwarf-4" in options:  # binutils 2.40 reads neither indexed lists of ranges nor all file numbers of DWARF 5
        stacks = inline_stacks("addr2line", linked, addresses)
        assert differences(code, stacks, outermost_name=True, c_names=source == C) == []
    if shutil.which("llvm-symbolizer"):  # its outermost name is that of any symbol there
        stacks = inline_stacks("llvm-symbolizer", linked, addresses)
        assert differences(code, stacks, outermost_name=False, c_names=True) == []
    elif "-gdwarf-4" not in options:
        pytest.skip("needs llvm-symbolizer, the oracle for DWARF 5")


@needs_binutils
@pytest.mark.parametrize("source", [C, CXX], ids=["C", "C++"])
def test_what_is_linked_says_the_same_as_the_object(tmp_path: Path, source: Path) -> None:
    image = tmp_path / "it.o"
    image.write_bytes(llvm_object(source, 2, []))
    made, linked = ObjectCode(image.read_bytes()), ObjectCode(shared_library(image).read_bytes(), linked=True)

    tables = {each.name: linked.lines_of(each).rows for each in linked.functions}

    assert len(made.functions) > 4
    assert all(tables[each.name] == made.lines_of(each).rows for each in made.functions)


@needs_binutils
@pytest.mark.parametrize("source", [C, CXX], ids=["C", "C++"])
@pytest.mark.parametrize("compiler", ["llvm", "gcc"])
def test_functions_are_those_of_nm_with_their_sizes(tmp_path: Path, compiler: str, source: Path) -> None:
    image = tmp_path / "it.o"
    image.write_bytes(the_object(compiler, source, 2, [], tmp_path))

    functions = {each.name: each.size for each in ObjectCode(image.read_bytes()).functions}

    listed = function_sizes(image)
    assert {name: listed[name] for name in functions} == functions
    assert len(functions) > 4


@needs_binutils
def test_compressed_debug_information_says_the_same(tmp_path: Path) -> None:
    found = []
    for option in ("-gz=none", "-gz=zlib"):
        code = ObjectCode(gcc_object(C, 2, [option], tmp_path))
        found.append([(each.name, code.lines_of(each).rows) for each in code.functions])

    assert found[0] == found[1]
    assert any(len(rows) > 5 for _, rows in found[0])


def test_code_in_this_process_is_where_the_map_says() -> None:
    image = compile_file(C, debug=True, level=2).object(2)
    jit = LinkingJit()
    library = jit.link("it", [image], ["visible"], {"absent": 0})
    placed = ObjectCode(image).place(library.addresses, "O2")
    code = CodeMap()
    code.add(*placed.ranges)

    place = ctypes.c_void_p()
    returned = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(library.addresses["visible"])(ctypes.byref(place))

    assert returned is not None
    found = code.lookup(returned - 1)  # within the call that it came back to
    assert found is not None
    assert (found.function, found.version) == ("hidden", "O2")
    line = {name: number for number, text in enumerate(C.read_text().splitlines(), 1) for name in marks(text)}
    assert [(each.function, each.line) for each in found.frames] == [("here", line["call"]), ("hidden", line["here"])]
    assert {each.file for each in found.frames} == {str(C)}
    jit.close()


def marks(text: str) -> list[str]:
    """What a line of a program says that it is: `/* mark: call */`."""
    return re.findall(r"/\* mark: (\w+) \*/", text)
