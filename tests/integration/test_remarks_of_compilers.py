"""Remarks of real compilers: both formats of one compilation, and what other readers say of the same text."""

import ast
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path

import pytest

import sonde._native
from remark_documents import Place, Plain, by_pyyaml, plain_remarks
from sonde.instruments.decisions.remarks import read_remarks
from sonde.native.reference_remarks import ReferenceRemarkParser

PROGRAM = Path(__file__).parents[1] / "programs_in_c" / "language.c"
RUST = """fn main() { let v: Vec<u32> = std::env::args().map(|a| a.len() as u32).collect();
let mut s = 0; for i in &v { s += i * i; } println!("{}", s); }"""


def zig(folder: Path, *options: str) -> Path:
    pytest.importorskip("ziglang", reason="zig is not installed")
    made = folder / "remarks"
    command = [sys.executable, "-m", "ziglang", "cc", "-c", "-O2", "-g", "-w", str(PROGRAM), "-o", str(folder / "o")]
    command += [f"-foptimization-record-file={made}", *options]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return made


def rustc(folder: Path) -> list[Path]:
    if not (found := shutil.which("rustc")):
        pytest.skip("rustc is not installed")
    (folder / "r.rs").write_text(RUST, encoding="utf-8")
    command = [found, "-O", "-C", "debuginfo=1", "-Cremark=all", "-Zremark-dir=remarks", "r.rs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, env=os.environ | {"RUSTC_BOOTSTRAP": "1"})
    if done.returncode:
        pytest.skip("this rustc writes no remarks")
    return sorted((folder / "remarks").glob("*.yaml"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return [zig(tmp_path_factory.mktemp("zig"), "-fsave-optimization-record").read_bytes()]


def test_both_formats_of_a_compilation_say_the_same(tmp_path: Path) -> None:
    folders = [tmp_path / "text", tmp_path / "bits"]
    for folder in folders:
        folder.mkdir()
    text = read_remarks([zig(folders[0], "-fsave-optimization-record")])
    bits = read_remarks([zig(folders[1], "-fsave-optimization-record=bitstream")])

    assert (text.files[0].format, bits.files[0].format) == ("yaml", "bitstream")
    assert len(text) > 100
    assert list(text) == list(bits)
    assert text.skipped_count == bits.skipped_count == 0


def test_pyyaml_says_the_same_of_what_clang_wrote(texts: list[bytes]) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for text in texts:
        parser, twin = sonde._native.RemarkParser(), ReferenceRemarkParser()
        assert parser.read_yaml(text, None) is twin.read_yaml(text, None) is False
        assert (parser.skipped, parser.unknown_keys()) == (0, [])
        assert plain_remarks(parser) == by_pyyaml(yaml, text)
        assert parser.columns() == twin.columns()


def test_pyyaml_says_the_same_of_what_rustc_wrote(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    count = 0
    for path in rustc(tmp_path):
        parser = sonde._native.RemarkParser()
        parser.read_yaml(path.read_bytes(), None)
        assert plain_remarks(parser) == by_pyyaml(yaml, path.read_bytes())
        count += parser.count
    assert count > 100


def test_llvm_says_the_same_of_what_clang_wrote(texts: list[bytes]) -> None:
    for text in texts:
        parser = sonde._native.RemarkParser()
        parser.read_yaml(text, None)
        assert plain_remarks(parser) == list(by_llvm(text))


def by_llvm(text: bytes) -> Iterator[Plain]:
    """What LLVM's own parser says, through its C interface."""
    paths = [find_library("Remarks"), *map(str, Path("/usr/lib").glob("llvm-*/lib/libRemarks.so*"))]
    name = next((path for path in paths if path), None)
    if name is None:
        pytest.skip("LLVM's libRemarks is not installed")
    library = ctypes.CDLL(name)

    def call(function: str, *arguments: object, result: type = ctypes.c_void_p) -> int:
        entry = getattr(library, f"LLVMRemark{function}")
        entry.restype = result
        entry.argtypes = [ctypes.c_void_p] * len(arguments)
        return int(entry(*arguments) or 0)

    def string(of: int) -> str:
        """It takes single quotes off, but (in LLVM 14) neither double ones nor what is doubled or escaped within."""
        data, size = call("StringGetData", of), call("StringGetLen", of, result=ctypes.c_uint32)
        raw = ctypes.string_at(data, size).decode()
        return ast.literal_eval(raw) if raw[:1] == '"' else raw.replace("''", "'")

    def place(of: int) -> Place | None:
        if not of:
            return None
        line, column = (call(f"DebugLocGetSource{part}", of, result=ctypes.c_uint32) for part in ("Line", "Column"))
        return string(call("DebugLocGetSourceFilePath", of)), line, column

    kinds = ("Unknown", "Passed", "Missed", "Analysis", "AnalysisFPCommute", "AnalysisAliasing", "Failure")
    library.LLVMRemarkParserCreateYAML.restype = ctypes.c_void_p
    library.LLVMRemarkParserCreateYAML.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
    parser = library.LLVMRemarkParserCreateYAML(text, len(text))
    while entry := call("ParserGetNext", parser):
        arguments, at = [], call("EntryGetFirstArg", entry)
        while at:
            key, value = string(call("ArgGetKey", at)), string(call("ArgGetValue", at))
            arguments.append((key, value, place(call("ArgGetDebugLoc", at))))
            at = call("EntryGetNextArg", at, entry)
        pass_name, name, function = (
            string(call(f"EntryGet{each}Name", entry)) for each in ("Pass", "Remark", "Function")
        )
        yield (
            kinds[call("EntryGetType", entry, result=ctypes.c_uint32)],
            pass_name,
            name,
            function,
            place(call("EntryGetDebugLoc", entry)),
            call("EntryGetHotness", entry, result=ctypes.c_uint64) or None,
            arguments,
        )
        call("EntryDispose", entry)
    assert not call("ParserHasError", parser, result=ctypes.c_int)
    call("ParserDispose", parser)
