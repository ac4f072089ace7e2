"""`sonde export` of an address trace: for simulators of caches and memories."""

import argparse
import sys
from pathlib import Path
from typing import BinaryIO, cast

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.units import format_count
from sonde.base.whole_file import written_whole
from sonde.options.output import check_output_path, print_json
from sonde.trace import ADDRESS_FORMS, AddressForm, AddressTrace

_STREAM = "-"
_BINARY: AddressForm = "addresses-raw"
_SUFFIXES = {"din": ".din", "lackey": ".lackey", "addresses-csv": ".csv", "addresses-raw": ".raw"}


def export_addresses(arguments: argparse.Namespace) -> int:
    """Export one address trace, `arguments.profile`.

    Raises:
        UsageError: `format-of-other-kind`, `no-weights`, `output-exists`, `binary-to-terminal` or
            `two-outputs-on-stdout`.
        InputError: the trace cannot be read, or not beyond a point; what is before that is written to a stream, but
            to no file.
        SondeError: `cannot-write`.
    """
    form = _form_named(arguments)
    if arguments.metric:
        raise UsageError(
            f"cannot use --metric {arguments.metric}: an address trace has no weights",
            slug="no-weights",
            hint="drop --metric",
        )
    if arguments.output == _STREAM:
        _refuse_stdout(form, json=arguments.json)
        trace = AddressTrace(arguments.profile)
        sys.stdout.flush()
        _write(trace, form, sys.stdout.buffer)
        _say_how_it_ended(trace)
        return EXIT_OK
    path = Path(arguments.output or arguments.profile.name.removesuffix(".addr") + _SUFFIXES[form])
    check_output_path(path, force=arguments.force)
    trace = AddressTrace(arguments.profile)
    with written_whole(path) as stream:
        _write(trace, form, stream)
    assert trace.ending is not None  # it was read
    size_bytes = path.stat().st_size
    if arguments.json:
        print_json(
            "export-addresses",
            1,
            {
                "format": form,
                "path": str(path),
                "size_bytes": size_bytes,
                "accesses": trace.ending.accesses,
                "complete": trace.ending.state == "finished",
            },
        )
    else:
        contents = f"{format_count(trace.ending.accesses)} accesses, {format_count(size_bytes)} bytes"
        print(f"wrote {path}: {contents}", file=sys.stderr)
    _say_how_it_ended(trace)
    return EXIT_OK


def _form_named(arguments: argparse.Namespace) -> AddressForm:
    if arguments.to in ADDRESS_FORMS:
        return cast(AddressForm, arguments.to)
    raise UsageError(
        f"cannot write '{arguments.profile}' as {arguments.to}: it is an address trace, which becomes one of "
        + ", ".join(ADDRESS_FORMS),
        slug="format-of-other-kind",
        hint=f"write --to {ADDRESS_FORMS[0]}",
    )


def _refuse_stdout(form: AddressForm, *, json: bool) -> None:
    if json:
        raise UsageError(
            "cannot print JSON about the export: '-o -' already sends the export itself to stdout",
            slug="two-outputs-on-stdout",
            hint="drop --json, or write to a file",
        )
    if form == _BINARY and sys.stdout.isatty():
        raise UsageError(
            f"cannot write {form} to the terminal: it is binary",
            slug="binary-to-terminal",
            hint=f"drop '-o -', or redirect: > t{_SUFFIXES[form]}",
        )


def _write(trace: AddressTrace, form: AddressForm, stream: BinaryIO) -> None:
    for part in trace.in_form(form):
        stream.write(part)


def _say_how_it_ended(trace: AddressTrace) -> None:
    if trace.ending is not None and trace.ending.state == "cut off":
        print("note: the trace was cut off, what was exported is its beginning", file=sys.stderr)
