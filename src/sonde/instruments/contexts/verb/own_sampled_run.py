"""A program that samples its own stacks while it runs, and what is made of the samples."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sonde.instruments.contexts.sources.sampling import LOOKED_AT, OwnSampling, OwnSamplingPlan
from sonde.instruments.contexts.stored_kind import STORED
from sonde.launch import Outcome, run_to_end
from sonde.store.run_folder import RunFolder, remove_folder

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile  # loaded while the program runs


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
        message = f"nothing was measured: {refusals[0]}"
        if "counter" in refusals[0]:
            other = "task-clock" if trigger == "cycles" else "timer"
            hint = f"--trigger {other} may do; without --mechanism, the program is looked at from outside"
    elif not sampling.targets:
        message = "nothing was measured: the program ran no CPython that sonde has an agent for"
        hint = f"leave out --mechanism: from outside, {LOOKED_AT} are looked at"
    else:
        ran_ms = outcome.processor_ns / 1e6
        message = f"nothing was measured: the program had {ran_ms:.0f} ms of a processor, and no sample was due"
        hint = "-r 10kHz sees more of what is short" + (
            "; --trigger task-clock, too" if trigger != "task-clock" else ""
        )
    print(f"sonde: {message}" + (f"\nhint: {hint}" if hint else ""), file=sys.stderr)
