"""Build all wheels and the source distribution, and check each.

    PYTHONPATH=tools python -m wheels [-o dist] [--platform NAME]... [--only 3.13]... [--python PATH]... [--no-sdist]
    PYTHONPATH=tools python -m wheels --check dist/*.whl
    PYTHONPATH=tools python -m wheels --try WHEEL PYTHON        where PYTHON may be a script that runs it in an emulator
    PYTHONPATH=tools python -m wheels --elsewhere FOLDER [-o dist] [--platform NAME]... [--only 3.13]...
        run those for musl and aarch64, and compare their answers with those of the wheel for this machine; FOLDER keeps
        the Pythons that are fetched for it

exit code: 0 all that was asked for is there, and right; 1 something could not be built, or is not right; 3 a version of
Python is not on this machine: its wheels are not built, all others are.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from wheels.building import ROOT, BuildFailed, build_sdist, build_wheel
from wheels.checking import faults_of_wheel
from wheels.foreign import NoPython, run_elsewhere
from wheels.platforms import PLATFORMS
from wheels.pythons import find_pythons
from wheels.sealing import seal_wheel
from wheels.shipping import manual_page
from wheels.trying import TrialFailed, try_wheel


def main() -> int:
    parser = argparse.ArgumentParser(prog="wheels", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", help="folder; default: dist")
    parser.add_argument("--platform", action="append", choices=[each.name for each in PLATFORMS], help="default: all")
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="a CPython to build for, too")
    parser.add_argument("--only", action="append", metavar="VERSION", help="such as 3.13; default: all")
    parser.add_argument("--no-sdist", action="store_true", help="wheels only")
    parser.add_argument("--check", type=Path, nargs="+", metavar="WHEEL", help="check these; build nothing")
    parser.add_argument("--try", type=Path, nargs=2, metavar=("WHEEL", "PYTHON"), dest="tried", help="build nothing")
    parser.add_argument("--elsewhere", type=Path, metavar="FOLDER", help="build nothing; default of --only: 3.13")
    arguments = parser.parse_args()
    if arguments.elsewhere:
        return _run_elsewhere(arguments.output, arguments.elsewhere, arguments.only or ["3.13"], arguments.platform)
    if arguments.tried:
        return _try(*arguments.tried)
    if arguments.check:
        return max(_tell(path, time.monotonic()) for path in arguments.check)
    worst = 0
    if not arguments.no_sdist:
        try:
            sdist = build_sdist(arguments.output)
            print(f"ok      {sdist.stat().st_size:>9,} bytes          {sdist.name}", flush=True)
        except BuildFailed as error:
            print(f"FAILED  the source distribution\n{error}", file=sys.stderr)
            worst = 1
    manual = manual_page()
    pythons, missing = find_pythons(arguments.python)
    work = ROOT / "build" / "wheels"
    for platform in PLATFORMS:
        if arguments.platform and platform.name not in arguments.platform:
            continue
        for python in pythons:
            version = "{}.{}".format(*python.version)
            if arguments.only and version not in arguments.only:
                continue
            began, objects = time.monotonic(), work / platform.name
            try:
                made = build_wheel(python, platform, objects, objects)
            except BuildFailed as error:
                print(f"FAILED  {platform.name}, {version}\n{error}", file=sys.stderr)
                worst = 1
                continue
            sealed = seal_wheel(made, platform.tag, arguments.output, manual)
            made.unlink()
            worst = max(worst, _tell(sealed, began))
            if platform.is_here:
                worst = max(worst, _try(sealed, python.path))
    for version in missing:
        print(f"--      no Python {version} with its headers on this machine: no wheels for it", file=sys.stderr)
    return worst or (3 if missing else 0)


def _tell(path: Path, began: float) -> int:
    faults = faults_of_wheel(path)
    mark = "FAILED" if faults else "ok"
    print(f"{mark:6}  {path.stat().st_size:>9,} bytes  {time.monotonic() - began:4.0f} s  {path.name}", flush=True)
    for fault in faults:
        print(f"        {fault}")
    return 1 if faults else 0


def _run_elsewhere(wheels: Path, folder: Path, versions: Sequence[str], platforms: Sequence[str] | None) -> int:
    worst = 0
    try:
        for told in run_elsewhere(wheels, folder, versions, platforms or [each.name for each in PLATFORMS]):
            mark = "FAILED" if told.fault else "ok"
            print(f"{mark:6}  {told.platform:16}  {told.version}  {told.question:43}  {told.answer}", flush=True)
            if told.fault:
                print(f"        {told.fault}")
                worst = 1
    except (NoPython, TrialFailed) as error:
        print(f"FAILED  {error}", file=sys.stderr)
        return 1
    return worst


def _try(wheel: Path, python: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        try:
            trial = try_wheel(wheel.absolute(), python.absolute(), Path(folder) / "trial")
        except TrialFailed as error:
            print(f"FAILED  {error}")
            return 1
    print(f"ok      installed in {trial.install_s:.1f} s, first report {trial.report_s:.1f} s later: {trial.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
