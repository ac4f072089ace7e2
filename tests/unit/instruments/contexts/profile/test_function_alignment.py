"""Pairing the functions of two profiles."""

from sonde.instruments.contexts.profile import Function
from sonde.instruments.contexts.profile.comparison.function_alignment import align_functions


def how(before: list[Function], after: list[Function]) -> dict[str, tuple[str, str | None]]:
    """By name before: how it was paired, and the file or name after."""
    pairs = align_functions(before, after).pairs
    return {pair.before.name: (pair.how, pair.after.file if pair.after else None) for pair in pairs if pair.before}


def test_another_folder_is_the_same_function() -> None:
    before = Function("parse", "app.parser", "/home/a/venv/lib/app/parser.py", 3)
    after = Function("parse", "app.parser", "/opt/b/app/parser.py", 9)
    assert how([before], [after]) == {"parse": ("same", "/opt/b/app/parser.py")}


def test_a_module_that_moved_is_followed_when_its_functions_moved_along() -> None:
    before = [Function(name, "app.parser", "app/parser.py", 1) for name in ("f", "g", "h")]
    after = [Function(name, "app.text.parser", "app/text/parser.py", 1) for name in ("f", "g", "new")]
    assert how(before, after)["f"] == ("moved", "app/text/parser.py")
    assert how(before, after)["h"] == ("only before", None)


def test_modules_that_merely_end_alike_are_not_the_same() -> None:
    before = [Function(name, "red.utils", "red/utils.py", 1) for name in ("f", "g", "main")]
    after = [Function(name, "blue.utils", "blue/utils.py", 1) for name in ("x", "y", "main")]
    assert how(before, after)["main"] == ("only before", None)


def test_a_script_is_the_module_it_is_imported_as() -> None:
    before = [Function("f", "__main__", "tool.py", 3)]
    after = [Function("f", "pkg.tool", "pkg/tool.py", 3)]
    assert how(before, after) == {"f": ("moved", "pkg/tool.py")}


def test_addresses_in_names_do_not_matter() -> None:
    before = [Function("<wrapper of 0x7f12ab34cd00>", "m", "<made 0x7f12ab34cd00>", 1)]
    after = [Function("<wrapper of 0x55aa00112233>", "m", "<made 0x55aa00112233>", 1)]
    assert align_functions(before, after).pairs[0].how == "same"


def test_getter_and_setter_stay_apart_when_the_file_moves_by_exactly_their_distance() -> None:
    before = [Function("C.x", "m", "m.py", 10), Function("C.x", "m", "m.py", 20)]
    after = [Function("C.x", "m", "m.py", 20), Function("C.x", "m", "m.py", 30)]
    alignment = align_functions(before, after)
    assert [(pair.before, pair.after) for pair in alignment.pairs] == list(zip(before, after, strict=True))
    assert not alignment.guessed


def test_namesakes_that_cannot_be_told_apart_are_called_a_guess() -> None:
    before = [Function("C.x", "m", "m.py", 10), Function("C.x", "m", "m.py", 20)]
    after = [Function("C.x", "m", "m.py", line) for line in (13, 27, 40)]
    alignment = align_functions(before, after)
    assert len(alignment.guessed) == 2
    assert [pair.how for pair in alignment.pairs].count("only after") == 1


def test_kinds_are_never_mixed() -> None:
    before = [Function("f", "m", "m.py", 1)]
    after = [Function("f", "m", "m.py", 1, "class body")]
    assert how(before, after) == {"f": ("only before", None)}
