"""The report of a profile, as text and as data."""

import io
import re
from dataclasses import replace

import pytest

from fake_terminal import TerminalText
from golden_text import GoldenText
from report_json import all_rows, left_out, table
from sonde.base.fitted_text import display_width
from sonde.instruments.contexts.profile import ContextProfile, Contexts, Function, Loss
from sonde.instruments.contexts.report import ContextLimits, contexts_report
from sonde.instruments.contexts.shown_code import ShownCode
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import print_report, report_text
from tree_builder import chain_of, profile_of

BUSY = """
main 10
  parse @101 20
    token @201 500 x1000
  write @102 470 x3
"""


def shown(profile: ContextProfile, *, width: int = 100, colour: bool = False, **limits: float) -> str:
    stream = io.StringIO()
    report = contexts_report(profile, ContextLimits(**limits))  # type: ignore[arg-type]
    print_report(report, stream, width=width, colour=colour, is_verbose=True)
    return stream.getvalue()


def tree_lines(text: str) -> list[str]:
    """The lines of the tree, without header and footer."""
    lines = text.split("calling contexts")[1].split("\n\n")[0].splitlines()
    return [line for line in lines[2:] if not line.startswith("not listed")]


@pytest.mark.parametrize("width", [80, 120])
def test_a_profile_looks_as_it_did(width: int, golden: GoldenText) -> None:
    lost = (Loss("events-not-recorded", 12, "there was no room for them"),)
    golden(shown(profile_of(BUSY, losses=lost), width=width), f"contexts/views/busy-{width}.txt")


def test_each_context_has_its_weights_and_its_place() -> None:
    text = shown(profile_of(BUSY))
    assert re.search(r"1\.00 us +100\.0% +10 ns +1 +main +app\.py:100", text)
    assert re.search(r"520 ns +52\.0% +20 ns +1 +├─ parse", text)
    assert re.search(r"500 ns +50\.0% +500 ns +1,000 +│  token", text)


def test_an_only_callee_stands_right_below_its_caller() -> None:
    names = [line.split("  ", 4)[-1] for line in tree_lines(shown(profile_of("a 10\n  b @1 10\n    c @1 10")))]
    assert not any(guide in "".join(names) for guide in "├└│")


def test_recursion_is_one_line_with_the_number_of_levels() -> None:
    text = shown(chain_of(25))
    assert "down ×25 levels" in text
    assert len(tree_lines(text)) == 1


def test_recursion_from_two_lines_gathers_what_all_levels_call() -> None:
    profile = profile_of("""
fib 10
  fib @1 10
    leaf @3 100
  fib @2 10
    leaf @3 100 x2
""")
    lines = tree_lines(shown(profile))
    assert len(lines) == 2
    assert re.search(r"200 ns .* 3 +leaf", lines[1])


def test_deep_recursion_does_not_exhaust_the_stack() -> None:
    assert "×50,000 levels" in shown(chain_of(50_000))


def test_deep_chains_of_different_functions_do_not_exhaust_the_stack_or_the_page() -> None:
    outline = "\n".join(f"{'  ' * depth}f{depth} @1 0" for depth in range(3000)) + f"\n{'  ' * 3000}leaf @1 100"
    lines = tree_lines(shown(profile_of(outline)))
    assert len(lines) == 3
    assert "⋮ 2999 frames: f1 → f2" in lines[1]
    assert all(display_width(line) <= 100 for line in lines)


def test_imports_are_one_line_with_all_that_they_ran() -> None:
    text = shown(importing())
    lines = tree_lines(text)
    assert len(lines) == 2
    assert re.search(r"90 ns +90\.0% +90 ns +4 +\(imports\)", lines[1])
    assert re.search(r"90 ns +90\.0% +90 ns +4 +\(imports of 1 module\)", text.split("hottest functions")[1])


def test_imports_are_shown_on_request_below_the_code_that_asked_for_them() -> None:
    report = contexts_report(importing(), code=ShownCode(imports=True))
    lines = tree_lines(report_text(report, columns=100))
    assert len(lines) == 3
    assert re.search(r"60 ns +60\.0% +60 ns +1 +├─ <module json>", lines[1])
    assert re.search(r"30 ns +30\.0% +30 ns +3 +└─ \(import machinery\)", lines[2])


def importing() -> ContextProfile:
    """A function that imports a module."""
    machinery = {
        name: Function(name, "importlib._bootstrap", "<frozen importlib._bootstrap>", 1)
        for name in ("_find_and_load", "_load_unlocked")
    } | {"exec": Function("exec", "builtins", "", 0, "builtin"), "json": Function("json", "json", "j.py", 1, "module")}
    return profile_of(
        """
main 10
  _find_and_load @3 10
    _load_unlocked @1 10
      exec @1 10
        json @1 60
""",
        functions=machinery,
    )


def test_what_is_hidden_is_summed_up_where_it_is_missing() -> None:
    outline = "main 0\n  big @1 900\n" + "\n".join(f"  small{i} @{i + 2} 5" for i in range(20))
    text = shown(profile_of(outline))
    assert re.search(r"100 ns +10\.0% +└─ … 20 more contexts", text)
    assert "not listed: 20 contexts, which hold 10.0% of the time" in text


def test_what_is_below_a_leaf_of_the_picture_is_counted_in_its_label() -> None:
    text = shown(profile_of(BUSY), rows=1)
    assert "main … 3 below" in text


def test_unread_contexts_are_said_to_be_more_than_those_counted() -> None:
    whole = profile_of(BUSY)
    tree = whole.contexts
    columns = (tree.parent, tree.function, tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    pruned = replace(whole, contexts=Contexts(*(column[:2] for column in columns)), pruned_contexts=2)
    text = shown(pruned)
    assert "… smaller contexts" in text
    assert "from the 2 heaviest contexts alone, which hold 3.0% of the self time" in text


def test_siblings_of_the_same_function_are_told_apart_by_the_line_they_are_called_from() -> None:
    text = shown(profile_of("main 0\n  work @11 10\n  work @12 20"))
    assert "work from line 11" in text
    assert "work from line 12" in text


def test_calls_replace_time_when_time_was_not_measured() -> None:
    text = shown(profile_of("main x1\n  work @2 x99", clock="none"))
    assert "calls only, no times" in text
    assert re.search(r"100 +100\.0% +1 +main", text)
    assert " ns" not in text


def test_the_function_table_counts_recursion_once() -> None:
    table = shown(chain_of(10, self_ns=10)).split("hottest functions")[1]
    assert re.search(r"100 ns +100\.0% +100 ns +10 +down", table)


def test_losses_and_a_run_cut_off_are_warned_about() -> None:
    profile = profile_of(BUSY, losses=(Loss("contexts-not-stored", 7, "the limit was reached"),))
    text = shown(replace(profile, run=replace(profile.run, complete=False)))
    assert "! the limit was reached (contexts-not-stored: 7)" in text
    assert "! the run was cut off" in text


def test_an_empty_profile_says_so() -> None:
    assert "no calls were recorded" in shown(profile_of(""))


@pytest.mark.parametrize("width", [20, 40, 80, 100, 200])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    names = {
        "main": Function("名前" * 60, "pkg.sub.mod", "/a/very/long/path/" * 9 + "pkg/sub/mod.py", 7),
        "parse": Function("Outer.<locals>." * 12 + "parse", "pkg.mod", "/a/very/long/path/pkg/mod.py", 12345),
    }
    text = shown(profile_of(BUSY, functions=names, command=("python", "x" * 300)), width=width)
    assert max(map(display_width, text.splitlines())) <= width


def test_names_cannot_steer_the_terminal() -> None:
    evil = {"main": Function("a\x1b[2J\u202eb", "app", "bell\x07.py", 1)}
    text = shown(profile_of(BUSY, functions=evil))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x07" not in text


def test_colours_change_nothing_but_colour() -> None:
    painted = shown(profile_of(BUSY), colour=True)
    assert "\x1b[31;1m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == shown(profile_of(BUSY))


def test_no_color_is_honoured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = TerminalText(), TerminalText()
    print_report(contexts_report(profile_of(BUSY)), coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    print_report(contexts_report(profile_of(BUSY)), plain)
    assert "\x1b[" in coloured.getvalue()
    assert "\x1b[" not in plain.getvalue()


def test_an_encoding_without_guide_lines_gets_plain_ones() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    odd = {"write": Function("größe\udce9", "app", "app.py", 1)}
    print_report(contexts_report(profile_of(BUSY, functions=odd)), stream, width=100)
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "+- parse" in text
    assert "gr??e" in text


def test_the_data_holds_unfolded_contexts_below_their_callers() -> None:
    data = report_data(contexts_report(profile_of(BUSY), ContextLimits(rows=3)))
    (main,) = table(data, "unfolded_contexts")
    (parse,) = main["below"]
    (token,) = parse["below"]
    assert [each["function"]["label"] for each in (main, parse, token)] == ["main", "parse", "token"]
    assert (token["self"], token["call_line"], "call_line" in main) == (500, 201, False)
    assert left_out(data, "unfolded_contexts") == 1


def test_the_data_has_all_functions_however_few_are_printed() -> None:
    report = contexts_report(profile_of(BUSY), ContextLimits(functions=1))
    named = [row["function"]["label"] for row in all_rows(report_data(report), "functions")]
    assert named == ["token", "write", "parse", "main"]


def test_a_report_for_people_does_without_what_is_for_programs() -> None:
    report = contexts_report(profile_of(BUSY), with_data=False)
    assert [each.key for each in report.tables()] == ["contexts", "functions"]
    assert report_text(report, columns=100, is_verbose=True) == shown(profile_of(BUSY))
