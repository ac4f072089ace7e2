"""What somebody meant by an option that a verb does not have: a slip of the pen, or what another tool calls it."""

from collections.abc import Collection, Sequence

from sonde.base.near_names import did_you_mean, near_names

ELSEWHERE = {
    "--branch-sim": ("--counters simulated:mispredicted-branches",),
    "--children": ("--follow",),
    "--command-name": ("--name",),
    "--cwd": ("--folder",),
    "--D1": ("--l1",),
    "--duration": ("--for", "--budget"),
    "--export-json": ("--json",),
    "--export-markdown": ("--markdown",),
    "--frequency": ("--rate",),
    "--gil": ("--what gil",),
    "--I1": ("--i1",),
    "--idle": ("--what wall",),
    "--ignore-failures": ("--ignore-failure",),
    "--limit": ("--rows",),
    "--LL": ("--l3",),
    "--max-runs": ("--max-rounds",),
    "--min-runs": ("--min-rounds",),
    "--outfile": ("--output",),
    "--parameter-list": ("--parameter",),
    "--parameter-scan": ("--parameter",),
    "--reference": ("--baseline",),
    "--runs": ("--rounds",),
    "--subprocesses": ("--follow",),
    "--top": ("--rows",),
    "--trace-children": ("--follow",),
    "-d": ("--for",),
    "-F": ("--rate",),
    "-L": ("--parameter",),
    "-M": ("--max-rounds",),
    "-n": ("--rows", "--name"),
    "-p": ("--pid", "--prepare"),
    "-P": ("--parameter",),
    "-r": ("--rounds",),
    "-s": ("--follow", "--setup"),
    "-w": ("--warmup",),
}
"""Spelling in cachegrind, cProfile, hyperfine, memray, perf or py-spy -> what it is called here, by the verb."""


def meant_by(words: Sequence[str], options: Collection[str]) -> str | None:
    """A question for whoever wrote an option that is not there; None: nothing is near.

    Args:
        words: those that were not understood.
        options: what the verb has: `--rows`, `-o`.

    >>> meant_by(["--duration"], ["--for", "--follow"])
    "did you mean '--for'?"
    >>> meant_by(["--folow"], ["--for", "--follow"])
    "did you mean '--follow'?"
    """
    for word in words:
        spelling = word.split("=")[0]
        if spelling == "--html" and "--output" in options:
            return "keep the profile, and have the page made of it: -o run.sonde; sonde view run.sonde --html run.html"
        for known in ELSEWHERE.get(spelling, ()):
            if known.split()[0] in options:
                return did_you_mean([known], None)
        # A short one that is not there is near to each other short one.
        near = near_names(spelling, options) if spelling.startswith("--") else []
        if near:
            return did_you_mean(near, None)
    return None
