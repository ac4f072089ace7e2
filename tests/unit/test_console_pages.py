"""Console blocks of pages: what is compared of them, and what is not."""

from pathlib import Path

import pytest

from console_pages import differences, first_missing, read_page

PAGE = """---
needs: valgrind, java
---
# A page

```python title="half.py"
print(10 / 2)
```

Text.

```console
$ python half.py
5.0
$ cat nothing
...
$ echo $?
1
$ echo one \\
> two; false
one two
```
"""


def test_a_page_has_needs_files_and_commands() -> None:
    page = read_page(PAGE)
    assert page.needs == ("valgrind", "java")
    assert page.files == {"half.py": "print(10 / 2)\n"}
    assert [command.typed for command in page.commands] == [
        "python half.py",
        "cat nothing",
        "echo $?",
        "echo one \\\ntwo; false",
    ]


def test_what_a_page_promises_is_held_against_what_its_commands_do(tmp_path: Path) -> None:
    assert differences(read_page(PAGE), tmp_path) == ["$ echo one \\\ntwo; false\nexits with 1 and prints\none two\n"]
    wrong = PAGE.replace("5.0", "five").replace("; false", "")
    (found,) = differences(read_page(wrong), tmp_path)
    assert found == "$ python half.py\nprints no such thing as\nfive\nbut\n5.0\n"


@pytest.mark.parametrize(
    ("promised", "printed"),
    [
        ("", ""),
        ("...", ""),
        ("...", "anything"),
        ("first\n...", "first and more"),
        ("...\nlast", "more and last"),
        ("first\n...\nlast", "first last"),
        ("it is ...\nthe end", "it is all\nthe end"),
        ("took 3 ms", "took 4.5 s"),
        ("0.622x [0.5, 0.7]", "1.1x [1, 12]"),
        ("of 12 KiB", "of 1.5 GiB"),
        ("a long name", "a\n  long name"),
        ("a_long…", "a_long_name"),
        ("a_long_name", "…g_name"),
    ],
)
def test_texts_that_are_alike(promised: str, printed: str) -> None:
    assert first_missing(promised, printed) is None


@pytest.mark.parametrize(
    ("promised", "printed", "missing"),
    [
        ("", "something", ""),
        ("something", "", "something"),
        ("first\n...", "not first", "first"),
        ("...\nlast", "last but one", "last"),
        ("first\n...\nmiddle\n...\nlast", "first last", "middle"),
        ("it is faster", "it is slower", "it is faster"),
        ("first", "first and more", "first"),
        ("x 12%", "x 12 ms", "x 12%"),
    ],
)
def test_texts_that_differ(promised: str, printed: str, missing: str) -> None:
    assert first_missing(promised, printed) == missing


def test_a_block_that_begins_with_output_is_refused() -> None:
    with pytest.raises(ValueError, match="which is no command"):
        read_page("```console\nforgotten\n```\n")
