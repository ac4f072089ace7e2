"""Audits of a program whose profile is known, by profilers whose faults are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.code import plain_function
from sonde.instruments.audit.profile import CONTROL, DENSE, EMPTY, PLAIN, AuditProfile, ProfiledRun, Profiler

PROGRAM_NS = 1_000_000_000
START_NS = 20_000_000
_OWN_NOISE = 0.02
"""Deviation of processor times."""
DENSE_SAMPLES = 2_000
SAMPLES = 1_000

_Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Program:
    """What is true of a program."""

    time: _Shares
    """(n,) shares of own time."""
    calls: npt.NDArray[np.int64]
    """(n,) activations."""
    callers: npt.NDArray[np.int64]
    """(n,) who calls each; the first calls itself, being called by nobody."""

    @property
    def charged(self) -> _Shares:
        """(n,) shares of what each function calls directly."""
        charged = np.zeros(len(self.time))
        np.add.at(charged, self.callers, self.time)
        return charged


def made_program(random: np.random.Generator, functions: int = 12) -> Program:
    """A chain of calls with branches; most calls are of functions that take little time."""
    time = random.dirichlet(np.full(functions, 0.8))
    calls = np.maximum(1, (random.pareto(0.5, functions) * 10).astype(np.int64))
    callers = np.array([0, *(random.integers(0, number) for number in range(1, functions))])
    return Program(time, calls, callers)


Answer = Callable[[Program, np.random.Generator], tuple[Mapping[int, float], float]]
"""What a profiler says of a run: own times, and the share of the time that it tells."""


def honest(program: Program, random: np.random.Generator) -> tuple[Mapping[int, float], float]:
    """Samples."""
    return _sampled(program.time, SAMPLES, random), 1.0


def drops_tenth(program: Program, random: np.random.Generator) -> tuple[Mapping[int, float], float]:
    """Every tenth sample is lost."""
    return _sampled(program.time, SAMPLES * 9 // 10, random), 0.9


def counts_calls(program: Program, random: np.random.Generator) -> tuple[Mapping[int, float], float]:
    """Calls are told as if they were time."""
    return {number: float(calls) for number, calls in enumerate(program.calls)}, 1.0


def charges_callers(program: Program, random: np.random.Generator) -> tuple[Mapping[int, float], float]:
    """Each sample counts for the caller."""
    return _sampled(program.charged, SAMPLES, random), 1.0


PLANTED: Mapping[str, Answer] = {
    "honest": honest,
    "drops": drops_tenth,
    "calls": counts_calls,
    "callers": charges_callers,
}


def made_audit(
    seed: int,
    planted: Mapping[str, Answer] = PLANTED,
    *,
    rounds: int = 10,
    without: Callable[[Program], Program] | None = None,
    noise: float = 0.05,
) -> AuditProfile:
    """An audit of a random program.

    Args:
        without: what the program is without the optimisation; None: nothing was turned off.
        noise: deviation of run times, as a share: what else the machine does.
    """
    random = np.random.default_rng(seed)
    program = made_program(random)
    other = without(program) if without else program
    runs = []
    for at in range(rounds):
        for is_without in [False, True] if without else [False]:
            truth = other if is_without else program
            for name in [PLAIN, CONTROL, DENSE, *planted]:
                ran_ns = round(PROGRAM_NS * random.lognormal(0, _OWN_NOISE))
                wall_ns = round(ran_ns * random.lognormal(noise, noise))
                own: Mapping[int, float] = {}
                charged: Mapping[int, float] = {}
                told = None
                if name == DENSE:
                    own = _sampled(truth.time, DENSE_SAMPLES, random)
                    charged = _charged(own, truth)
                elif name in planted:
                    own, share = planted[name](truth, random)
                    told = round(share * wall_ns)
                runs.append(
                    ProfiledRun(
                        name,
                        at,
                        is_without,
                        wall_ns + START_NS,
                        ran_ns + START_NS,
                        wall_ns + START_NS,
                        ran_ns + START_NS,
                        told,
                        own=own,
                        charged=charged,
                    )
                )
        runs.append(ProfiledRun(EMPTY, at, False, START_NS, START_NS, START_NS, START_NS))
    return AuditProfile(
        ("python", "app.py"),
        "3.13.0",
        tuple(Profiler(name, "1.0") for name in planted),
        tuple(plain_function("python", f"f{number}", "app.py", number + 1) for number in range(len(program.time))),
        {number: int(calls) for number, calls in enumerate(program.calls)},
        tuple(runs),
        turned_off="inlined calls" if without else "",
    )


def _sampled(shares: _Shares, count: int, random: np.random.Generator) -> Mapping[int, float]:
    return {number: float(each) for number, each in enumerate(random.multinomial(count, shares)) if each}


def _charged(own: Mapping[int, float], program: Program) -> Mapping[int, float]:
    charged: dict[int, float] = {}
    for number, amount in own.items():
        caller = int(program.callers[number])
        charged[caller] = charged.get(caller, 0.0) + amount
    return charged
