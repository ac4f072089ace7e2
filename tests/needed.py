"""What tests need of a machine, and do without where it has it not: they are skipped then, and say why."""

from collections.abc import Callable

import pytest

from sonde.base.errors import MissingCapability


def needs(*checks: Callable[[], object]) -> pytest.MarkDecorator:
    """A mark for tests that are skipped where one of the checks raises `MissingCapability`."""
    for check in checks:
        try:
            check()
        except MissingCapability as missing:
            return pytest.mark.skipif(True, reason=missing.message)
    return pytest.mark.skipif(False, reason="")
