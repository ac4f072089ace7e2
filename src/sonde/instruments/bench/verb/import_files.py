"""Judge what other tools measured, or bring it into a results file.

  sonde bench import results.json                    the alternatives in the file, compared
  sonde bench import old.json new.json               each file is an alternative of every benchmark in it
  sonde bench import a.json b.json --name CPython --name PyPy
  sonde bench import pyperf.json -o results.sonde    keep it, for sonde bench show, compare and lint

Files are told by what is in them, whatever they are called, packed by gzip, bzip2 or xz or not:

  pyperf              JSON of pyperf 0.8.2 and newer
  hyperfine           JSON of --export-json, of hyperfine 1 and 2
  rebench             data files of ReBench
  asv                 a file of results, or the folder that holds them; needs asv run --record-samples
  jmh                 JSON of -rf json
  krun                results of Krun, and CSV of warmup_stats
  google-benchmark    JSON of --benchmark_out_format=json
  pytest-benchmark    JSON of --benchmark-json
  go                  what go test -bench prints, also of several runs, and with -json
  criterion           the folder target/criterion, or a sample.json of it
  benchmark-dotnet    JSON of BenchmarkDotNet, full or brief
  perf-stat           text of perf stat, of -r with --table; -x, -j; --append adds runs
  table               CSV, TSV, one number in a line; columns benchmark, alternative, invocation, iteration, value
  sonde               results of sonde bench

Where a file does not say which values come from which process (asv, Google Benchmark, pytest-benchmark, criterion), or
has them of one (go test run once), nothing can be inferred about the next process, and no interval is printed;
--assume-independent takes the values for processes of their own. What is in a file and could not be used is listed.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.units import counted
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import BaselineOptions, ImportOptions, ReadingOptions
from sonde.instruments.bench.verb.judgement import add_report_options, report
from sonde.instruments.bench.verb.measurements_argument import read_argument
from sonde.options.declared import options_from
from sonde.options.output import check_answer_options, check_output_path

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Measurements


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench import`."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="measurements of another tool")
    add_report_options(parser, ImportOptions, ReadingOptions, BaselineOptions, Policy)


def run(arguments: argparse.Namespace) -> int:
    """Read, and judge or write.

    Raises:
        InputError: a file cannot be read, or a value in it cannot have been measured.
        UsageError: `import-names`, `no-such-alternative`, or an output exists.
    """
    from sonde.instruments.bench.judging import judge  # NumPy and SciPy, which --help does without

    policy, asked = options_from(Policy, arguments), options_from(ImportOptions, arguments)
    if asked.output is not None:
        check_output_path(asked.output, force=arguments.force, device_allowed=False)
    check_answer_options(arguments, page_besides=True)
    measurements = _together(arguments.files, asked.name, options_from(ReadingOptions, arguments).reader)
    if asked.output is not None:
        return _write(measurements, asked.output, arguments)
    baseline = options_from(BaselineOptions, arguments).baseline
    report(judge(measurements, policy, baseline=baseline), arguments)
    return EXIT_OK


def _names(files: Sequence[Path], given: Sequence[str]) -> Sequence[str]:
    from sonde.instruments.bench.readers import names_of_files

    if not given:
        return names_of_files(files)
    if len(given) != len(files) or len(set(given)) != len(given):
        names = ", ".join(map(repr, given))
        raise UsageError(
            f"cannot name {counted(len(files), 'file')} {names}: each needs one name of its own",
            slug="import-names",
            hint="give --name once for each file, in their order",
        )
    return given


def _together(files: Sequence[Path], given_names: Sequence[str], reader: str | None) -> "Measurements":
    """One file as it is, unless it was named; several as alternatives."""
    from sonde.instruments.bench.readers import as_alternatives

    names = _names(files, given_names)
    read = [read_argument(path, reader) for path in files]
    if len(read) == 1 and not given_names:
        return read[0]
    return as_alternatives(list(zip(names, read, strict=True)))


def _write(measurements: "Measurements", output: Path, arguments: argparse.Namespace) -> int:
    from sonde.instruments.bench.report import import_report
    from sonde.instruments.bench.results_file import write_results
    from sonde.render.answers import print_answer

    write_results(output, measurements, force=arguments.force)
    print_answer(import_report(measurements, str(output)), arguments, sys.stderr)
    print(f"look at it with: sonde bench show {output}", file=sys.stderr)
    return EXIT_OK
