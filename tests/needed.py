"""What tests need of a machine, and do without where it has it not: they are skipped then, and say why."""

from collections.abc import Callable
from functools import cache

import pytest

from sonde.base.errors import MissingCapability


def needs(*checks: Callable[[], object]) -> pytest.MarkDecorator:
    """A mark for tests that are skipped where one of the checks raises `MissingCapability`."""
    missing = next(filter(None, map(_missing, checks)), "")
    return pytest.mark.skipif(bool(missing), reason=missing)


@cache
def _missing(check: Callable[[], object]) -> str:
    """What it says is missing, if something is; once for all files of a run."""
    try:
        check()
    except MissingCapability as missing:
        return missing.message
    return ""
