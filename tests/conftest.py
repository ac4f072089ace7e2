"""What holds for every test: how many examples, what is shared, and a process in which no signal is ignored.

Hypothesis runs by profile, `pytest --hypothesis-profile full`:

| profile  | examples | which                                                                    |
|---|---|---|
| everyday | 20       | others each time, so that many days see many                             |
| full     | 30       | the same each time: whether a commit is good does not depend on luck     |
| nightly  | 2,000    | others each time                                                         |

No test has a deadline: how fast a machine is does not make a test wrong.
"""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from golden_text import GoldenText

for variable in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
    os.environ.pop(variable, None)  # what whoever runs the tests wants coloured is not what they are about

for name, examples, is_repeatable in (("everyday", 20, False), ("full", 30, True), ("nightly", 2_000, False)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=is_repeatable,
        deadline=None,
        # It is a clock, too.
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
settings.load_profile("everyday")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden texts anew instead of comparing them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenText:
    return GoldenText(updates=request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of the user's (`XDG_CACHE_HOME`), where the Valgrind tool is built by whichever test is first.

    What builds in it side by side takes care of that by itself. Tests of building have caches of their own.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache"
    folder.mkdir(exist_ok=True)
    return str(folder)


def pytest_collection_finish() -> None:
    """Leave what is there for good out of garbage collections: else these become rare, and garbage fills gigabytes."""
    gc.collect()
    gc.freeze()


def pytest_configure() -> None:
    """Let signals be as in a shell: `nohup` and background jobs have some ignored, and children would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
