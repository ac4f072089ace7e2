"""A profile as lines of text: depth, weight and name of each context."""

from typing import BinaryIO

from sonde.formats import Format, Metric, choose_metric
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile


def write_lines(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    """Write a line for each context, parents first, and one for each loss.

    Raises:
        UsageError: `no-time-measured`.
    """
    tree = profile.contexts
    weights = tree.self_ns if choose_metric(profile, metric) == "time" else tree.calls
    depths: list[int] = []
    for row, parent in enumerate(tree.parent):
        depths.append(0 if parent == NO_PARENT else depths[parent] + 1)
        name = ascii(profile.functions[tree.function[row]].name)  # one line, whatever is in it
        stream.write(f"{depths[row]}\t{weights[row]}\t{name}\n".encode())
    for loss in profile.losses:
        stream.write(f"lost\t{loss.amount}\t{loss.detail!a}\n".encode())


LINES = Format(
    name="toy-lines",
    write=write_lines,
    suffix=".toy.tsv",
    binary=False,
    holds_losses=True,
    open_with="column -t {path}",
)
