"""What was lost of the samples that processes took of themselves, and why the sampling of one ended early."""

from collections.abc import Iterable, Mapping

from sonde.instruments.contexts.profile import Loss

_NOTABLE = 0.001
"""Share of the samples from which it is worth saying that stacks were dropped."""
_MUCH = 0.01
"""Share of the signals that may be late without a word: threads that begin block all for a moment."""

_ALWAYS = (
    ("lost", "samples-lost", "samples were lost, as sonde did not fetch them in time"),
    ("busy", "samples-lost", "samples were lost, as too many threads took one at the same time"),
    ("elsewhere", "threads-not-polled", "signals came to other threads than the first, which alone can be polled"),
    ("unarmed", "threads-not-sampled", "threads were not sampled, as the system gave no timer for them"),
    ("damaged", "samples-damaged", "processes have written over their samples: what came later was not read"),
)
ENDINGS = {
    "REPLACED": ("program-replaced", "the program became another one (exec), which was not sampled without --follow"),
    "TAKEN": ("signal-taken", "the program set a handler of its own for sonde's signal: it was sampled until then"),
    "BLOCKED": ("signal-blocked", "the program blocked sonde's signal: it was sampled until then"),
}
"""By the name of the state: the kind of loss, and what it means."""


def own_losses(sums: Mapping[str, int], endings: Iterable[str], *, follow: bool) -> tuple[Loss, ...]:
    """What was lost.

    Args:
        sums: of RingSampler.
        endings: names of the states in which processes were left.
        follow: whether what a process becomes is sampled, too.
    """
    losses = [Loss(kind, sums[key], detail) for key, kind, detail in _ALWAYS if sums[key]]
    if sums["torn"] > _NOTABLE * (sums["samples"] + sums["torn"]):
        detail = "stacks were dropped, as they were taken in the middle of a call or a return"
        losses.append(Loss("stacks-torn", sums["torn"], detail))
    if sums["late"] > _MUCH * sums["signals"]:
        detail = "samples were not taken, as the program blocked the signal when they were due"
        losses.append(Loss("samples-late", sums["late"], detail))
    told = [name for name in endings if not (follow and name == "REPLACED")]
    losses += [Loss(kind, told.count(name), detail) for name, (kind, detail) in ENDINGS.items() if name in told]
    return tuple(losses)
