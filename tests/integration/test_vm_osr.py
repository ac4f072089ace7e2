"""`osr` in the shell: all targets and conditions, on a program that runs meanwhile; and what is refused."""

import json
import subprocess
from pathlib import Path
from typing import Any

from measuring import SONDE, environment

_EXAMPLE = Path(__file__).parents[2] / "examples" / "vm" / "isord.c"


def _session(commands: str, folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The answers, and what was said beside them."""
    (folder / "session.txt").write_text(f"load {_EXAMPLE}\nopt isord sroa,simplifycfg --as ssa\n{commands}")
    done = subprocess.run(
        [*SONDE, "vm", "--json", "session.txt"],
        cwd=folder, capture_output=True, text=True, timeout=300, env=environment(), check=False,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()][2:], done.stderr


def _result(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["ok"], answer
    result = answer["result"]
    assert isinstance(result, dict)
    return result


def test_a_flag_is_raised_while_the_program_runs(tmp_path: Path) -> None:
    answers, _ = _session(
        "osr insert open in isord@ssa at for.body when flag to inline %compare\n"
        "start 100000\nosr fire isord\nwait\nosr hold isord\nosr points isord\n",
        tmp_path,
    )
    assert _result(answers[3])["status"] == 0
    (point,) = _result(answers[5])["points"]
    assert point["made"] == 1
    assert point["fired"] > 0
    assert point["failures"] == []


def test_every_target_is_gone_on_in(tmp_path: Path) -> None:
    targets = {
        "clone": "open",
        "clone O2": "open",
        "inline %compare": "open",
        "base2": "resolved",
        "isord@base2 at for.body": "resolved",
        "isord@base2 at for.body as named": "open",
    }
    lines = ["clone isord@ssa base2"]
    for target, kind in targets.items():
        lines += [
            f"osr insert {kind} in isord@ssa at for.body when counter 2 to {target}",
            "call is_ascending(i64[1, 2, 3, 4], 4)",
            "call is_ascending(i64[1, 2, 4, 3], 4)",
        ]
    lines += [
        "osr insert shared in isord@ssa at for.body when counter 2 at %cmp3 when never to clone O2 as both",
        "call is_ascending(i64[1, 2, 3, 4], 4)",
        "call is_ascending(i64[1, 2, 4, 3], 4)",
    ]
    answers, said = _session("\n".join([*lines, "osr points"]), tmp_path)
    results = [_result(each).get("result") for each in answers[1:-1]]
    assert results == [None, "1", "0"] * (len(targets) + 1)
    points = _result(answers[-1])["points"]
    assert isinstance(points, list)
    assert [each["fired"] for each in points] == [2] * len(targets) + [2, 0]
    assert [each["version"] for each in points] == ["osr", "osr2", "osr3", "osr4", "osr5", "named", "both", "both"]
    assert "sonde:" not in said


def test_a_generator_that_fails_is_told_and_the_program_goes_on(tmp_path: Path) -> None:
    answers, said = _session(
        "osr insert open in isord@ssa at for.body when always to inline %compare\n"
        "call isord(i64[1, 2, 3], 3, memcmp)\nosr points\n",
        tmp_path,
    )
    assert _result(answers[1])["type"] == "i32"
    assert "the generator of isord@osr at %for.body+0 failed: cannot inline what is at" in said
    (point,) = _result(answers[2])["points"]
    assert point["fired"] == 0
    assert len(point["failures"]) == 1


_REFUSED = [
    ("osr insert open in isord@ssa at for.body when always to inline %nothing", "osr-refused"),
    ("osr insert open in isord@ssa at nowhere when always to clone", "osr-place"),
    ("osr insert open in isord@ssa at for.body when sometimes to clone", "osr-condition"),
    ('osr insert open in isord@ssa at for.body when "%at.0 > null" to clone', "osr-condition"),
    ("osr insert resolved in isord@ssa at for.body when always to inline %compare", "missing-argument"),
    ("osr insert resolved in isord@ssa at for.body when always to sum_of_squares at for.body", "osr-refused"),
    ("osr insert open in no_such at for.body when always to clone", "no-such-function"),
    ('osr insert resolved in isord@ssa at for.body when always to clone comp "ret"', "osr-compensation"),
    ("osr fire isord", "osr-condition"),
    ("osr explode isord", "missing-argument"),
    ("osr insert shared in isord@ssa at for.body when always to inline %compare", "missing-argument"),
    ("osr insert shared in isord@ssa at for.body when always at to clone", "missing-argument"),
]


def test_what_cannot_be_done_is_said_by_name(tmp_path: Path) -> None:
    answers, _ = _session("\n".join(f"- {command}" for command, _ in _REFUSED), tmp_path)
    found = []
    for answer in answers:
        error = answer["error"]
        assert isinstance(error, dict), answer
        found.append(error["slug"])
    assert found == [slug for _, slug in _REFUSED]


def test_points_are_there_again_after_a_crash(tmp_path: Path) -> None:
    answers, _ = _session(
        "osr insert open in isord@ssa at for.body when counter 2 to clone\n- call is_ascending(null, 3)\n"
        "call is_ascending(i64[1, 2, 3, 4], 4)\nosr points\n",
        tmp_path,
    )
    assert _result(answers[2])["result"] == "1"
    (point,) = _result(answers[3])["points"]
    assert point["fired"] == 1
