"""Lines of a page break where they are too long."""

import io

from sonde.render.terminal.page import Page


def page_of(width: int) -> tuple[Page, io.StringIO]:
    stream = io.StringIO()
    return Page(stream, width=width), stream


def test_notes_of_a_heading_stand_below_it_where_there_is_no_room() -> None:
    page, stream = page_of(60)
    page.heading("functions", "by self time")
    page.heading("calling contexts that changed", "by 0.5% of the heavier run or more", "largest change first")

    assert stream.getvalue() == (
        "\nfunctions  by self time\n"
        "\ncalling contexts that changed\nby 0.5% of the heavier run or more  largest change first\n"
    )


def test_parts_are_kept_together_unless_they_fill_a_line_alone() -> None:
    page, stream = page_of(60)
    page.flow(["CPython", "423 units", "time by processor time, a look each 5 ms (self, biased): 67.3 ms", "2 hot"])

    assert stream.getvalue().splitlines() == [
        "CPython · 423 units · time by processor time, a look each 5",
        "ms (self, biased): 67.3 ms · 2 hot",
    ]
