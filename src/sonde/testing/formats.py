"""The contract of a format, see `sonde.formats.Format`."""

import gzip
from array import array
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

from sonde.base.errors import UsageError
from sonde.formats import METRICS, Format, Metric
from sonde.instruments.contexts.profile import (
    NO_PARENT,
    Approximation,
    ContextProfile,
    Contexts,
    Function,
    Loss,
    Run,
    Sampling,
    contexts_from_self,
)
from sonde.testing.streams import FUNCTIONS

_GZIP = b"\x1f\x8b"


def check_format(each: Format) -> None:
    """Check every promise.

    Raises:
        AssertionError: the first promise found broken.
    """
    for check in FORMAT_CHECKS.values():
        check(each)


def _description(each: Format) -> None:
    assert each.name and each.name == each.name.lower() and " " not in each.name, "a name is typed after --to"
    assert each.suffix.startswith("."), f"the suffix '{each.suffix}' has no leading dot"
    assert each.open_with.format(path="run.out"), "nothing says how to open the file"


def _writes_every_profile(each: Format) -> None:
    for what, profile in _profiles().items():
        for metric in METRICS if profile.has_time else (None, "calls"):
            written = _write(each, profile, metric)
            if not each.binary:
                assert _is_utf8(written), f"{what}: not UTF-8, though the format says it is text"


def _determinism(each: Format) -> None:
    for what, profile in _profiles().items():
        assert _write(each, profile) == _write(each, profile), f"{what}: written twice, other bytes"


def _leaves_the_profile_alone(each: Format) -> None:
    for what, profile in _profiles().items():
        before = repr(profile)
        _write(each, profile)
        assert repr(profile) == before, f"{what}: writing changed the profile"


def _chooses_the_metric(each: Format) -> None:
    profiles = _profiles()
    timed, untimed = profiles["odd names"], profiles["without time"]
    assert _write(each, timed) == _write(each, timed, "time"), "time is the default when it was measured"
    assert _write(each, untimed) == _write(each, untimed, "calls"), "calls are the default without time"
    assert _refusal(each, untimed) == "no-time-measured", "times that were not measured are refused"


def _says_what_is_missing(each: Format) -> None:
    loss = Loss("toy-loss", 4711, "a sentence to be found again")
    lossy = replace(_profiles()["odd names"], losses=(loss,))
    written = _write(each, lossy)
    text = gzip.decompress(written) if written.startswith(_GZIP) else written
    said = loss.detail.encode() in text and b"4711" in text
    assert said or not each.holds_losses, "the format says that it holds losses, but this one is not in the file"


def _different_profiles_differ(each: Format) -> None:
    profile = _profiles()["odd names"]
    tree = profile.contexts
    heavier = contexts_from_self(
        parent=tree.parent,
        function=tree.function,
        call_line=tree.call_line,
        calls=tree.calls,
        self_ns=[value + 1 for value in tree.self_ns],
    )
    assert _write(each, profile) != _write(each, replace(profile, contexts=heavier)), "weights are not written"
    renamed = (replace(profile.functions[0], name="another_name"), *profile.functions[1:])
    assert _write(each, profile) != _write(each, replace(profile, functions=renamed)), "names are not written"


FORMAT_CHECKS: dict[str, Callable[[Format], None]] = {
    "description": _description,
    "writes-every-profile": _writes_every_profile,
    "determinism": _determinism,
    "leaves-the-profile-alone": _leaves_the_profile_alone,
    "chooses-the-metric": _chooses_the_metric,
    "says-what-is-missing": _says_what_is_missing,
    "different-profiles-differ": _different_profiles_differ,
}


class _WriteOnly(BytesIO):
    """As little as a pipe: it can be written to, and that is all."""

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        raise AssertionError("a format does not close what it was given")

    def __del__(self) -> None:
        pass


def _write(each: Format, profile: ContextProfile, metric: Metric | None = None) -> bytes:
    stream = _WriteOnly()
    each.write(profile, stream, metric=metric)
    return stream.getvalue()


def _refusal(each: Format, profile: ContextProfile) -> str | None:
    """The slug with which the format refuses to write times."""
    try:
        _write(each, profile, "time")
    except UsageError as refused:
        return refused.slug
    return None


def _is_utf8(written: bytes) -> bool:
    try:
        written.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _profiles() -> dict[str, ContextProfile]:
    """Profiles that have tripped writers before, by what is special about them."""
    odd = (*FUNCTIONS, Function("caf\udce9", "", "/src/\udcff.py", 1), Function("", "", "", 1))
    size = len(odd)
    names = ContextProfile(
        functions=odd,
        contexts=contexts_from_self(
            parent=[NO_PARENT, *(row // 2 for row in range(size - 1))],
            function=range(size),
            call_line=[0, *range(1, size)],
            calls=range(1, size + 1),
            self_ns=[row * 1001 for row in range(1, size + 1)],
        ),
        run=Run(command=("app.py", "ünï 名"), clock="tsc", ended="exited 0"),
    )
    depth = 3000  # three times the usual limit of recursion
    deep = ContextProfile(
        functions=odd[:1],
        contexts=contexts_from_self(
            parent=range(NO_PARENT, depth - 1),
            function=[0] * depth,
            call_line=[0] * depth,
            calls=[1] * depth,
            self_ns=[1] * depth,
        ),
        run=Run(clock="monotonic"),
    )
    return {
        "odd names": names,
        "nothing at all": ContextProfile(
            (), contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
        ),
        "without time": replace(names, run=Run(clock="none"), contexts=_without_time(names.contexts)),
        "deep recursion": deep,
        "several roots": replace(names, contexts=_flat(names.contexts)),
        "pruned": _pruned(names),
        "in bounded memory": _bounded(_pruned(names)),
        "nothing but what was given up": _bounded(replace(_pruned(names, keep=0), pruned_contexts=0)),
        "sampled": _sampled(names),
        "sampled in bounded memory": _sampled(_bounded(names)),
        "cut off": replace(names, run=replace(names.run, complete=False)),
    }


def _without_time(tree: Contexts) -> Contexts:
    zeros = array("q", bytes(8 * len(tree)))
    return replace(tree, self_ns=zeros, total_ns=zeros)


def _flat(tree: Contexts) -> Contexts:
    return replace(tree, parent=[NO_PARENT] * len(tree), total_calls=tree.calls, total_ns=tree.self_ns)


def _pruned(profile: ContextProfile, *, keep: int | None = None) -> ContextProfile:
    """Without its last contexts, as a file gives that is read for its heaviest ones only.

    Args:
        keep: how many are left; half of them when not given.
    """
    keep = len(profile.contexts) // 2 if keep is None else keep
    kept = replace(profile, contexts=profile.contexts.of_rows(range(keep)))
    return replace(
        kept,
        pruned_contexts=len(profile.contexts) - keep,
        pruned_root_calls=profile.total_calls - kept.total_calls,
        pruned_root_ns=profile.total_ns - kept.total_ns,
    )


def _bounded(profile: ContextProfile) -> ContextProfile:
    """As if some contexts had been given up, roots among them."""
    errors = array("q", range(len(profile.contexts)))
    return replace(
        profile,
        contexts=replace(profile.contexts, error=errors),
        pruned_root_calls=profile.pruned_root_calls + 7,
        pruned_root_ns=profile.pruned_root_ns + 70_007,
        approximation=Approximation(metric="time", phi=0.1, epsilon=0.02, floor=4712, counters=50),
    )


def _sampled(profile: ContextProfile) -> ContextProfile:
    """As if the values had been scaled up from bursts."""
    deviations = array("q", range(len(profile.contexts)))
    contexts = replace(profile.contexts, calls_deviation=deviations, ns_deviation=deviations)
    sampling = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101, adaptive=0.1)
    return replace(profile, contexts=contexts, sampling=sampling)
