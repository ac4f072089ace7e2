"""What is told of samples that processes took of themselves, and what is not worth a word."""

from collections.abc import Sequence

from sonde.instruments.contexts.analyses import own_losses

NONE = dict.fromkeys(("lost", "busy", "late", "damaged", "torn", "elsewhere", "unarmed", "only_user"), 0)


def kinds(endings: Sequence[str] = (), *, follow: bool = False, **counts: int) -> list[tuple[str, int]]:
    """Kinds and amounts, of 10,000 samples and signals."""
    sums = {**NONE, "samples": 10_000, "signals": 10_000, **counts}
    return [(loss.kind, loss.amount) for loss in own_losses(sums, list(endings), follow=follow)]


def test_a_run_without_losses_tells_none() -> None:
    assert kinds(["ENDED", "RUNS", "STOPPED"]) == []


def test_what_is_rare_by_nature_is_told_when_it_is_not_rare() -> None:
    assert kinds(torn=10, late=100) == []
    assert kinds(torn=11, late=101) == [("samples-late", 101), ("stacks-torn", 11)]


def test_samples_without_room_are_always_told() -> None:
    assert kinds(lost=1, busy=2) == [("samples-lost", 1), ("samples-lost", 2)]
    assert kinds(elsewhere=7) == [("threads-not-polled", 7)]


def test_why_the_sampling_of_a_process_ended_is_told_once_for_all_of_them() -> None:
    assert kinds(["TAKEN", "ENDED", "TAKEN"]) == [("signal-taken", 2)]
    assert kinds(["BLOCKED", "CLOSED"]) == [("signal-blocked", 1), ("counter-closed", 1)]
    assert kinds(["REPLACED"]) == [("program-replaced", 1)]
    assert kinds(["REPLACED"], follow=True) == []
