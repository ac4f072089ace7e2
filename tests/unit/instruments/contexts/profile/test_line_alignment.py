"""Pairing things on lines of an edited text."""

from sonde.instruments.contexts.profile.comparison.line_alignment import align_lines

X, Y, Z = 0, 1, 2


def test_a_name_that_occurs_once_is_found_wherever_it_moved() -> None:
    assert align_lines([(3, X), (5, Y)], [(4, Y), (90, X)]).pairs == {(3, X): (90, X), (5, Y): (4, Y)}


def test_sites_that_all_moved_alike_keep_their_order() -> None:
    alignment = align_lines([(3, X), (4, X)], [(4, X), (5, X)])
    assert alignment.pairs == {(3, X): (4, X), (4, X): (5, X)}
    assert not alignment.guessed


def test_a_site_that_stayed_is_not_taken_for_one_that_moved() -> None:
    assert align_lines([(3, X), (10, X)], [(10, X), (20, X)]).pairs == {(10, X): (10, X)}


def test_an_added_site_is_the_one_left_over() -> None:
    before = [(2, Y), (5, X), (8, X), (9, Z)]
    after = [(2, Y), (5, X), (6, X), (9, X), (10, Z)]
    assert align_lines(before, after).pairs[(5, X)] == (5, X)
    assert (6, X) not in align_lines(before, after).pairs.values()


def test_neighbours_tell_how_far_a_site_moved() -> None:
    before = [(1, Y), (3, X), (4, X), (7, Z)]
    after = [(3, Y), (4, X), (5, X), (6, X), (9, Z)]
    assert align_lines(before, after).pairs[(3, X)] == (5, X)
    assert align_lines(before, after).pairs[(4, X)] == (6, X)


def test_sites_that_no_neighbour_vouches_for_are_paired_in_order_and_called_a_guess() -> None:
    alignment = align_lines([(3, X), (10, X)], [(4, X), (15, X), (30, X)])
    assert alignment.pairs == {(3, X): (4, X), (10, X): (15, X)}
    assert alignment.guessed == {X}


def test_sites_that_only_one_run_came_by_are_no_guess_in_unedited_code() -> None:
    before = [(1, X), (2, X), (3, X), (9, X)]
    after = [(1, X), (2, X), (3, X), (5, X)]
    alignment = align_lines(before, after)
    assert alignment.pairs == {(1, X): (1, X), (2, X): (2, X), (3, X): (3, X)}
    assert not alignment.guessed


def test_very_many_sites_are_paired_without_a_table() -> None:
    before = [(line, X) for line in range(0, 3000, 2)]
    after = [(line + 1 + line // 100, X) for line in range(0, 3000, 2)]
    assert len(align_lines(before, after).pairs) == 1500
