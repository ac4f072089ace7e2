"""Several files of measurements as one: each an alternative, so that they can be compared, or a part of a sample."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sonde.evidence import Doubt
from sonde.instruments.bench.measurements import Invocation, Measurements, Metric, Provenance, Series
from sonde.instruments.bench.readers.reader import InputFile

_MACHINE = ("cpu", "kernel", "governor", "virtual machine")
"""Facts about a machine that should be the same where results are to be compared."""


def names_of_files(paths: Sequence[Path]) -> tuple[str, ...]:
    """A short name for each file: as much of its path as tells it from the others.

    >>> names_of_files([Path("old/run.json"), Path("new/run.json")])
    ('old/run', 'new/run')
    """
    stems = [path.with_name(InputFile(path).title) if path.name else path for path in paths]
    for parts in range(1, max(len(path.parts) for path in stems) + 1):
        names = tuple("/".join(path.parts[-parts:]) for path in stems)
        if len(set(names)) == len(names):
            return names
    return tuple(f"{path} ({number})" for number, path in enumerate(paths, start=1))


def as_alternatives(files: Sequence[tuple[str, Measurements]]) -> Measurements:
    """Bring files together; each is an alternative of every benchmark in it.

    Where files have alternatives of their own, these become part of the benchmark's name: what is compared is the same
    alternative in different files.

    Args:
        files: name and measurements of each; the names are different.
    """
    keep = all(_has_one_alternative(measurements.series) for _, measurements in files)
    series = tuple(
        replace(
            each,
            benchmark=each.benchmark if keep else f"{each.benchmark} · {each.alternative}",
            alternative=name,
            invocations=tuple(map(_out_of_turn, each.invocations)),
        )
        for name, measurements in files
        for each in measurements.series
    )
    everything = [measurements for _, measurements in files]
    return Measurements(
        series=series,
        provenance=_provenance([each.provenance for each in everything]),
        doubts=(*dict.fromkeys(doubt for each in everything for doubt in each.doubts), *_different_machines(files)),
        skipped=tuple(f"{name}: {text}" for name, each in files for text in each.skipped),
    )


def as_invocations(files: Sequence[tuple[Path, Measurements]]) -> Measurements:
    """Bring files together that hold the same series, measured again: their invocations are one sample.

    Where a file does not say which values come from which process, it is one invocation: the next file is of others.
    Alternatives that are called by their file are called by the first one.

    Args:
        files: path and measurements of each.
    """
    found: dict[tuple[str, str, Metric], list[Series]] = {}
    usual = InputFile(files[0][0]).title
    for path, measurements in files:
        title = InputFile(path).title
        for each in measurements.series:
            alternative = usual if each.alternative == title else each.alternative
            found.setdefault((each.benchmark, alternative, each.metric), []).append(each)
    everything = [measurements for _, measurements in files]
    named = [(str(path), measurements) for path, measurements in files]
    return Measurements(
        series=tuple(
            replace(
                parts[0],
                alternative=alternative,
                mode="steady" if any(part.mode == "steady" for part in parts) else "startup",
                invocations=tuple(_out_of_turn(one) for part in parts for one in part.invocations),
                separate=len(parts) > 1 or parts[0].separate,
            )
            for (_, alternative, _), parts in found.items()
        ),
        provenance=_provenance([each.provenance for each in everything]),
        doubts=(*dict.fromkeys(doubt for each in everything for doubt in each.doubts), *_different_machines(named)),
        skipped=tuple(f"{name}: {text}" for name, each in named for text in each.skipped),
        looked_between={name: span for each in everything for name, span in each.looked_between.items()},
    )


def _has_one_alternative(series: Iterable[Series]) -> bool:
    seen = [(each.benchmark, each.metric.name) for each in series]
    return len(set(seen)) == len(seen)


def _out_of_turn(invocation: Invocation) -> Invocation:
    """The invocation without its round and place, which mean nothing beside those of another file."""
    return replace(invocation, round=None, position=None)


def _provenance(all_of_them: Sequence[Provenance]) -> Provenance:
    first = all_of_them[0]
    return Provenance(
        tool=", ".join(dict.fromkeys(each.tool for each in all_of_them)),
        file=", ".join(each.file for each in all_of_them if each.file),
        measured_at=first.measured_at,
        environment={
            name: value
            for name, value in first.environment.items()
            if all(each.environment.get(name) == value for each in all_of_them)
        },
    )


def _different_machines(files: Sequence[tuple[str, Measurements]]) -> Iterator[Doubt]:
    for fact in _MACHINE:
        said = {name: one.provenance.environment[fact] for name, one in files if fact in one.provenance.environment}
        if len(set(said.values())) > 1:
            listed = ", ".join(f"'{value}' ({name})" for name, value in said.items())
            yield Doubt("other-machine", f"the files come from different machines: {fact} is {listed}")
