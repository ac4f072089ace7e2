"""What `sonde view`, `diff` and `merge` do with profiles of memory accesses."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import EXIT_FAILED, EXIT_OK, InputError
from sonde.base.units import format_count
from sonde.instruments.memory.profile import (
    compare_memory,
    merge_memory_profiles,
    read_memory_profile,
    write_memory_profile,
)
from sonde.render.answers import check_answer_options, print_answer
from sonde.store.program_identity import program_name


def view_memory(path: Path, arguments: argparse.Namespace) -> int:
    """Show a profile as text, data or a page."""
    page = check_answer_options(arguments)
    if page is not None:
        return _write_page(path, page, arguments.profile.name)
    from sonde.instruments.memory.report import MemoryOptions, memory_report

    report = memory_report(read_memory_profile(path), MemoryOptions(arguments.rows, arguments.sort))
    print_answer(report, arguments, sys.stdout)
    return EXIT_OK


def diff_memory(before: Path, after: Path, arguments: argparse.Namespace) -> int:
    """Compare two profiles.

    Returns:
        `EXIT_FAILED` when something changed by `--min-change`, `EXIT_OK` when nothing did.
    """
    from sonde.instruments.memory.report import MemoryOptions, difference_report

    names = (str(arguments.before), str(arguments.after))
    found = compare_memory(*(read_memory_profile(path, with_sources=False) for path in (before, after)), names=names)
    options = MemoryOptions(arguments.rows, arguments.sort)
    report = difference_report(found, options, names=names, min_change=arguments.min_change)
    print_answer(report, arguments, sys.stdout)
    return EXIT_FAILED if report.changed else EXIT_OK


def merge_memory(paths: Sequence[Path], output: Path, *, anyway: bool) -> int:
    """Merge profiles into a file.

    Raises:
        InputError: two are of different programs, or `merge_memory_profiles` refuses them.
    """
    parts = [read_memory_profile(path) for path in paths]
    programs = [program_name(part.run.command) for part in parts]
    for program, path in zip(programs, paths, strict=True):
        if not anyway and program and programs[0] and program != programs[0]:
            raise InputError(
                f"cannot merge '{paths[0]}' and '{path}': they are of different programs,"
                f" '{programs[0]}' and '{program}'",
                slug="different-programs",
                hint="leave one out, or merge them all the same with --anyway",
            )
    merged = merge_memory_profiles(parts, names=[str(path) for path in paths])
    write_memory_profile(output, merged)
    print(
        f"merged {format_count(len(parts))} profiles into {output}: {format_count(merged.accesses)} data accesses",
        file=sys.stderr,
    )
    return EXIT_OK


def _write_page(path: Path, output: Path, title: str) -> int:
    from sonde.instruments.memory.report.html import write_memory_page

    write_memory_page(read_memory_profile(path), output, title=title)
    print(f"wrote {output}: {format_count(output.stat().st_size)} bytes; open it in a browser", file=sys.stderr)
    return EXIT_OK
