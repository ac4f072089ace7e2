"""What was lost of the samples that processes took of themselves, and why the sampling of one ended early."""

from collections.abc import Collection, Iterator, Mapping

from sonde.instruments.contexts.profile import Loss

_NOTABLE = 0.001
"""Share of the samples from which it is worth saying that stacks were dropped."""
_FEW = 5
"""So many are not worth a word in any case."""
_MUCH = 0.01
"""Share of the signals that may be late without a word: threads that begin block all for a moment."""


def own_losses(sums: Mapping[str, int], endings: Collection[str], *, follow: bool) -> Iterator[Loss]:
    """What was lost.

    Args:
        sums: of RingSampler.
        endings: names of the states in which processes were left, one each.
        follow: whether what a process becomes is sampled, too.
    """
    ended = {name: list(endings).count(name) for name in endings}
    taken = sums["samples"] + sums["torn"]
    for kind, amount, detail in (
        ("samples-lost", sums["lost"], "samples were lost, as sonde did not fetch them in time"),
        ("samples-lost", sums["busy"], "samples were lost, as too many threads took one at the same time"),
        (
            "samples-late",
            sums["late"] if sums["late"] > _MUCH * sums["signals"] else 0,
            "samples were not taken, as the program blocked the signal when they were due",
        ),
        ("samples-damaged", sums["damaged"], "processes wrote over their samples: what came later was not read"),
        (
            "stacks-torn",
            sums["torn"] if sums["torn"] > max(_FEW, _NOTABLE * taken) else 0,
            "stacks were dropped, as they were taken in the middle of a call or a return",
        ),
        (
            "threads-not-polled",
            sums["elsewhere"],
            "signals came to other threads than the first, which alone can be polled",
        ),
        ("threads-not-sampled", sums["unarmed"], "threads were not sampled, as the system gave no timer for them"),
        (
            "program-replaced",
            0 if follow else ended.get("REPLACED", 0),
            "the program became another one (exec), which was not sampled without --follow",
        ),
        (
            "signal-taken",
            ended.get("TAKEN", 0),
            "the program set a handler of its own for sonde's signal: it was sampled until then",
        ),
        (
            "signal-blocked",
            ended.get("BLOCKED", 0),
            "the program blocked sonde's signal: it was sampled until then",
        ),
        (
            "counter-closed",
            ended.get("CLOSED", 0),
            "the program closed files that it had not opened, sonde's counter among them: it was sampled until then",
        ),
        (
            "kernel-not-sampled",
            sums["only_user"],
            "processes took no samples in system calls, where the system does not let this user count",
        ),
    ):
        if amount:
            yield Loss(kind, amount, detail)
