"""A program that samples its own stacks while it runs, and what is made of the samples."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from sonde.instruments.contexts.sources.sampling import LOOKED_AT, OwnSampling, OwnSamplingPlan, RingState
from sonde.instruments.contexts.stored_kind import STORED
from sonde.launch import Outcome, run_to_end
from sonde.store.run_folder import RunFolder, remove_folder

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile  # loaded while the program runs


_FROM_OUTSIDE = f"leave out --mechanism: from outside, {LOOKED_AT} are looked at"


class _Early(NamedTuple):
    what: str
    """What the program did."""
    hint: str


_OUTSIDE = "without --mechanism, it is looked at from outside"
_ENDED_EARLY = {
    RingState.TAKEN: _Early(
        "set a handler of its own for sonde's signal", f"--trigger {{other}} has another signal; {_OUTSIDE}"
    ),
    RingState.BLOCKED: _Early("blocked sonde's signal", _OUTSIDE),
    RingState.CLOSED: _Early("closed the file of sonde's counter", f"--trigger timer has none; {_OUTSIDE}"),
    RingState.REPLACED: _Early("became another one (exec)", "--follow samples that, too"),
}
"""By why processes are sampled no more."""


@contextmanager
def own_sampling(plan: OwnSamplingPlan) -> Iterator[OwnSampling]:
    """The sampling of one run; what it keeps on the disk is gone afterwards.

    Raises:
        SondeError: `cannot-write`.
    """
    folder = RunFolder.temporary(STORED.name)
    try:
        yield OwnSampling(plan, folder.path)
    finally:
        if folder.path.is_dir():
            remove_folder(folder.path)
        folder.close()


def run_sampling_itself(sampling: OwnSampling, argv: tuple[str, ...]) -> Outcome:
    """Run a program to its end.

    Raises:
        SondeError: `cannot-execute`.
        MissingCapability: `no-agent`.
    """

    def prepare() -> None:
        import sonde.instruments.contexts.analyses
        import sonde.instruments.contexts.profile  # noqa: F401

    environment = sampling.environment()
    try:
        return run_to_end(argv, environment, started=lambda _: sampling.begin(), meanwhile=prepare)
    finally:
        sampling.end()


def own_profile(
    sampling: OwnSampling, outcome: Outcome, argv: tuple[str, ...], *, by_threads: bool = False
) -> "ContextProfile":
    """The profile of the samples, with what was lost of them."""
    from dataclasses import replace

    from sonde.instruments.contexts.analyses import own_losses
    from sonde.instruments.contexts.verb.sampled_run import profile_of

    profile = profile_of(sampling, outcome, argv, by_threads=by_threads)
    losses = own_losses(sampling.rings.sums(), [state.name for state in sampling.states], follow=sampling.plan.follow)
    return replace(profile, losses=(*profile.losses, *losses))


def explain_no_samples(sampling: OwnSampling, outcome: Outcome) -> None:
    """Say on stderr why there is no profile."""
    trigger = sampling.plan.trigger
    hint = ""
    refusals = sampling.refusals()
    if refusals:
        first = refusals[0]
        message = f"nothing was measured: {first.reason}"
        if "counter" in first.reason:
            other = "task-clock" if trigger == "cycles" else "timer"
            hint = f"--trigger {other} may do; without --mechanism, the program is looked at from outside"
        elif "gives no timer" in first.reason:
            hint = f"--trigger task-clock may do; {_FROM_OUTSIDE}"
        elif "process_vm_readv" in first.reason:
            hint = "in a container: --cap-add SYS_PTRACE; sonde contexts counts calls, and needs no leave"
        elif "no agent" in first.reason or "without a GIL" in first.reason:
            hint = _FROM_OUTSIDE
        elif first.is_of_system:
            message = f"nothing was measured: the agent could not start in {first.process}: {first.reason}"
            hint = "samples are kept in a temporary file: make room for it, or let TMPDIR name another folder"
    elif not sampling.targets:
        message = "nothing was measured: the program ran no CPython that loads sonde's agent"
        hint = f"a Python started with -S, -I or -E does not; {_FROM_OUTSIDE}"
    elif early := next((_ENDED_EARLY[state] for state in sampling.states if state in _ENDED_EARLY), None):
        message = f"nothing was measured: before a sample was due, the program {early.what}"
        other = "timer" if trigger in ("task-clock", "cycles") else "task-clock"
        hint = early.hint.format(other=other)
    else:
        ran_ms = outcome.processor_ns / 1e6
        message = f"nothing was measured: the program had {ran_ms:.0f} ms of a processor, and no sample was due"
        hint = "-r 10kHz sees more of what is short" + (
            "; --trigger task-clock, too" if trigger != "task-clock" else ""
        )
    print(f"sonde: {message}" + (f"\nhint: {hint}" if hint else ""), file=sys.stderr)
