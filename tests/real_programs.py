"""Real programs to compile and run, and the runs that show that they work."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from debian_sources import cache_folder, generated, run_quietly, source_of
from sonde.jit import link_program
from sonde.jit.compilers import find_compiler
from sonde.llvm import LlvmModule, llvm_version


@dataclass(frozen=True, slots=True)
class Check:
    """One run of a program, in a folder of its own, as its own tests make it."""

    name: str
    arguments: tuple[str, ...] = ()
    stdin: Path | None = None
    fresh: tuple[Path, ...] = ()
    """Files and folders that are copied into the run's folder before it starts."""
    expected: bytes | None = None
    """Its output, where the program's own tests say."""
    writes: tuple[str, ...] = ()
    """Files that it leaves, to be compared."""
    prints_times: bool = False
    """Numbers with a point in its output are seconds, and differ."""


@dataclass(frozen=True, slots=True)
class RealProgram:
    """What to compile, with which options, and which runs show that it works."""

    name: str
    files: tuple[Path, ...]
    options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def is_cxx(self) -> bool:
        return self.files[0].suffix != ".c"


@cache
def real_program(name: str) -> RealProgram:
    """A program of `PROGRAMS`; the test that asks is skipped when its source cannot be had."""
    return PROGRAMS[name]()


def linked_module(name: str, *, debug: bool = False) -> LlvmModule:
    """A program's files in one module, not optimised; kept as bitcode from one run of the tests to the next."""
    return linked(real_program(name), debug=debug)


def linked(program: RealProgram, *, debug: bool = False) -> LlvmModule:
    """As `linked_module`."""
    name = program.name
    path = cache_folder() / "bitcode" / f"{name}-{llvm_version()[0]}-{_digest(program, debug)}.bc"
    if path.is_file():
        return LlvmModule.from_bitcode(path.read_bytes(), name)
    module = link_program(program.files, program.options, debug=debug).module
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(module.bitcode())
    partial.rename(path)
    return module


def built_ahead(
    name: str, folder: Path, *, level: int = 2, options: Sequence[str] = (), program: RealProgram | None = None
) -> Path:
    """The program as an executable, by the compiler that `sonde vm run` uses but with a linker: the oracle."""
    program = program or real_program(name)
    # `zig cc` links what clang compiles; without zig, the clang in use does.
    compiler = find_compiler().command[0]
    command = [compiler, "c++" if program.is_cxx else "cc"] if Path(compiler).name == "zig" else [compiler]
    path = folder / name
    run_quietly([*command, f"-O{level}", "-w", "-fno-sanitize=undefined", "-ffp-contract=off", *program.options,
                 *options, *map(str, program.files), *(f"-l{each}" for each in program.libraries),
                 "-lm", "-o", str(path)], folder)  # fmt: skip
    return path


def _digest(program: RealProgram, debug: bool) -> str:
    words = [str(debug), *program.options]
    for path in program.files:
        words.append(hashlib.sha256(path.read_bytes()).hexdigest())
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


_SCRIPTS = Path(__file__).parent / "scripts"
"""What interpreters among the programs are given to run."""


def _lua() -> RealProgram:
    source = source_of("lua5.4") / "src"

    def make(folder: Path) -> None:
        # Debian's build writes this one.
        (folder / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "none"\n', encoding="ascii")

    return RealProgram(
        "lua",
        tuple(sorted(path for path in source.glob("*.c") if path.name != "luac.c")),
        ("-I", str(generated("lua-headers", make)), "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN"),
        ("dl",),
        (
            Check("language", (str(_SCRIPTS / "language.lua"), "a", "b c")),
            Check("library", (str(_SCRIPTS / "library.lua"),), writes=("written.txt",)),
            Check("error", ("-e", "local t = setmetatable({}, {__index = error}); print(t.x)")),
            Check("from stdin", ("-",), stdin=_SCRIPTS / "language.lua"),
            Check("exit code", ("-e", "os.exit(37)")),
        ),
    )


def _bzip2() -> RealProgram:
    source = source_of("bzip2")
    names = ("bzip2", "blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib")
    packed = [
        Check(
            f"-{k} sample{k}",
            (f"-{k}",),
            stdin=source / f"sample{k}.ref",
            expected=(source / f"sample{k}.bz2").read_bytes(),
        )
        for k in (1, 2, 3)
    ]
    unpacked = [
        Check(
            f"{how} sample{k}",
            (how,),
            stdin=source / f"sample{k}.bz2",
            expected=(source / f"sample{k}.ref").read_bytes(),
        )
        for k, how in ((1, "-d"), (2, "-d"), (3, "-ds"))
    ]
    refused = Check("not bzip2", ("-t",), stdin=source / "sample1.ref")
    return RealProgram(
        "bzip2",
        tuple(source / f"{name}.c" for name in names),
        ("-D_FILE_OFFSET_BITS=64",),
        checks=(*packed, *unpacked, refused),
    )


_ZLIB = (
    "adler32", "compress", "crc32", "deflate", "gzclose", "gzlib", "gzread", "gzwrite", "infback", "inffast", "inflate",
    "inftrees", "trees", "uncompr", "zutil",
)  # fmt: skip


def _zlib(name: str, main: str, *checks: Check) -> RealProgram:
    source = source_of("zlib")
    files = (source / "test" / main, *(source / f"{each}.c" for each in _ZLIB))
    return RealProgram(
        name, files, ("-I", str(source), "-w", "-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1"), checks=checks
    )


def _zlib_example() -> RealProgram:
    return _zlib("zlib-example", "example.c", Check("make test", ("example.gz",), writes=("example.gz",)))


def _zlib_minigzip() -> RealProgram:
    sample = source_of("zlib") / "ChangeLog"
    return _zlib(
        "zlib-minigzip",
        "minigzip.c",
        Check("stdin to stdout", stdin=sample),
        Check("best", ("-9", "ChangeLog"), fresh=(sample,), writes=("ChangeLog.gz",)),
        Check("not gzip", ("-d",), stdin=sample),
    )


def _zlib_infcover() -> RealProgram:
    return _zlib("zlib-infcover", "infcover.c", Check("make cover"))


def _sqlite_sources() -> Path:
    source = source_of("sqlite3")

    def make(folder: Path) -> None:
        run_quietly([str(source / "configure"), "--disable-tcl", "--disable-readline"], folder)
        run_quietly(["make", "sqlite3.c", "shell.c"], folder)

    return generated("sqlite3-amalgamation", make)


def _sqlite() -> RealProgram:
    made = _sqlite_sources()
    session = _SCRIPTS / "session.sql"
    return RealProgram(
        "sqlite",
        (made / "shell.c", made / "sqlite3.c"),
        ("-I", str(made), "-w"),
        checks=(
            Check("session", ("-batch", ":memory:"), stdin=session),
            Check("into a file", ("-batch", "data.db", ".read " + str(session)), writes=("data.db",)),
            Check("error", ("-bail", ":memory:", "select * from nothing")),
        ),
    )


def _sqlite_fuzzcheck() -> RealProgram:
    """SQLite's own regression test: databases and scripts that once broke it, run again."""
    made, source = _sqlite_sources(), source_of("sqlite3")
    tests, recover = source / "test", source / "ext" / "recover"
    enabled = ("MEMSYS5", "FTS4", "FTS3_PARENTHESIS", "FTS5", "RTREE", "GEOPOLY", "DBSTAT_VTAB", "BYTECODE_VTAB")
    options = ("-I", str(made), "-I", str(tests), "-I", str(recover), "-w", "-DSQLITE_OMIT_LOAD_EXTENSION",
               "-DSQLITE_OSS_FUZZ", "-DSQLITE_MAX_MEMORY=50000000", "-DSQLITE_PRINTF_PRECISION_LIMIT=1000",
               *(f"-DSQLITE_ENABLE_{each}" for each in enabled))  # fmt: skip
    return RealProgram(
        "sqlite-fuzzcheck",
        (
            *(tests / f"{name}.c" for name in ("fuzzcheck", "ossfuzz", "fuzzinvariants", "vt02")),
            *(recover / f"{name}.c" for name in ("dbdata", "sqlite3recover")),
            made / "sqlite3.c",
        ),
        options,
        checks=tuple(Check(f"fuzzdata{k}", ("-q", str(tests / f"fuzzdata{k}.db"))) for k in (4, 6)),
    )


def _sqlite_speedtest() -> RealProgram:
    made, source = _sqlite_sources(), source_of("sqlite3")
    return RealProgram(
        "sqlite-speedtest",
        (source / "test" / "speedtest1.c", made / "sqlite3.c"),
        ("-I", str(made), "-w"),
        checks=(
            Check(
                "verified",
                ("--size", "5", "--verify", "--memdb", "--shrink-memory", "--testset", "cte"),
                prints_times=True,
            ),
        ),
    )


def _jsoncpp() -> RealProgram:
    source = source_of("libjsoncpp")
    return RealProgram(
        "jsoncpp",
        tuple(sorted([*(source / "src/test_lib_json").glob("*.cpp"), *(source / "src/lib_json").glob("*.cpp")])),
        ("-I", str(source / "include"), "-w"),
        ("stdc++",),
        (Check("all tests"), Check("list", ("--list-tests",)), Check("unknown", ("--test", "Nothing/here"))),
    )


PROGRAMS: dict[str, Callable[[], RealProgram]] = {
    "lua": _lua,
    "bzip2": _bzip2,
    "zlib-example": _zlib_example,
    "zlib-minigzip": _zlib_minigzip,
    "zlib-infcover": _zlib_infcover,
    "sqlite": _sqlite,
    "sqlite-fuzzcheck": _sqlite_fuzzcheck,
    "sqlite-speedtest": _sqlite_speedtest,
    "jsoncpp": _jsoncpp,
}
