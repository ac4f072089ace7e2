"""Garbage collections are put off while much is made, and no longer."""

import gc

import pytest

from sonde.base.collections_off import without_collections


def test_collections_go_on_afterwards_even_if_what_was_made_failed() -> None:
    seen = []

    def fails() -> None:
        with without_collections():
            seen.append(gc.isenabled())
            int("eleven")

    with pytest.raises(ValueError, match="eleven"):
        fails()
    assert [*seen, gc.isenabled()] == [False, True]


def test_who_has_no_collections_gets_none() -> None:
    gc.disable()
    try:
        with without_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
