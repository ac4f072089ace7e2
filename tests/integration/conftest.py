"""What integration tests share because it takes long to make."""

import os

import pytest


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of the user's (`XDG_CACHE_HOME`), where the Valgrind tool is built by whichever test is first.

    What builds in it side by side takes care of that by itself. Tests of building have caches of their own.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache"
    folder.mkdir(exist_ok=True)
    return str(folder)
