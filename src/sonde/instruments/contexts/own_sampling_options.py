"""Options of `sonde sample` for programs that sample themselves: when a sample is taken, and how."""

from typing import Annotated, NamedTuple

from sonde.base.errors import UsageError
from sonde.instruments.contexts.sampling_options import SampleOptions
from sonde.options.declared import Option

OUTSIDE = "outside"
MECHANISMS = (OUTSIDE, "immediate", "polling")
TRIGGERS = ("task-clock", "cycles", "timer", "sleep")
"""Both as `sources.sampling` has them, which is not loaded to print help."""
_BY_ITSELF = "task-clock"


# A named tuple, and no dataclass: it is loaded before the program starts.
class MechanismOptions(NamedTuple):
    """How stacks are sampled."""

    mechanism: Annotated[
        str,
        Option(
            "outside: sonde's process reads the program's memory; immediate: the program is interrupted and takes a "
            "sample; polling: it takes one at the next polling point of its interpreter",
            choices=MECHANISMS,
        ),
    ] = OUTSIDE
    trigger: Annotated[
        str,
        Option(
            "what says that a sample is due: the kernel's clock of the thread (task-clock), its counter of cycles, a "
            "timer of its processor time, or a thread of sonde's that sleeps. By default sleep for outside, else "
            "task-clock",
            choices=TRIGGERS,
        ),
    ] = ""

    @property
    def is_own(self) -> bool:
        """Whether the program samples itself."""
        return self.mechanism != OUTSIDE

    @property
    def used_trigger(self) -> str:
        """The one that was asked for, or that goes with the mechanism."""
        return self.trigger or (_BY_ITSELF if self.is_own else "sleep")


def check_mechanism(how: MechanismOptions, options: SampleOptions) -> None:
    """See to it that the mechanism can do what is asked for.

    Raises:
        UsageError: `trigger-from-outside`, `mechanism-from-inside`.
    """
    if not how.is_own and how.used_trigger != "sleep":
        raise UsageError(
            f"cannot sample from outside by --trigger {how.trigger}: only sleep, a thread of sonde's, can trigger that",
            slug="trigger-from-outside",
            hint=f"--mechanism immediate --trigger {how.trigger}",
        )
    facts = {
        "--pid": (options.pid is not None, "it was started without sonde"),
        f"--what {options.what}": (options.what != "cpu", "what waits takes no samples"),
        "--live": (options.live, "samples are read when they have been taken"),
        "--tasks": (options.tasks, "a sample has the stack alone"),
        "--native": (options.native, "a sample has Python functions only"),
    }
    wants = next((option for option, (is_given, _) in facts.items() if is_given), "")
    if how.is_own and wants:
        raise UsageError(
            f"cannot use --mechanism {how.mechanism} with {wants}: {facts[wants][1]}",
            slug="mechanism-from-inside",
            hint=f"leave out --mechanism: {wants} works from outside",
        )
