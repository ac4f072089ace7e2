"""Remarks as LLVM writes them, and what an independent reader makes of them."""

from typing import Any

from hypothesis import strategies as st

from sonde.instruments.decisions.remarks import REMARK_KINDS
from sonde.native import RemarkParser

Place = tuple[str, int, int]
Plain = tuple[str, str, str, str, Place | None, int | None, list[tuple[str, str, Place | None]]]
"""Kind, pass, name, function, place, hotness, arguments: key, value, place."""

MISSED = b"""--- !Missed
Pass:            inline
Name:            NoDefinition
DebugLoc:        { File: 'a b.c', Line: 6, Column: 30 }
Function:        f
Args:
  - Callee:          ext
  - String:          ' will not be inlined into '
  - Caller:          f
    DebugLoc:        { File: 'a b.c', Line: 5, Column: 0 }
...
"""


def remark_text(body: str = "", kind: str = "Passed") -> bytes:
    """One document; what is not in `body` is usual."""
    given = {line.split(":")[0] for line in body.splitlines()}
    usual = "".join(f"{key}: {key[0].lower()}\n" for key in ("Pass", "Name", "Function") if key not in given)
    return f"--- !{kind}\n{usual}{body}...\n".encode()


def plain_remarks(parser: RemarkParser) -> list[Plain]:
    """What the columns of a parser say."""
    columns = [memoryview(column) for column in parser.columns()]
    for index, kind in enumerate("BIIIIQBIIIIIIIQ"):
        columns[index] = columns[index].cast(kind)  # type: ignore[call-overload]
    (
        kinds,
        passes,
        names,
        functions,
        places,
        hotness,
        has,
        first,
        keys,
        values,
        where,
        files,
        lines,
        cols,
        ends,
        text,
    ) = columns
    strings = [bytes(text[ends[i] : ends[i + 1]]).decode("utf-8", "backslashreplace") for i in range(len(ends) - 1)]

    def place(number: int) -> Place | None:
        return None if number == 0xFFFFFFFF else (strings[files[number]], lines[number], cols[number])

    return [
        (
            REMARK_KINDS[kinds[i]],
            strings[passes[i]],
            strings[names[i]],
            strings[functions[i]],
            place(places[i]),
            hotness[i] if has[i] else None,
            [(strings[keys[a]], strings[values[a]], place(where[a])) for a in range(first[i], first[i + 1])],
        )
        for i in range(len(kinds))
    ]


def by_pyyaml(yaml: Any, text: bytes) -> list[Plain]:
    """What PyYAML, given as a module, says of valid documents."""

    class Loader(yaml.BaseLoader):  # type: ignore[misc]  # it has no types
        pass

    Loader.add_multi_constructor("!", lambda loader, tag, node: (tag, loader.construct_mapping(node, deep=True)))
    found = []
    for kind, document in yaml.load_all(text, Loader):
        arguments = []
        for argument in document.get("Args") or ():
            place = _place(argument.pop("DebugLoc", None))
            ((key, value),) = argument.items()
            arguments.append((key, value, place))
        hotness = document.get("Hotness")
        found.append(
            (
                kind,
                document["Pass"],
                document["Name"],
                document["Function"],
                _place(document.get("DebugLoc")),
                None if hotness is None else int(hotness),
                arguments,
            )
        )
    return found


def _place(found: dict[str, str] | None) -> Place | None:
    return (found["File"], int(found["Line"]), int(found["Column"])) if found else None


# ---- documents at random ----

_LETTERS = st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_characters="\x7f\x85\xa0\u2028\u2029\ufeff",
                         exclude_categories=("Cs", "Cc"))  # fmt: skip
_WORDS = st.text(st.sampled_from("abzAZ019_-.^"), min_size=1, max_size=6).filter(lambda word: word[0] not in "-.^")
"""What LLVM writes without quotes, with blanks between."""


@st.composite
def _plain(draw: st.DrawFn) -> str:
    return " ".join(draw(st.lists(_WORDS, min_size=1, max_size=3)))


@st.composite
def _single(draw: st.DrawFn) -> str:
    text = draw(st.text(_LETTERS | st.sampled_from("''\":#{},- "), max_size=12))
    return "'" + text.replace("'", "''") + "'"


@st.composite
def _double(draw: st.DrawFn) -> str:
    written = ""
    for _ in range(draw(st.integers(0, 8))):
        if draw(st.booleans()):
            written += draw(_LETTERS.filter(lambda letter: letter not in '"\\'))
            continue
        point = draw(st.integers(0, 0xFF) | st.sampled_from([0x2028, 0x4E2D, 0x1F388]))
        forms = [f"\\U{point:08x}"] + [f"\\u{point:04X}"] * (point < 0x10000) + [f"\\x{point:02x}"] * (point < 0x100)
        named = {10: "\\n", 9: "\\t", 34: '\\"', 92: "\\\\", 27: "\\e", 0x85: "\\N", 0: "\\0"}.get(point)
        written += draw(st.sampled_from([*forms, *([named] if named else [])]))
    return f'"{written}"'


def _scalars(*, multi_line: bool, indent: int) -> st.SearchStrategy[str]:
    """A scalar as it is written."""
    if not multi_line:
        return _plain() | _single() | _double()
    words = ["", "one", "two words", "  deeper", "- item", "it''s", "# no comment"]
    lines = st.lists(st.sampled_from(words), min_size=1, max_size=5)
    headers = st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", "|2", ">2-"])
    parts = st.lists(st.sampled_from(["a", "b c", "\nd"]), max_size=3)
    new_line = "\n" + " " * (indent + 2)
    blocks = st.builds(
        lambda header, body: header + "".join(new_line + line if line else "\n" for line in ["x", *body]),
        headers,
        lines,
    )
    folded = st.builds(lambda body: "'" + new_line.join(line.strip() for line in ["x", *body, "y"]) + "'", lines)
    running = st.builds(lambda body: new_line.join(["x", *body]).replace("\nd", "\n" + new_line[1:] + "d"), parts)
    return _plain() | _single() | _double() | blocks | folded | running


@st.composite
def remark_documents(draw: st.DrawFn) -> str:
    """A valid remark, written as LLVM would or as YAML allows."""

    def value(indent: int) -> str:
        return draw(_scalars(multi_line=draw(st.integers(0, 3)) == 0, indent=indent))

    def place(indent: int) -> str:
        file = draw(_scalars(multi_line=False, indent=indent))
        line, column = draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 200))
        parts = draw(st.permutations([f"File: {file}", f"Line: {line}", f"Column: {column}"]))
        if draw(st.integers(0, 4)) == 0:
            return "".join(f"\n{' ' * (indent + 2)}{part}" for part in parts)
        between = draw(st.sampled_from([", ", ",\n" + " " * (indent + 19), ", \n" + " " * (indent + 19)]))
        return " { " + between.join(parts) + " }"

    lines = [f"Pass: {value(0)}", f"Name: {value(0)}", f"Function: {value(0)}"]
    if draw(st.booleans()):
        lines.append("DebugLoc:" + draw(st.sampled_from(["", "        "])) + place(0))
    if draw(st.booleans()):
        lines.append(f"Hotness: {draw(st.integers(0, 2**64 - 1))}")
    arguments = draw(st.integers(-1, 4))
    if arguments == 0:
        lines.append("Args: []")
    elif arguments > 0:
        indent = draw(st.sampled_from([0, 2, 2, 3]))
        block = "Args:"
        for _ in range(arguments):
            key = draw(_WORDS.filter(lambda word: word != "DebugLoc"))
            block += f"\n{' ' * indent}- {key}:{' ' * draw(st.integers(1, 9))}{value(indent + 2)}"
            if draw(st.integers(0, 2)) == 0:
                block += f"\n{' ' * (indent + 2)}DebugLoc:{place(indent + 2)}"
        lines.append(block)
    kind = draw(st.sampled_from(REMARK_KINDS))
    body = "\n".join(draw(st.permutations(lines)))
    return f"--- !{kind}\n{body}\n" + draw(st.sampled_from(["...\n", "...\n\n# a comment\n", ""]))
