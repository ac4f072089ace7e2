"""How often intervals of sampled shares hold, and how wide they are: made-up programs whose times are known.

    python benches/bench_look_intervals.py [--runs 500] [--looks 1000]

Programs of four functions stay in each for some distances between looks: exponentially distributed, equally long, in a
fixed order, mixed. Looks are at random distances (from outside) or equally far apart (programs that sample themselves),
and a fifth of them is missing or none. Printed is, for standard errors by half of the square of each gap with a change
and by `native/core/base/change_variance.h`, the share of 95 % intervals that hold, and the root of the mean variance
that is stated over the root mean square of the errors: 1 is right, more is too wide.
"""

import argparse
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Stays = tuple[npt.NDArray[np.int64], Floats]
"""Functions, and how long each stay is, in distances between looks."""
Program = Callable[[float, np.random.Generator], Stays]
SHARES = (0.5, 0.3, 0.15, 0.05)
SECOND, FIRST = 5 / 12, 1 / 12
"""Of the square of a gap: each change, and what comes on top of two that follow one another."""


def random_stays(length: float, *, equal: bool = False) -> Program:
    """Stays of a length on average, in random order."""

    def make(whole: float, random: np.random.Generator) -> Stays:
        functions, durations = [], []
        for number, share in enumerate(SHARES):
            count = max(1, round(share * whole / length))
            drawn = np.ones(count) if equal else random.exponential(size=count)
            functions.append(np.full(count, number))
            durations.append(drawn * length if equal else share * whole * drawn / drawn.sum())
        order = random.permutation(sum(map(len, functions)))
        return np.concatenate(functions)[order], np.concatenate(durations)[order]

    return make


def rounds_of(*stays: tuple[int, float]) -> Program:
    """The same stays over and over."""

    def make(whole: float, random: np.random.Generator) -> Stays:
        del random
        count = int(whole / sum(length for _, length in stays))
        return np.tile([number for number, _ in stays], count), np.tile([length for _, length in stays], count)

    return make


def parts(*programs: Program) -> Program:
    """One after the other."""

    def make(whole: float, random: np.random.Generator) -> Stays:
        made = [program(whole / len(programs), random) for program in programs]
        return np.concatenate([each for each, _ in made]), np.concatenate([each for _, each in made])

    return make


PROGRAMS = {
    **{f"stays of {length:g}": random_stays(length) for length in (0.02, 0.1, 0.5, 1, 2, 5, 20)},
    **{f"all of {length:g}": random_stays(length, equal=True) for length in (0.3, 1.5, 2.5, 10.5)},
    "rounds of 0.68": rounds_of((0, 0.37), (1, 0.2), (2, 0.113)),
    "rounds of 6.1": rounds_of((0, 3.3), (1, 2.1), (2, 0.713)),
    "rounds of 48": rounds_of((0, 30.3), (1, 12.1), (2, 5.713)),
    "long, interrupted": rounds_of((0, 5.3), (2, 0.05), (0, 3.1), (2, 0.05), (1, 7.07), (2, 0.02)),
    "0.02, then 20": parts(random_stays(0.02), random_stays(20)),
    "0.02 to 30": parts(*map(random_stays, (0.02, 0.3, 2, 30))),
}


def errors_of(stays: Stays, random: np.random.Generator, *, regular: bool, missed: float) -> list[tuple[float, ...]]:
    """Of each function: the error of its time, and both variances."""
    function, durations = stays
    ends = np.cumsum(durations)
    most = int(1.3 * ends[-1]) + 20
    gaps = np.ones(most) if regular else random.uniform(0.5, 1.5, most)
    at = random.uniform() + np.concatenate([[0.0], np.cumsum(gaps)])
    at = at[(at < ends[-1]) & (random.random(len(at)) >= missed)]
    seen, gap = function[np.searchsorted(ends, at, side="right")], np.diff(at)
    starts, found = np.concatenate([[0.0], ends]), []
    for number in range(int(function.max()) + 1):
        runs = seen == number
        known = np.concatenate([[0.0], np.cumsum(np.where(function == number, durations, 0.0))])
        truth = float(np.diff(np.interp(at[[0, -1]], starts, known))[0])
        squares = np.where(runs[1:] != runs[:-1], gap**2, 0.0)
        both = (squares[1:] + squares[:-1])[(squares[1:] > 0) & (squares[:-1] > 0)].sum()
        own = float((gap * (runs[1:] * 0.5 + runs[:-1] * 0.5)).sum())
        found.append((own - truth, squares.sum() / 2, FIRST * squares.sum() + SECOND * both))
    return [each for each in found if each[1] > 0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--looks", type=int, default=1000)
    arguments = parser.parse_args()
    for regular, missed in ((False, 0.0), (False, 0.2), (True, 0.0)):
        distances = "equal" if regular else "random"
        print(
            f"\n{arguments.runs} runs, {arguments.looks} looks at {distances} distances, {missed:.0%} of them missing\n"
        )
        print("| program | half of squares: hold, too wide by | by neighbours: hold, too wide by | width, of before |")
        print("|---|---|---|---|")
        for name, program in PROGRAMS.items():
            random = np.random.default_rng(20261127)
            found = np.array(
                [
                    each
                    for _ in range(arguments.runs)
                    for each in errors_of(program(arguments.looks, random), random, regular=regular, missed=missed)
                ]
            )
            error, stated = found[:, 0], found[:, 1:]
            held = 100 * np.mean(np.abs(error)[:, None] <= 1.96 * np.sqrt(stated), axis=0)
            roots = np.sqrt(stated.mean(axis=0))
            wide = roots / np.sqrt(np.mean(error**2))
            cells = " | ".join(f"{share:.1f} %, {each:.2f}" for share, each in zip(held, wide, strict=True))
            print(f"| {name} | {cells} | {roots[1] / roots[0]:.2f} |")


main()
