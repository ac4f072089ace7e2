"""What Valgrind's own callgrind_annotate reads in exported profiles."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from made_memory_profiles import inventory_profile, native_profile
from measuring import PROGRAMS, measure
from sonde.cli import main
from sonde.formats.frame_name import qualified_name
from sonde.instruments.contexts.profile import function_totals
from sonde.instruments.memory.profile import MemoryProfile, by_function, write_memory_profile


@pytest.fixture
def annotate() -> str:
    found = shutil.which("callgrind_annotate")
    if found is None:
        pytest.skip("callgrind_annotate is missing: apt-get install valgrind")
    return found


@pytest.mark.parametrize("profile", [inventory_profile(), native_profile()], ids=["python", "native"])
def test_its_totals_and_functions_are_those_of_the_profile(
    profile: MemoryProfile, annotate: str, tmp_path: Path
) -> None:
    write_memory_profile(tmp_path / "run.sonde", profile)
    exported = tmp_path / "run.callgrind.out"
    assert main(["export", str(tmp_path / "run.sonde"), "--to", "callgrind", "-o", str(exported)]) == 0

    printed = annotated(annotate, exported, "Dr", "D1m", *(["PyDr", "PyD1m"] if profile.python_lines else []))

    totals = profile.totals
    expected = [totals["loads"], totals["misses1"]]
    if profile.python_lines:
        expected += [
            sum(each.loads for each in profile.python_lines),
            sum(each.misses[0] for each in profile.python_lines),
        ]
    assert printed["PROGRAM TOTALS"] == expected
    for each in by_function(profile, "native"):
        function = profile.functions[each.function]
        assert printed[f"{function.file or '???'}:{function.name}"][:2] == [each.loads, each.misses[0]]
    for each in by_function(profile, "python"):
        function = profile.functions[each.function]
        assert printed[f"{function.file}:{function.name}"][2:] == [each.loads, each.misses[0]]


@pytest.mark.parametrize("options", [[], ["--exact"]], ids=["hot", "exact"])
@pytest.mark.parametrize("inclusive", ["no", "yes"])
def test_functions_and_their_calls_are_those_of_the_contexts(
    options: list[str], inclusive: str, annotate: str, tmp_path: Path
) -> None:
    profile = measure(tmp_path, *options, PROGRAMS / "plain_calls.py").profile
    exported = tmp_path / "run.callgrind.out"
    assert main(["export", str(tmp_path / "run.sonde"), "--to", "callgrind", "-o", str(exported)]) == 0

    printed = annotated(annotate, exported, "ns", inclusive=inclusive)

    totals = function_totals(profile)
    of_functions = totals.total_ns if inclusive == "yes" else totals.self_ns
    expected: Counter[str] = Counter()
    for function, value in zip(profile.functions, of_functions, strict=True):
        expected[f"{function.file or '???'}:{qualified_name(function)}"] += value
    assert printed.pop("PROGRAM TOTALS") == [profile.total_ns]
    assert {name: [value] for name, value in expected.items() if value} == {
        name: values for name, values in printed.items() if values != [0] and name in expected
    }


def annotated(tool: str, path: Path, *events: str, inclusive: str = "no") -> dict[str, list[int]]:
    """Counts of these events, by what they are of."""
    words = [tool, "--threshold=100", "--auto=no", f"--inclusive={inclusive}", f"--show={','.join(events)}", str(path)]
    # Not from here: names of files below the current folder are shortened, but not those of what is called in them.
    run = subprocess.run(words, capture_output=True, text=True, check=True, cwd=path.parent)
    assert run.stderr == ""
    found = {}
    for line in run.stdout.splitlines():
        counts = re.findall(r"([\d,]+|\.)(?: \( ?[\d.]+%\))?\s+", line)
        if len(counts) >= len(events) and re.match(r" *(?:[\d,]+|\.) *(?:\( ?[\d.]+%\))? ", line):
            name = re.sub(r"^(?: *(?:[\d,]+|\.)(?: \( ?[\d.]+%\))? +)+", "", line).removesuffix(" ")
            name = re.sub(r" \[[^]]*\]$", "", name)
            values = [0 if each == "." else int(each.replace(",", "")) for each in counts[: len(events)]]
            found[name] = values
    return found
