"""The contract of a reader of decisions, see `sonde.instruments.decisions.readers.DecisionReader`."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Phase, Trees
from sonde.instruments.decisions.readers import DecisionReader, RunPlace, read_run
from sonde.testing.foreign_files import CUTS, foreign_files, refusal

_MORE_FOREIGN = {"nothing": b"", "half of JSON": b'{"methodName": ', "half of XML": b"<?xml version='1.0'"}


def check_decision_reader(reader: DecisionReader, sample: Path, folder: Path) -> None:
    """Check every promise.

    Args:
        sample: a file, or folder, that the reader is for.
        folder: an empty one, to write in.
    Raises:
        AssertionError: the first promise found broken.
    """
    for check in DECISION_READER_CHECKS.values():
        check(reader, sample, folder)


def _description(reader: DecisionReader, sample: Path, folder: Path) -> None:  # noqa: ARG001 - as all checks are
    assert reader.name and reader.name == reader.name.lower() and " " not in reader.name, "a name is typed"
    assert reader.title and "\n" not in reader.title, "nothing says in one line what it reads"


def _recognises_its_runs(reader: DecisionReader, sample: Path, folder: Path) -> None:
    assert reader.recognises(RunPlace(sample)), "it does not recognise its own sample"
    assert reader.recognises(RunPlace(_copy(sample, folder / "nameless"))), "it looks at the name, not at what is in it"


def _leaves_others_alone(reader: DecisionReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    for what, path in foreign_files(folder, _MORE_FOREIGN):
        assert not reader.recognises(RunPlace(path)), f"it takes {what} for a run of its own"


def _reads_valid_runs(reader: DecisionReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    run = reader.read(RunPlace(sample), None)
    assert run.units, "no units"
    assert run.name == str(sample), "it does not say which run it is"
    assert run.offsets in ("bytecode index", "line"), "what its places count is not known"
    assert [unit.number for unit in run.units] == list(range(len(run.units))), "units are not numbered as they stand"
    if run.profile is None:
        assert not any(unit.period for unit in run.units), "units have times, but no profile says so"
    else:
        assert run.profile.total >= 0 and run.profile.source, "the profile has no total, or does not say who measured"
    for doubt in run.doubts:
        assert doubt.kind and doubt.detail and "\n" not in doubt.detail and doubt.amount >= 0, f"an odd doubt: {doubt}"
    for unit in run.units:
        assert unit.method and unit.period >= 0, f"unit {unit.number} has no method, or a negative time"
        _check_trees(unit.load(), f"unit '{unit.id}' of '{unit.method}'")


def _check_trees(trees: Trees, where: str) -> None:
    assert trees.inlining.is_root, f"{where}: the root of the inlining tree does not say that it is"
    for site in _sites(trees.inlining):
        assert site is trees.inlining or not site.is_root, f"{where}: a root within the tree"
        assert isinstance(site.reasons, tuple), f"{where}: reasons are not a tuple"
        types = site.receivers.types if site.receivers else ()
        assert all(0 <= each.probability <= 1 for each in types), f"{where}: a probability is not from 0 to 1"
    for node in _nodes(trees.optimizations):
        if isinstance(node, Decision):
            keys = [key for key, _ in node.properties]
            assert node.name and len(set(keys)) == len(keys), f"{where}: a decision lacks a name, or has a key twice"
            assert all(place.method for place in node.position), f"{where}: a position lacks a method"


def _loads_anew(reader: DecisionReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    for unit in reader.read(RunPlace(sample), None).units:
        one, other = unit.load(), unit.load()
        assert one == other, f"the trees of '{unit.method}' are others when they are read again"
        shared = {id(node) for node in _changeable(one)} & {id(node) for node in _changeable(other)}
        assert not shared, (
            f"the trees of '{unit.method}' share nodes when they are read twice: who sorts one sorts both"
        )


def _determinism(reader: DecisionReader, sample: Path, folder: Path) -> None:  # noqa: ARG001
    one, other = (reader.read(RunPlace(sample), None) for _ in range(2))
    assert _comparable(one) == _comparable(other), "read twice, other runs"
    named = read_run(sample, reader=reader.name, more={reader.name: lambda: reader})
    del named.doubts[: len(named.doubts) - len(one.doubts)]  # what `read_run` itself doubts stands first
    assert _comparable(named) == _comparable(one), "read by its name, another run"


def _refuses_damage(reader: DecisionReader, sample: Path, folder: Path) -> None:
    for what, path in foreign_files(folder, _MORE_FOREIGN):
        refused = _refusal(reader, path)  # nothing may be a run in which nothing was compiled
        assert refused is not None or not reader.read(RunPlace(path), None).units, f"it finds decisions in {what}"
    cut = _copy(sample, folder / "cut")
    victim = max((path for path in (cut, *cut.rglob("*")) if path.is_file()), key=lambda path: path.stat().st_size)
    whole = victim.read_bytes()
    for part in range(CUTS):
        victim.write_bytes(whole[: len(whole) * part // CUTS])
        refused = _refusal(reader, cut)  # a run is a run without its last units, so None will do
        assert refused is None or str(cut) in refused.message, f"the error does not name the run: {refused}"


def _refuses_missing_profiles(reader: DecisionReader, sample: Path, folder: Path) -> None:
    missing = folder / "no-such-profile"
    refused = _refusal(reader, sample, missing)
    assert refused is not None, "a profile that does not exist is passed over"
    assert str(missing) in refused.message, f"the error does not name the profile: {refused}"


def _changes_nothing(reader: DecisionReader, sample: Path, folder: Path) -> None:
    copy = _copy(sample, folder / "untouched")

    def state() -> dict[Path, tuple[int, int]]:
        paths = [copy, *copy.rglob("*")]
        return {path: ((stat := path.stat()).st_size, stat.st_mtime_ns) for path in paths if path.is_file()}

    before = state()
    for unit in reader.read(RunPlace(copy), None).units:
        unit.load()
    after = state()
    assert {path: after.get(path) for path in before} == before, "reading changed files"
    assert all(path.name.startswith(".") for path in after.keys() - before.keys()), "reading left files in sight"


Check = Callable[[DecisionReader, Path, Path], None]
DECISION_READER_CHECKS: dict[str, Check] = {
    "description": _description,
    "recognises-its-runs": _recognises_its_runs,
    "leaves-others-alone": _leaves_others_alone,
    "reads-valid-runs": _reads_valid_runs,
    "loads-anew": _loads_anew,
    "determinism": _determinism,
    "refuses-damage": _refuses_damage,
    "refuses-missing-profiles": _refuses_missing_profiles,
    "changes-nothing": _changes_nothing,
}


def _copy(sample: Path, place: Path) -> Path:
    if sample.is_dir():
        shutil.copytree(sample, place)
    else:
        shutil.copy(sample, place)
    return place


def _refusal(reader: DecisionReader, path: Path, profile: Path | None = None) -> InputError | None:
    """The error with which a run is refused; None if all of it is read."""

    def read() -> None:
        for unit in reader.read(RunPlace(path), profile).units:
            unit.load()

    return refusal(read)


def _sites(root: CallSite) -> Iterator[CallSite]:
    waiting = [root]
    while waiting:
        site = waiting.pop()
        yield site
        waiting.extend(site.children)


def _nodes(root: Phase) -> Iterator[Phase | Decision]:
    waiting: list[Phase | Decision] = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Phase):
            waiting.extend(node.children)


def _changeable(trees: Trees) -> Iterator[CallSite | Phase]:
    yield from _sites(trees.inlining)
    yield from (node for node in _nodes(trees.optimizations) if isinstance(node, Phase))


def _comparable(run: DecisionRun) -> tuple[object, ...]:
    units = [(unit.method, unit.id, unit.variant, unit.version, unit.period, unit.load()) for unit in run.units]
    return (run.kind, run.offsets, run.profile, run.compilation, run.execution_id, run.doubts, run.sources, units)
