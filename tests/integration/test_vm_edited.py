"""Edited functions become versions, if they fit the program; probes count what they should."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from measuring import SONDE, environment
from sonde.base.errors import InputError, UsageError
from sonde.machine import Workbench

_EXAMPLE = Path(__file__).parents[2] / "examples" / "vm" / "isord.c"
_MODULE = """
@state = global i32 7
@table = internal unnamed_addr constant [2 x i32] [i32 5, i32 6]
declare i32 @abs(i32)
define i32 @f(i32 %x) {
entry:
  %now = load i32, ptr @state
  %h = call i32 @helper(i32 %now)
  %y = add i32 %x, %h
  ret i32 %y
}
define internal i32 @helper(i32 %x) {
  %at = getelementptr [2 x i32], ptr @table, i64 0, i64 1
  %six = load i32, ptr %at
  %y = mul i32 %x, %six
  ret i32 %y
}
define zeroext i8 @narrow(i8 zeroext %x) {
  ret i8 %x
}
define fastcc i32 @fast(i32 %x) {
  ret i32 %x
}
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.chdir(tmp_path)
    Path("module.ll").write_text(_MODULE, encoding="ascii")
    made = Workbench()
    made.load("module.ll")
    yield made
    made.close()


def _edit(text: str, old: str, new: str) -> None:
    assert old in text
    Path("edited.ll").write_text(text.replace(old, new), encoding="ascii")


def test_a_whole_module_or_what_the_shell_prints_becomes_a_version(bench: Workbench) -> None:
    assert bench.call("f", ["1"]).text == "43"
    _edit(bench.ir("f"), "add i32 %x, %h", "sub i32 %x, %h")
    assert bench.load_edited("edited.ll", "f@minus") == ["f@minus"]
    assert bench.call("f@minus", ["1"]).text == "-41"
    _edit(_MODULE, "add i32 %x, %h", "mul i32 %x, %h")
    assert bench.load_edited("edited.ll", "f@times") == ["f@times"]
    assert bench.call("f@times", ["2"]).text == "84"  # the state and the helper are the program's
    _edit(_MODULE, "i32 6]", "i32 8]")
    assert bench.load_edited("edited.ll", "all") == ["f@all", "helper@all", "narrow@all", "fast@all"]
    bench.switch("helper", "all")
    assert bench.call("f@base", ["1"]).text == "57"  # the table is a constant: the file's own is taken
    assert bench.call("f", ["1"]).text == "57"


@pytest.mark.parametrize(
    ("old", "new", "function", "said"),
    [
        ("@f(i32 %x)", "@f(i32 %x, i32 %more)", "f", r"its type is i32 \(i32, i32\), the program's is i32 \(i32\)"),
        ("fastcc i32", "i32", "fast", "its calling convention is C, the program's is fastcc"),
        ("i8 zeroext %x", "i8 %x", "narrow", "its parameter 1 is plain, the program's is zeroext"),
        ("zeroext i8", "i8", "narrow", "its result is plain, the program's is zeroext"),
        ("@state = global i32", "@state = global i64", "f", "state is i64, the program's is i32"),
        ("@state", "@own", "f", "it uses own, which the file defines and the program does not have"),
        ("@helper", "@hilfe", "f", "it uses hilfe.module, which the file defines and the program does not have"),
        (
            "internal unnamed_addr constant [2 x i32] [i32 5, i32 6]",
            "internal constant [2 x i32] [i32 5, i32 8]",
            "helper",
            "it uses table.module, which has another value in the program",
        ),
        ("@f(", "@g(", "f", "it defines g, helper, narrow, fast"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(
    bench: Workbench, old: str, new: str, function: str, said: str
) -> None:
    _edit(_MODULE, old, new)
    with pytest.raises(InputError, match=said) as refused:
        bench.load_edited("edited.ll", f"{function}@new")
    assert refused.value.slug == "edited-function"
    assert [each.name for each in bench.versions(function)] == ["base"]


def test_what_is_missing_is_told_at_once(bench: Workbench) -> None:
    _edit(bench.ir("f"), "ret i32 %y", "ret i32 %nowhere")
    with pytest.raises(InputError, match="nowhere"):
        bench.load_edited("edited.ll", "f@new")
    _edit(_MODULE.replace("@abs", "@absent"), "%y = add i32 %x, %h", "%y = call i32 @absent(i32 %h)")
    with pytest.raises(InputError, match="absent"):
        bench.load_edited("edited.ll", "f@new")
    with pytest.raises(InputError, match=r"[nN]o such file"):
        bench.load_edited("nowhere.ll", "f@new")
    _edit(_MODULE, " add ", " sub ")
    with pytest.raises(UsageError, match="there is one of that name"):
        bench.load_edited("edited.ll", "f@base")
    assert [each.name for each in bench.versions("f")] == ["base"]


def test_a_session_edits_and_counts(tmp_path: Path) -> None:
    def session(commands: str) -> list[dict[str, Any]]:
        (tmp_path / "session.txt").write_text(f"load {_EXAMPLE}\n{commands}")
        done = subprocess.run(
            [*SONDE, "vm", "--json", "session.txt"],
            cwd=tmp_path, capture_output=True, text=True, timeout=300, env=environment(), check=False,
        )  # fmt: skip
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    saved = session(
        "ir isord\nir isord --save edited.ll\n- ir isord --save edited.ll\nir isord --save edited.ll --force\n"
    )
    assert [each["ok"] for each in saved] == [True, True, True, False, True]
    assert saved[3]["error"]["slug"] == "output-exists"
    printed = (tmp_path / "edited.ll").read_text()
    assert printed == saved[1]["result"]["ir"]
    body = re.search(r"icmp slt i64 %\d+, %\d+", printed)
    assert body is not None
    (tmp_path / "edited.ll").write_text(printed.replace(body[0], body[0].replace("slt", "ult")))
    answers = session(
        "load edited.ll into isord@mine\nprobe isord@mine entry %for.body\nprobe isord\n"
        "call is_ascending(i64[1, 2, 3, 4], 4)\ncall is_ascending(i64[2, 1, 3, 4], 4)\nprobe isord\n"
        "run 5\nprobe\n-probe isord %nowhere\nload edited.ll into too many\n"
    )
    results = [each.get("result", {}) for each in answers]
    assert results[1]["versions"] == ["isord@mine"]
    counts = [
        [point["count"] for point in each["probes"]] for each in results if "probes" in each
    ]  # fmt: skip
    assert counts[:2] == [[0, 0], [2, 4]]  # three comparisons, and one that ends it
    assert counts[2][0] > 2  # the program in its own process was counted, too
    errors = [each.get("error", {}).get("slug") for each in answers[-2:]]
    assert errors == ["osr-place", "missing-argument"]
