"""How often a difference is seen: the tables and the picture of docs/notes/stopping-and-power.md.

    python benches/power_curves.py           # writes both anew
    python benches/power_curves.py --check   # fails if they are not as this program would write them

Nothing is simulated or measured: the numbers are those of sonde.stats.power, which tests compare with other programs
and with simulated experiments. Two independent samples of normal values, 95 %.
"""

import argparse
import sys
from pathlib import Path

from sonde.stats.power import power_curve, smallest_visible

_DOCS = Path(__file__).parent.parent / "docs"
NOTE = _DOCS / "notes" / "stopping-and-power.md"
PICTURE = _DOCS / "images" / "power-curves.svg"
BEGIN, END = "<!-- written by benches/power_curves.py -->\n", "<!-- end -->\n"

EFFECTS = (0.005, 0.01, 0.02, 0.05)
VARIATIONS = (0.005, 0.01, 0.02, 0.05, 0.1)
INVOCATIONS = (10, 20, 30, 50, 100)

PANELS = (0.01, 0.02, 0.05)
"""Coefficients of variation that are drawn."""

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 220.0, 180.0, 44.0, 30.0, 26.0
_LARGEST = 0.06
"""Effect at the right end of a panel."""
_STEPS = 60
_COLOURS = ("#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08306b")


def tables() -> str:
    """Markdown: power by variation, effect and number, and the smallest visible effects."""
    lines = ["| variation | difference |" + "".join(f" n = {n} |" for n in INVOCATIONS)]
    lines.append("|---|---|" + "---:|" * len(INVOCATIONS))
    for variation in VARIATIONS:
        powers = [power_curve(EFFECTS, variation, n) for n in INVOCATIONS]
        for row, effect in enumerate(EFFECTS):
            cells = "".join(f" {_percent(float(column[row]))} |" for column in powers)
            lines.append(f"| {variation:.1%} | {effect:.1%} |{cells}")
    lines += ["", "The smallest slow-down that is seen in 80 % of experiments:", ""]
    lines.append("| variation |" + "".join(f" n = {n} |" for n in INVOCATIONS))
    lines.append("|---|" + "---:|" * len(INVOCATIONS))
    for variation in VARIATIONS:
        cells = "".join(f" {smallest_visible(variation, n):.2%} |" for n in INVOCATIONS)
        lines.append(f"| {variation:.1%} |{cells}")
    return "\n".join(lines) + "\n"


def _percent(power: float) -> str:
    return "> 99" if power >= 0.995 else f"{100.0 * power:.0f}"


def picture() -> str:
    """SVG: power against the difference, one panel for each variation."""
    width = _LEFT + len(PANELS) * (_WIDTH + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {_TOP + _HEIGHT + 46:.0f}" '
        'font-family="sans-serif" font-size="11">',
        "<title>How often a difference of two means is seen, by its size, the coefficient of variation, and the "
        "number of invocations</title>",
        f'<rect width="{width:.0f}" height="{_TOP + _HEIGHT + 46:.0f}" fill="#ffffff"/>',
    ]
    for index, variation in enumerate(PANELS):
        parts += _panel(_LEFT + index * (_WIDTH + _GAP), variation, index == 0)
    middle = _LEFT + (len(PANELS) * (_WIDTH + _GAP) - _GAP) / 2.0
    parts.append(
        f'<text x="{middle:.0f}" y="{_TOP + _HEIGHT + 38:.0f}" text-anchor="middle">true difference of the means</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(left: float, variation: float, has_scale: bool) -> list[str]:
    effects = [step * _LARGEST / _STEPS for step in range(_STEPS + 1)]
    parts = [
        f'<text x="{left + _WIDTH / 2:.0f}" y="{_TOP - 12:.0f}" text-anchor="middle" font-weight="bold">'
        f"coefficient of variation {variation:.0%}</text>"
    ]
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        y = _TOP + _HEIGHT * (1.0 - share)
        colour = "#888888" if share in (0.0, 0.8) else "#dddddd"
        parts.append(f'<path d="M{left:.0f} {y:.1f}h{_WIDTH:.0f}" stroke="{colour}" stroke-width="0.7"/>')
        if has_scale:
            parts.append(f'<text x="{left - 6:.0f}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for percent in range(round(_LARGEST * 100) + 1):
        x = left + _WIDTH * percent / 100.0 / _LARGEST
        parts.append(f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 16:.0f}" text-anchor="middle">{percent} %</text>')
    for invocations, colour in zip(INVOCATIONS, _COLOURS, strict=True):
        powers = [float(power) for power in power_curve(effects, variation, invocations)]
        points = " ".join(
            f"{left + _WIDTH * effect / _LARGEST:.1f},{_TOP + _HEIGHT * (1.0 - power):.1f}"
            for effect, power in zip(effects, powers, strict=True)
        )
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6">'
            f"<title>{invocations} invocations of each</title></polyline>"
        )
    return parts + _legend(left, variation)


def _legend(left: float, variation: float) -> list[str]:
    if variation != PANELS[0]:
        return []
    parts = []
    for row, (invocations, colour) in enumerate(zip(INVOCATIONS, _COLOURS, strict=True)):
        y = _TOP + _HEIGHT - 76.0 + 15.0 * row
        parts.append(f'<path d="M{left + 140:.0f} {y - 4:.1f}h18" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{left + 163:.0f}" y="{y:.1f}">n = {invocations}</text>')
    return parts


def note_with(text: str, note: str) -> str:
    """The note with its tables replaced."""
    before, rest = note.split(BEGIN)
    return before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1]


def is_fresh() -> bool:
    """Whether note and picture are as this program writes them."""
    note = NOTE.read_text(encoding="utf-8")
    return note == note_with(tables(), note) and PICTURE.read_text(encoding="utf-8") == picture()


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if something would change")
    if parser.parse_args().check:
        return 0 if is_fresh() else 1
    NOTE.write_text(note_with(tables(), NOTE.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
