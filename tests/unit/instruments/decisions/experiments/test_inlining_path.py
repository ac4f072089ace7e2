"""Paths, and finding call sites by them."""

from sonde.instruments.decisions.experiments import PathElement, enclosing_path, path_to, paths_match
from sonde.instruments.decisions.experiments.inlining_path import is_prefix
from sonde.instruments.decisions.experiments.path_index import PathIndex
from sonde.instruments.decisions.model import CallSite, Place


def path(*parts: tuple[str, int]) -> tuple[PathElement, ...]:
    return tuple(PathElement(*part) for part in parts)


def test_a_path_leaves_out_indirect_calls() -> None:
    way = [CallSite("a()", -1), CallSite("I.b()", 3, indirect=True), CallSite("B.b()", 3)]
    assert path_to(way) == path(("a()", -1), ("B.b()", 3))


def test_the_path_of_a_position_has_the_bytes_of_calls() -> None:
    assert enclosing_path((Place("c()", 4), Place("b()", 3), Place("a()", 2))) == path(
        ("a()", -1), ("b()", 2), ("c()", 3)
    )
    assert enclosing_path(()) == ()


def test_minus_one_matches_any_place_and_other_negatives_only_themselves() -> None:
    assert paths_match(path(("a()", -1), ("b()", 2)), path(("a()", 7), ("b()", -1)))
    assert not paths_match(path(("a()", -1)), path(("b()", -1)))
    assert not paths_match(path(("a()", 2)), path(("a()", 3)))
    assert not paths_match(path(("a()", -5)), path(("a()", 3)))
    assert paths_match(path(("a()", -5)), path(("a()", -5)))
    assert not paths_match(path(("a()", 1)), path(("a()", 1), ("b()", 1)))


def test_prefixes() -> None:
    whole = path(("a()", -1), ("b()", 2))
    assert is_prefix((), whole)
    assert is_prefix(whole[:1], whole)
    assert is_prefix(whole, whole)
    assert not is_prefix(whole, whole[:1])


def test_the_index_finds_all_call_sites_at_a_path_and_looks_through_indirect_ones() -> None:
    direct, again, behind = CallSite("b()", 1), CallSite("b()", 1), CallSite("b()", 1)
    indirect = CallSite("I.b()", 1, indirect=True, children=[behind])
    tree = CallSite("a()", children=[direct, CallSite("b()", 2), indirect, again])
    index = PathIndex(tree)

    found = index.at(path(("a()", -1), ("b()", 1)))

    assert [id(site) for site in found] == [id(site) for site in (direct, behind, again)]
    assert index.at(path(("a()", -1), ("I.b()", 1))) == []
    assert len(index.at(path(("a()", 5), ("b()", -1)))) == 4
    assert index.at(()) == []


def test_the_longest_beginning_that_is_in_the_tree() -> None:
    inner = CallSite("c()", 3)
    tree = CallSite("a()", children=[CallSite("b()", 2, children=[inner])])
    index = PathIndex(tree)

    assert index.longest(path(("a()", -1), ("b()", 2), ("c()", 3), ("d()", 4))) == [inner]
    assert index.longest(path(("a()", -1), ("x()", 2), ("c()", 3))) == [tree]
    assert index.longest(path(("x()", -1))) == []
    assert index.longest(()) == []


def test_an_indirect_root_is_looked_through() -> None:
    inner = CallSite("b()", 2)
    index = PathIndex(CallSite("a()", indirect=True, children=[inner]))
    assert index.at(path(("b()", 2))) == [inner]
