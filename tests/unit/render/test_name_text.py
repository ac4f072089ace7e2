"""Names of functions: as short as they must be, printable always."""

import pytest

from sonde.base.fitted_text import display_width
from sonde.render.name_text import bare_name, short_name, whole_name

NAMES = [
    "java.util.HashMap.putVal(int, Object, Object, boolean, boolean)",
    "io.jenetics.Mutator$$Lambda/0x80cd9f6fcd00a46038273ae57f84ae77.apply(Object)",
    "scala.collection.IterableOnceOps.count(Function1)",
    "core::iter::adapters::map::Map<I,F>::fold",
    "std::vector<int, std::allocator<int> >::push_back(int const&)",
    "pkg.module.Class.method.<locals>.inner",
    "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
    "",
    "((((",
    "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 50,
    "x" * 100_000,
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [0, 1, 4, 12, 20, 40, 80])
def test_a_short_name_is_never_wider_than_it_may_be(name: str, width: int) -> None:
    assert display_width(short_name(name, width)) <= width
    assert display_width(bare_name(name, width)) <= width


def test_packages_go_before_anything_else() -> None:
    name = "java.util.HashMap.putVal(int, java.lang.Object)"
    assert short_name(name, 80) == name
    assert short_name(name, 40) == "HashMap.putVal(int, Object)"
    assert short_name(name, 20) == "HashMap.putVal(\N{HORIZONTAL ELLIPSIS})"


def test_hidden_classes_stay_apart_when_their_digests_are_cut() -> None:
    first = "a.B$$Lambda/0x000000004a30ca58.apply(Object, Object, Object, Object)"
    second = "a.B$$Lambda/0x0000000029305218.apply(Object, Object, Object, Object)"
    assert bare_name(first, 50) != bare_name(second, 50)


def test_what_has_no_name_is_unknown() -> None:
    assert short_name(None, 40) == whole_name(None) == "unknown"


def test_names_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in short_name("a\x1b[2Jb", 80)
