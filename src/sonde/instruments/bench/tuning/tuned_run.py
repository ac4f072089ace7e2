"""Running a command while the machine is set up for measuring, and putting everything back however that ends."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from sonde.base.units import counted
from sonde.instruments.bench.environment import Machine
from sonde.instruments.bench.tuning.changes import Change, wanted_changes
from sonde.instruments.bench.tuning.changes_file import ChangesFile
from sonde.launch import Outcome, run_to_end

_ASKING_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def run_tuned(
    argv: Sequence[str],
    machine: Machine,
    kept: ChangesFile,
    *,
    no_aslr: bool = False,
    tell: Callable[[str], None],
) -> tuple[Outcome, bool]:
    """Run a command to its end with settings that make measurements vary less.

    Args:
        kept: says what to put back if sonde is killed meanwhile; written before anything is changed.
        no_aslr: also lay out memory the same way each time.
        tell: gets one sentence for each thing that was, or could not be, set or put back.
    Returns:
        how the command ended, and whether everything was put back.
    Raises:
        SondeError: `machine-in-use`, `cannot-write`, `bad-tune-file`, `cannot-execute`.
    Guarantee: when it returns or raises, each setting has the value from before, or one that somebody else gave it
        meanwhile, or one that could not be put back, which was told and is kept for the next time.
    """
    with _noting_signals() as noted, kept.held():
        _put_back_kept(machine, kept, tell)
        wanted = wanted_changes(machine, no_aslr=no_aslr)
        if not wanted:
            tell("nothing to set: governor and turbo are set already, or there are none to be seen")
        made, left = wanted, wanted
        try:
            kept.write(wanted)
            made = _made(machine, wanted, tell)
            kept.write(made)
            outcome = run_to_end(argv, meanwhile=lambda: _send_ourselves(noted))
        finally:
            left = _put_back(machine, made, tell)
            kept.write(left)
        return outcome, not left


def put_back_leftovers(machine: Machine, kept: ChangesFile, tell: Callable[[str], None]) -> bool:
    """Put back what a sonde that was killed has left changed.

    Returns:
        whether there was something.
    Raises:
        SondeError: `machine-in-use`, `cannot-write`, `bad-tune-file`.
    """
    if not kept.path.exists():
        return False
    with _noting_signals() as noted, kept.held():
        had_some = _put_back_kept(machine, kept, tell)
    _send_ourselves(noted)
    return had_some


def _put_back_kept(machine: Machine, kept: ChangesFile, tell: Callable[[str], None]) -> bool:
    changes = kept.read()
    if changes:
        tell("a 'sonde bench tune' that was killed had changed settings")
    kept.write(_put_back(machine, changes, tell))
    return bool(changes)


def _made(machine: Machine, wanted: Sequence[Change], tell: Callable[[str], None]) -> tuple[Change, ...]:
    """Make changes; those that could be made."""
    made, problems = [], Counter[str]()
    for change in wanted:
        problem = change.make(machine)
        if problem:
            problems[f"cannot set {change.name} to {change.in_words(change.after)}: {problem}"] += 1
        else:
            made.append(change)
    _tell_changes("set for this command", [(each, each.before, each.after) for each in made], tell)
    for problem, count in problems.items():
        tell(_repeated(problem, count))
    if problems and os.geteuid() != 0:
        tell("hint: sudo sonde bench tune -- sudo -u $USER COMMAND")
    return tuple(made)


def _put_back(machine: Machine, changes: Sequence[Change], tell: Callable[[str], None]) -> tuple[Change, ...]:
    """Put back what still is as it was changed to; all of it is done before anything is told.

    Returns:
        what could not be put back.
    """
    back, left, told = [], [], []
    for change in reversed(changes):
        now = machine.text(change.path)
        if now == change.after:
            problem = change.take_back(machine)
            if problem:
                left.append(change)
                told.append(f"cannot put back '/{change.path}', which was {change.before}: {problem}")
            else:
                back.append((change, change.after, change.before))
        elif not now:
            told.append(f"cannot put back '/{change.path}', which was {change.before}: it is gone")
        elif now != change.before:
            told.append(f"left '/{change.path}' alone: somebody else has set it to {now} meanwhile")
    _tell_changes("put back", back, tell)
    for sentence in told:
        tell(sentence)
    if left:
        tell("hint: sudo sonde bench tune --undo")
    return tuple(reversed(left))


def _tell_changes(what: str, changes: Sequence[tuple[Change, str, str]], tell: Callable[[str], None]) -> None:
    """`set for this command: governor powersave -> performance (4 files), turbo on -> off`."""
    counts = Counter(f"{each.name} {each.in_words(old)} -> {each.in_words(new)}" for each, old, new in changes)
    if counts:
        tell(f"{what}: {', '.join(_repeated(text, count) for text, count in counts.items())}")


def _repeated(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({counted(count, 'file')})"


@contextmanager
def _noting_signals() -> Iterator[list[int]]:
    """Hold back what would end us until settings are put back; signals that are ignored stay so."""
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    before = {number: signal.getsignal(number) for number in _ASKING_TO_END}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, note)
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _send_ourselves(noted: Sequence[int]) -> None:
    """What came before the command was started is passed on to it, as what comes while it runs is."""
    for number in noted:
        signal.pthread_kill(threading.get_ident(), number)  # of several threads, this one has it blocked and waits
