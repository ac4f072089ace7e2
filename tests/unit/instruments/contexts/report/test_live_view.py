"""The live view: a block that is drawn in place, and leaves what the program prints alone."""

import io

import pytest

from fake_terminal import FakeTerminal
from sonde.instruments.contexts.profile import ContextProfile, Function
from sonde.instruments.contexts.report.terminal import LiveView
from sonde.instruments.contexts.report.terminal.live_page import live_lines
from tree_builder import profile_of

BUSY = """
main 10 x7
  parse @101 20
    token @201 500 x1000
  write @102 470 x3
"""
SECOND = 10**9


@pytest.fixture(autouse=True)
def steerable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def live_on(terminal: FakeTerminal) -> LiveView:
    return LiveView(terminal, size=terminal.size, colour=False)


def busy(times: int = 1) -> ContextProfile:
    return profile_of(BUSY.replace("500", str(500 * times)))


def block_of(terminal: FakeTerminal) -> list[str]:
    """What is drawn, from the line with the totals on."""
    screen = terminal.screen
    return screen[next(i for i, line in enumerate(screen) if " elapsed · " in line) :]


def test_a_snapshot_has_totals_the_tree_and_the_hottest_functions() -> None:
    terminal = FakeTerminal()
    live_on(terminal).show(busy(), 12_300_000_000)
    block = block_of(terminal)
    assert block[0] == "12.3 s elapsed · 1.00 us in threads · 1,011 calls · 4 contexts"
    assert any("├ parse" in line for line in block)
    assert any(line.split()[-2:] == ["token", "app.py:300"] and "50.0%" in line for line in block[6:])
    assert len(block) == 16  # two thirds of the terminal


def test_a_snapshot_takes_the_place_of_the_one_before() -> None:
    terminal = FakeTerminal()
    live = live_on(terminal)
    for second in range(1, 5):
        live.show(busy(second), second * SECOND)
    assert sum(" elapsed · " in line for line in terminal.screen) == 1
    assert block_of(terminal)[0].startswith("4.00 s elapsed · 2.50 us in threads")
    assert terminal.scrolled_off == []


def test_a_drawing_is_one_write_and_erases_nothing_before_it_draws() -> None:
    terminal = FakeTerminal()
    live = live_on(terminal)
    live.show(busy(), SECOND)
    terminal.writes.clear()
    live.show(busy(2), 2 * SECOND)
    assert len(terminal.writes) == 1
    assert "\x1b[J" not in terminal.writes[0]


def test_what_the_program_prints_stays_in_order_above_the_block() -> None:
    terminal = FakeTerminal(rows=15)
    live = live_on(terminal)
    printed = [f"line {number}" for number in range(40)]
    for number, line in enumerate(printed):
        if number % 3 == 0:
            live.show(busy(), number * SECOND)
        terminal.write(f"{line}\n")
    live.close()
    assert [line for line in terminal.scrolled_off + terminal.screen if line] == printed


def test_a_line_that_the_program_has_not_ended_goes_on_where_it_was() -> None:
    terminal = FakeTerminal()
    live = live_on(terminal)
    terminal.write("\n" * 30 + "working ")
    for second in range(3):
        live.show(busy(), second * SECOND)
        terminal.write(".")
    terminal.write("\rdone   ")
    live.close()
    assert [line for line in terminal.screen if line] == ["done    ..."]


def test_closing_leaves_a_clean_terminal_that_scrolls_wholly() -> None:
    terminal = FakeTerminal()
    terminal.write("before\n")
    live = live_on(terminal)
    live.show(busy(), SECOND)
    assert not terminal.scrolls_wholly
    terminal.write("during\n")
    live.close()
    live.close()
    terminal.write("after\n")
    assert terminal.scrolls_wholly
    assert terminal.screen[:3] == ["before", "during", "after"]
    assert not any(terminal.screen[3:])


def test_after_closing_it_can_be_shown_again() -> None:
    terminal = FakeTerminal()
    with live_on(terminal) as live:
        live.show(busy(), SECOND)
        live.close()
        live.show(busy(), 2 * SECOND)
        assert block_of(terminal)[0].startswith("2.00 s")
    assert terminal.scrolls_wholly
    assert not any(terminal.screen)


def test_nothing_is_written_when_nothing_was_shown() -> None:
    terminal = FakeTerminal()
    live_on(terminal).close()
    assert terminal.writes == []


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (70, 16), (61, 12)])
def test_a_change_of_size_moves_the_block(columns: int, rows: int) -> None:
    terminal = FakeTerminal()
    live = live_on(terminal)
    terminal.write("printed\n")
    live.show(busy(), SECOND)
    terminal.resize(columns=columns, rows=rows)
    live.show(busy(), 2 * SECOND)
    assert terminal.screen[0] == "printed"
    assert sum(" elapsed · " in line for line in terminal.screen) == 1
    live.close()
    assert [line for line in terminal.screen if line] == ["printed"]


def test_a_terminal_that_became_too_small_gets_lines() -> None:
    terminal = FakeTerminal()
    live = live_on(terminal)
    live.show(busy(), SECOND)
    terminal.resize(columns=80, rows=5)
    live.show(busy(), 2 * SECOND)
    assert terminal.scrolls_wholly
    assert [line for line in terminal.screen if line] == [
        "sonde: 2.00 s elapsed, 1,011 calls, hottest token (app.py:300) 50.0%"
    ]


def test_no_terminal_gets_one_line_for_each_snapshot() -> None:
    log = io.StringIO()
    live = LiveView(log)
    live.show(busy(), SECOND)
    live.show(profile_of("", clock="none"), 2 * SECOND)
    live.close()
    assert log.getvalue() == (
        "sonde: 1.00 s elapsed, 1,011 calls, hottest token (app.py:300) 50.0%\nsonde: 2.00 s elapsed, 0 calls\n"
    )


def test_a_terminal_that_cannot_be_steered_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal = FakeTerminal()
    live_on(terminal).show(busy(), SECOND)
    assert terminal.writes == ["sonde: 1.00 s elapsed, 1,011 calls, hottest token (app.py:300) 50.0%\n"]


def test_a_terminal_that_went_away_is_left_alone() -> None:
    class Broken(FakeTerminal):
        def write(self, text: str) -> int:
            super().write(text)
            raise OSError(5, "Input/output error")

    terminal = Broken()
    live = live_on(terminal)
    for second in range(3):
        live.show(busy(), second * SECOND)
    live.close()
    assert len(terminal.writes) == 1


def test_names_cannot_steer_the_terminal() -> None:
    evil = {"token": Function("a\x1b[2J\nb", "app", "bell\x07.py", 1)}
    terminal = FakeTerminal()
    live_on(terminal).show(profile_of(BUSY, functions=evil), SECOND)
    assert "\x1b[2J" not in terminal.writes[0]
    assert "\x07" not in terminal.writes[0]
    log = io.StringIO()
    LiveView(log).show(profile_of(BUSY, functions=evil), SECOND)
    assert log.getvalue().count("\n") == 1


def test_colours_are_those_of_the_stream() -> None:
    coloured, plain = FakeTerminal(), FakeTerminal()
    LiveView(coloured, size=coloured.size).show(busy(), SECOND)
    live_on(plain).show(busy(), SECOND)
    assert "\x1b[31;1m" in coloured.writes[0]
    assert "\x1b[31;1m" not in plain.writes[0]
    assert coloured.screen == plain.screen


def test_of_the_tree_as_much_is_shown_as_has_room_and_the_rest_is_summed_up() -> None:
    outline = "main 0\n" + "\n".join(f"  work{i} @{i + 2} {100 - i}" for i in range(30))
    lines = live_lines(profile_of(outline), SECOND, width=79, height=16)
    assert len(lines) == 16
    assert sum("├ work" in line for line in lines) == 7
    assert any("… 23 more contexts" in line for line in lines)


def test_before_anything_was_seen_it_says_so() -> None:
    assert live_lines(profile_of(""), SECOND, width=79, height=16)[-1] == "nothing was seen yet"
