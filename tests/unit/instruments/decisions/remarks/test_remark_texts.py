"""Remarks in YAML: what is read, what is skipped, and what is said of it; both cores."""

import pytest

import sonde._native
from remark_documents import MISSED, plain_remarks, remark_text
from sonde.native import RemarkParser
from sonde.native.reference_remarks import ReferenceRemarkParser


@pytest.fixture(params=[sonde._native.RemarkParser, ReferenceRemarkParser], ids=["native", "python"])
def parser(request: pytest.FixtureRequest) -> RemarkParser:
    made: RemarkParser = request.param()
    return made


def test_a_remark_of_llvm_is_read(parser: RemarkParser) -> None:
    assert parser.read_yaml(MISSED, None) is False

    assert plain_remarks(parser) == [
        (
            "Missed",
            "inline",
            "NoDefinition",
            "f",
            ("a b.c", 6, 30),
            None,
            [
                ("Callee", "ext", None),
                ("String", " will not be inlined into ", None),
                ("Caller", "f", ("a b.c", 5, 0)),
            ],
        )
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("plain words, with comma", "plain words, with comma"),
        ("'it''s'", "it's"),
        ("''''", "'"),
        ("''", ""),
        ("", ""),
        (r'"\n\"\\\x01\u00e9\U0001F388"', '\n"\\\x01é🎈'),
        (r'"\x80"', "\x80"),
        ("a  # a comment", "a"),
        ("a#b:c", "a#b:c"),
        ("one\n     two\n\n      three", "one two\nthree"),
        ("'one \n\n    two'", "one\ntwo"),
        ('"one \\\n    two"', "one two"),
        ("'\n'", " "),
        ("|\n      \n      \n      blocks", "\n\nblocks\n"),
        ("|-\n      one\n       two", "one\n two"),
        (">\n      one\n      two\n\n      three", "one two\nthree\n"),
        ("|+\n      one\n", "one\n\n"),
        ("\n      behind", "behind"),
        ("-5", "-5"),
        ("C:\\x", "C:\\x"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_scalars_mean_what_yaml_says(parser: RemarkParser, written: str, meant: str, ending: str) -> None:
    text = remark_text(f"Args:\n  - Key:     {written}\n").replace(b"\n", ending.encode())
    parser.read_yaml(text, None)

    assert parser.problems() == []
    assert plain_remarks(parser)[0][6] == [("Key", meant, None)]


@pytest.mark.parametrize(
    "place",
    [
        "{ File: a.c, Line: 3, Column: 4 }",
        "{ File: 'a.c', Line: 3, \n                   Column: 4 }",
        "{ Column: 4, File: \"a.c\", Line: '3', }",
        "\n  File: a.c\n  Line: 3\n  Column: 4",
        "\n  { File: a.c, Line: 3, Column: 4 } # there",
    ],
)
def test_a_place_may_be_wrapped_or_in_lines(parser: RemarkParser, place: str) -> None:
    parser.read_yaml(remark_text(f"DebugLoc:  {place}\n"), None)

    assert [remark[4] for remark in plain_remarks(parser)] == [("a.c", 3, 4)]


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("Name: again\n", 5, "a key that is there twice"),
        ("Hotness: -1\n", 5, "not a number"),
        ("Hotness: 18446744073709551616\n", 5, "a number that is too large"),
        ("DebugLoc: foo\n", 5, "a place that is not of keys and values"),
        ("DebugLoc: { File: a, Line: 3 }\n", 5, "a place without its file, line or column"),
        ("DebugLoc: { File: a, Line: -3, Column: 1 }\n", 5, "not a number"),
        ("DebugLoc: { File: a, Line: 4294967296, Column: 1 }\n", 5, "a number that is too large"),
        ("DebugLoc: { File: { a: b }, Line: 1, Column: 1 }\n", 5, "not a string or number"),
        ("Args: foo\n", 5, "arguments that are not in lines of their own"),
        ("Args:\n  - A: a\n    B: b\n", 7, "an argument with two keys"),
        ("Args:\n  - DebugLoc: { File: a, Line: 1, Column: 2 }\n", 6, "an argument without a key"),
        ("Args:\n  - A: 'open\n", 7, "a quote is not closed"),
        ('Args:\n  - A: "\\q"\n', 6, "an escape that YAML does not know"),
        ('Args:\n  - A: "\\uD800"\n', 6, "an escape that is no character"),
        ("Args:\n  - A: b: c\n", 6, "a key within a value"),
        ("Args:\n  - A: &anchor\n", 6, "not a string or number"),
        ("Args:\n  - A: a\n - B: b\n", 7, "an argument that is not in a list"),
        ("Args: []\n Indented: a\n", 6, "a line that is indented unlike those before it"),
        ("no key\n", 5, "a line without a key"),
    ],
)
def test_what_is_no_remark_is_skipped_and_told(parser: RemarkParser, body: str, line: int, reason: str) -> None:
    text = f"--- !Missed\nPass: p\nName: n\nFunction: f\n{body}...\n".encode() + MISSED
    parser.read_yaml(text, None)

    assert parser.problems() == [(line, reason)]
    assert (parser.count, parser.skipped) == (1, 1)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (b"---\nPass: a\n...\n", 1, "not a kind of remark"),
        (b"--- !Other\nPass: a\n...\n", 1, "not a kind of remark"),
        (b"--- !Missed\nName: n\nFunction: f\n...\n", 4, "no pass, name or function"),
        (b"stray\nmore\n", 1, "text outside of a remark"),
        (b"--- !Missed\nPass: p\nName: n\nFunction: f", 1, "the text ends within it"),
    ],
)
def test_whole_documents_can_be_wrong(parser: RemarkParser, text: bytes, line: int, reason: str) -> None:
    parser.read_yaml(text, None)

    assert (parser.count, parser.problems()) == (0, [(line, reason)])


def test_unknown_keys_are_counted_and_passed_over(parser: RemarkParser) -> None:
    body = "Foo: bar\nList:\n- a\n- b: c\nDeep: { a: [1, '}'], b: it's }\n"
    body += "DebugLoc: { File: a, Line: 1, Column: 2, Foo: [x] }\n"
    parser.read_yaml(remark_text(body), None)

    assert parser.unknown_keys() == [(b"Foo", 2), (b"List", 1), (b"Deep", 1)]
    assert plain_remarks(parser) == [("Passed", "p", "n", "f", ("a", 1, 2), None, [])]


def test_the_list_of_an_unknown_key_may_be_as_far_in_as_the_key(parser: RemarkParser) -> None:
    body = "DebugLoc:\n    File: a\n    Foo:\n    - b\n    - c\n    Line: 1\n    Column: 2\n"
    parser.read_yaml(remark_text(body), None)

    assert (parser.problems(), parser.unknown_keys()) == ([], [(b"Foo", 1)])
    assert plain_remarks(parser) == [("Passed", "p", "n", "f", ("a", 1, 2), None, [])]


def test_nothing_is_no_mistake(parser: RemarkParser) -> None:
    for text in (b"", b"\n\n", b"# a comment\n", b"...\n", b"\xef\xbb\xbf"):
        assert parser.read_yaml(text, None) is False

    assert (parser.count, parser.skipped) == (0, 0)


def test_a_remark_without_an_end_mark_is_kept_and_told(parser: RemarkParser) -> None:
    assert parser.read_yaml(MISSED[:-4], None) is True

    assert parser.count == 1


def test_only_the_first_of_what_is_skipped_is_told(parser: RemarkParser) -> None:
    parser.read_yaml(b"--- !Other\n...\n" * 50, None)

    assert parser.skipped == 50
    assert [line for line, _ in parser.problems()] == list(range(1, 41, 2))


def test_a_remembered_line_that_goes_on_is_read_again(parser: RemarkParser) -> None:
    text = remark_text("Args:\n  - K: one\n") + remark_text("Args:\n  - K: one\n      two\n")
    text += remark_text("Args:\n  - K: one\n\n      two\n") + remark_text("Args:\n  - K: one\n    DebugLoc: {}\n")
    parser.read_yaml(text, None)

    assert [remark[6] for remark in plain_remarks(parser)] == [
        [("K", "one", None)],
        [("K", "one two", None)],
        [("K", "one\ntwo", None)],
    ]
    assert parser.skipped == 1


def test_numbers_stand_for_strings_of_a_table(parser: RemarkParser) -> None:
    text = b"--- !Missed\nPass: 0\nName: 1\nFunction: 2\nDebugLoc: { File: 1, Line: 2, Column: 3 }\n...\n"
    parser.read_yaml(text + text.replace(b"0", b"9"), b"p\0n\0f")

    assert plain_remarks(parser) == [("Missed", "p", "n", "f", ("n", 2, 3), None, [])]
    assert parser.problems() == [(8, "a number beyond the table of strings")]
