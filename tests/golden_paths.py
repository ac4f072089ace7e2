"""Answers about paths that golden files hold: of `view`, `diff` and `paths advise`."""

from collections.abc import Callable
from pathlib import Path

from golden_answers import Case
from made_path_profiles import smooth_profile
from path_streams import RUNNING_EXAMPLE, Activation, path_profile
from sonde.instruments.paths.profile import PathProfile, write_path_profile

_ALL = frozenset({"text", "json", "markdown", "page"})


def _file(made: Callable[[], PathProfile]) -> Callable[[Path], object]:
    return lambda path: write_path_profile(path, made())


def running_example() -> PathProfile:
    """Of the source, Figure 3.5."""
    return path_profile([Activation(0, RUNNING_EXAMPLE)], 4)


def in_turns() -> PathProfile:
    """The iterations alternate."""
    return smooth_profile(lambda at: at % 2 == 0)


def other_code() -> PathProfile:
    """The source was changed."""
    return smooth_profile(last_line=11)


CASES: dict[str, Case] = {
    "view/paths": Case(("view", "a.sonde", "--rows", "6"), {"a.sonde": _file(smooth_profile)}, forms=_ALL),
    "view/paths-stream": Case(("view", "a.sonde"), {"a.sonde": _file(running_example)}),
    "paths/advise": Case(("paths", "advise", "a.sonde"), {"a.sonde": _file(smooth_profile)}, forms=_ALL),
    "paths/advise-turns": Case(("paths", "advise", "a.sonde"), {"a.sonde": _file(in_turns)}),
    "diff/paths": Case(
        ("diff", "a.sonde", "b.sonde", "--rows", "6"), {"a.sonde": _file(smooth_profile), "b.sonde": _file(in_turns)}
    ),
    "diff/paths-other-code": Case(
        ("diff", "a.sonde", "b.sonde"), {"a.sonde": _file(smooth_profile), "b.sonde": _file(other_code)}
    ),
}
