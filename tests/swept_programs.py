"""Real programs that are left anywhere, and the run in which they are: small enough that many runs are possible."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from debian_sources import generated, source_of
from real_programs import Check, RealProgram, real_program

_SCRIPTS = Path(__file__).parent / "scripts"


def _input(name: str, text: str) -> Path:
    def make(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return generated(f"swept-{name}", make) / name


_PROSE = "".join(f"line {number % 7}: what is said {number % 3} times is packed well\n" for number in range(60))


def _lz4() -> RealProgram:
    source = source_of("lz4")
    names = ("lz4", "lz4frame", "lz4hc", "xxhash")
    files = (source / "examples/simple_buffer.c", *(source / f"lib/{name}.c" for name in names))
    return RealProgram("lz4", files, ("-I", str(source / "lib")), checks=(Check("example"),))


def _mujs() -> RealProgram:
    source = source_of("mujs")
    script = _input(
        "script.js",
        """var words = {}; "a b c a".split(" ").forEach(function (each) { words[each] = (words[each] || 0) + 1; });
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
try { null.x; } catch (error) { print(error.name); }
print(JSON.stringify(words), fib(8), /b(.)c/.exec("ab.c")[1], [3, 1, 2].sort().join(), (1 / 3).toFixed(5));
""",
    )
    return RealProgram("mujs", (source / "main.c", source / "one.c"), checks=(Check("script", (str(script),)),))


def _zopfli() -> RealProgram:
    folder = source_of("zopfli") / "src/zopfli"
    check = Check("pack", ("--i1", "-c", str(_input("prose.txt", _PROSE))))
    return RealProgram("zopfli", tuple(sorted(folder.glob("*.c"))), checks=(check,))


def _cjson() -> RealProgram:
    source = source_of("cjson")
    return RealProgram("cjson", (source / "test.c", source / "cJSON.c"), checks=(Check("test"),))


def _libyaml() -> RealProgram:
    source = source_of("libyaml")
    names = ("api", "dumper", "emitter", "loader", "parser", "reader", "scanner", "writer")
    files = (source / "tests/example-reformatter.c", *(source / f"src/{name}.c" for name in names))
    options = ("-I", str(source / "include"), "-DHAVE_STDLIB_H", '-DYAML_VERSION_STRING="0"', "-DYAML_VERSION_MAJOR=0",
               "-DYAML_VERSION_MINOR=0", "-DYAML_VERSION_PATCH=0")  # fmt: skip
    return RealProgram("libyaml", files, options, checks=(Check("reformat", stdin=source / "examples/anchors.yaml"),))


def _tinyxml2() -> RealProgram:
    source = source_of("tinyxml2")
    files = (source / "contrib/html5-printer.cpp", source / "tinyxml2.cpp")
    return RealProgram("tinyxml2", files, ("-I", str(source)), ("stdc++",), (Check("example"),))


def _lzip() -> RealProgram:
    source = source_of("lzip")
    names = ("main", "arg_parser", "lzip_index", "list", "encoder_base", "encoder", "fast_encoder", "decoder")
    check = Check("pack", ("-0", "-c"), stdin=_input("prose.txt", _PROSE))
    options = ('-DPROGVERSION="0"',)
    return RealProgram("lzip", tuple(source / f"{name}.cc" for name in names), options, ("stdc++",), (check,))


_NEW: dict[str, Callable[[], RealProgram]] = {
    "lz4": _lz4,
    "mujs": _mujs,
    "zopfli": _zopfli,
    "cjson": _cjson,
    "libyaml": _libyaml,
    "tinyxml2": _tinyxml2,
    "lzip": _lzip,
}
"""These occur in no other test."""
SWEPT = (*_NEW, "bzip2", "zlib-example", "zlib-minigzip", "lua", "jsoncpp")


@cache
def swept_program(name: str) -> RealProgram:
    """A program of `SWEPT`; the test that asks is skipped when its source cannot be had."""
    return _NEW[name]() if name in _NEW else real_program(name)
