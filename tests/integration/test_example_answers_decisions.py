"""Why did this loop stop being vectorized? The first three lines say so, with the reason and the line."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from measuring import run_sonde

EXAMPLE = Path(__file__).parents[2] / "examples" / "answers" / "vectorisation"


def first_lines(folder: Path, *words: str) -> str:
    done = run_sonde("decisions", "diff", *words, cwd=folder, COLUMNS="80")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()[:3]
    assert all(len(line) <= 80 for line in lines)
    return " ".join(" ".join(lines).split())


def test_the_answer_is_in_the_first_three_lines(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "answer")
    told = first_lines(tmp_path / "answer", "fast", "slow")
    assert told == (
        "fast (A) and slow (B) add_scaled (scale.c:12): vectorized in fast (width 16), not in slow (scale.c:10):"
        " how often the loop runs is not known when it starts."
    )


def test_the_lines_are_those_of_the_loops() -> None:
    for name, line in (("fast", 12), ("slow", 10)):
        text = (EXAMPLE / name / "scale.c").read_text().splitlines()[line - 1]
        assert text.strip().startswith("for (int i = 0; i < ")


@pytest.mark.parametrize("turned", [False, True])
def test_it_is_told_of_what_is_compiled_now(tmp_path: Path, turned: bool) -> None:
    spec = find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("there is no zig: the package ziglang is not installed")
    compiler = Path(spec.submodule_search_locations[0]) / "zig"
    shutil.copytree(EXAMPLE, tmp_path / "answer")
    for name in ("fast", "slow"):
        folder = tmp_path / "answer" / name
        (folder / "scale.opt.yaml").unlink()
        words = ("-O3", "-g", "-fno-sanitize=undefined", "-c", "scale.c")
        done = run_sonde("decisions", "capture", "-o", "run", "--", compiler, "cc", *words, cwd=folder)
        assert done.returncode == 0, done.stderr
    sides = ("slow", "fast") if turned else ("fast", "slow")
    told = first_lines(tmp_path / "answer", *(f"{side}/run" for side in sides))
    assert "add_scaled (scale.c:12): vectorized in fast (width " in told
    assert "not in slow (scale.c:10): " in told
