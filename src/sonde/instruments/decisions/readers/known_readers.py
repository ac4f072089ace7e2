"""The table of readers, and reading a run: whose it is is told by what is in it."""

from collections.abc import Callable, Mapping
from errno import EINVAL
from importlib import import_module
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import MappingProxyType
from typing import cast

from sonde.base.errors import InputError, UsageError
from sonde.base.near_names import near_hint
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.readers.manifest import MANIFEST, Manifest, bad_manifest
from sonde.instruments.decisions.readers.place import RunPlace, unreadable
from sonde.instruments.decisions.readers.reader import DecisionReader
from sonde.instruments.decisions.time_profiles import check_profile_file, few_samples

READERS: Mapping[str, str] = MappingProxyType(
    {
        "graal": "sonde.instruments.decisions.readers.graal:GRAAL",
        "llvm": "sonde.instruments.decisions.readers.llvm:LLVM",
        "hotspot": "sonde.instruments.decisions.readers.hotspot:HOTSPOT",
        "cpython": "sonde.instruments.decisions.readers.cpython:CPYTHON",
    }
)
"""Name -> where its `DecisionReader` is; imported when it is asked."""

_NAMED = 3
"""As many folders are named in a message."""

More = Mapping[str, Callable[[], DecisionReader]]


def read_run(
    path: Path, *, profile: Path | None = None, reader: str | None = None, more: More | None = None
) -> DecisionRun:
    """Read what a compiler left of one run.

    Args:
        path: a folder or file.
        profile: where the time went; None: what lies beside the record, if anything does.
        reader: whose record it is; None: told by what is in it.
        more: readers that others plug in, by name.
    Raises:
        InputError: `no-such-run`, `unreadable-decision-record`, `empty-run`, `unknown-decision-record`,
            `mixed-decision-records`, `several-runs`, `decision-manifest`, `unreadable-time-profile`, and what the
            reader raises.
        UsageError: `unknown-decision-reader`.
    """
    more = more or {}
    chosen = reader_named(reader, more) if reader is not None else None  # a typing error is said before a long read
    place = RunPlace(path)
    _check_there(path)
    manifest = place.manifest
    if manifest is not None:
        chosen = chosen or _said_by(manifest, place, more)
        _check_there(manifest.record)
        place = RunPlace(manifest.record, str(path))
        _check_not_empty(manifest, place)
        profile = profile or manifest.profile
    elif (inner := _captured_inside(place)) is not None:
        return read_run(inner, profile=profile, reader=reader, more=more)
    if not place.files:
        raise InputError(
            f"cannot use the run '{path}': the folder is empty",
            slug="empty-run",
            hint="'sonde decisions capture -o FOLDER -- COMMAND' runs a program so that its compiler leaves a record",
        )
    if profile is not None:
        check_profile_file(profile)
    if reader is not None:
        _check_not_of_another(reader, place, more)
    run = (chosen or _recognised(place, more)).read(place, profile)
    doubt = few_samples(run.profile) if run.profile is not None else None
    if doubt is not None:
        run.doubts.insert(0, doubt)
    if manifest is not None:
        run.directory = manifest.directory
    return run


def reader_named(name: str, more: More | None = None) -> DecisionReader:
    """Find a reader.

    Raises:
        UsageError: `unknown-decision-reader`.

    >>> reader_named("graal").title
    "Graal's optimization log, and a profile of proftool"
    """
    if name in READERS:
        return _load(READERS[name])
    if more and name in more:
        return more[name]()
    names = [*READERS, *(more or {})]
    raise UsageError(
        f"cannot read a run with '{name}': known readers are {', '.join(names)}",
        slug="unknown-decision-reader",
        hint=near_hint(name, names, "leave --reader out: runs are told by what is in them", before="--reader "),
    )


def _check_not_of_another(name: str, place: RunPlace, more: More) -> None:
    """Refuse a reader that was named for what others recognise; what nobody does may have lost its beginning."""
    readers = {each: reader_named(each, more) for each in (*READERS, *more)}
    found = [each for each, reader in readers.items() if reader.recognises(place)]
    if found and name not in found:
        raise InputError(
            f"cannot read the run '{place.title}' with '{name}': what is there is a record of {' and of '.join(found)}",
            slug="unknown-decision-record",
            hint=f"leave --reader out, or --reader {found[0]}",
        )


def _recognised(place: RunPlace, more: More) -> DecisionReader:
    readers = [*map(_load, READERS.values()), *(load() for load in more.values())]
    found = [reader for reader in readers if reader.recognises(place)]
    if len(found) == 1:
        return found[0]
    if found:
        names = " and of ".join(each.name for each in found)
        raise InputError(
            f"cannot read '{place.path}' as one run: it holds records of {names}",
            slug="mixed-decision-records",
            hint="name the file or folder of one of them, or say which with --reader",
        )
    known = "; ".join(f"{reader.name}: {reader.title}" for reader in readers)
    raise InputError(
        f"cannot read the run '{place.path}': it is {place.contents()}, and no record that is known",
        slug="unknown-decision-record",
        hint=f"known are {known}",
    )


def _said_by(manifest: Manifest, place: RunPlace, more: More) -> DecisionReader:
    if manifest.kind not in READERS and manifest.kind not in more:
        raise bad_manifest(
            place.path / MANIFEST, f"its kind is '{manifest.kind}', known are {', '.join([*READERS, *more])}"
        )
    return reader_named(manifest.kind, more)


def _check_not_empty(manifest: Manifest, place: RunPlace) -> None:
    """Refuse a captured run whose program compiled nothing."""
    if place.files:
        return
    command = " ".join(manifest.command)
    ended = "" if manifest.exit_code is None else f", which ended with exit code {manifest.exit_code}"
    raise InputError(
        f"cannot use the run '{place.title}': nothing was compiled by '{command}'{ended}",
        slug="empty-run",
        hint="let the program run for longer, or compile with optimization (-O2); then capture it again",
    )


def _check_there(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise InputError(
            f"cannot read the run '{path}': there is no such file or folder",
            slug="no-such-run",
            hint="a run is what 'sonde decisions capture' leaves, or a compiler's own record",
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if not (S_ISREG(mode) or S_ISDIR(mode)):  # what comes out of a pipe comes once, and runs are read in places
        raise unreadable(path, OSError(EINVAL, "it is neither a file nor a folder"))


def _captured_inside(place: RunPlace) -> Path | None:
    """The captured run that lies in a folder, if one does; several are refused."""
    runs = [file.parent for file in place.files if file.name == MANIFEST] if place.is_folder else []
    if len(runs) > 1:
        shown = ", ".join(f"'{run.relative_to(place.path)}'" for run in runs[:_NAMED])
        more = f" and {len(runs) - _NAMED} more" if len(runs) > _NAMED else ""
        raise InputError(
            f"cannot read '{place.path}' as one run: captured runs are in {shown}{more}",
            slug="several-runs",
            hint=f"name one of them: {runs[0]}",
        )
    return runs[0] if runs else None


def _load(place: str) -> DecisionReader:
    module, _, name = place.partition(":")
    return cast("DecisionReader", getattr(import_module(module), name))
