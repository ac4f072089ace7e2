"""The magics: `%%sonde` measures a cell, `%sonde bench` compares two expressions."""

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from sonde.base.errors import SondeError, UsageError
from sonde.base.units import format_duration
from sonde.instruments.contexts.report import contexts_report
from sonde.notebook.cell import Cell
from sonde.notebook.comparison import compared
from sonde.notebook.tinted_lines import lines_as_html, lines_of_cell
from sonde.render.terminal.report_text import report_text

if TYPE_CHECKING:
    from sonde.api import Block
    from sonde.notebook.shell import Shell

_BENCH = "bench"
_LAST = "sonde_block"
"""The name by which the notebook has the block of the last measured cell."""


def load_ipython_extension(shell: "Shell") -> None:
    """Make `%%sonde` and `%sonde` known: what `%load_ext sonde` calls."""

    def sonde(line: str, cell: str | None = None) -> None:
        """%%sonde: count the calls of a cell, with times. %sonde bench f() against g(): which is faster."""
        try:
            if cell is None:
                _compare(shell, line)
            else:
                _measure(shell, line, cell)
        except SondeError as error:
            print(error)

    shell.register_magic_function(sonde, "line_cell", "sonde")


def unload_ipython_extension(shell: "Shell") -> None:
    """Leave the magics: IPython has no way to take them out again."""


def _compare(shell: "Shell", line: str) -> None:
    verb, _, rest = line.strip().partition(" ")
    if verb != _BENCH:
        raise UsageError(
            f"cannot do '%sonde {line.strip()}': there is no such thing",
            slug="no-such-magic",
            hint="%sonde bench f() against g(), or %%sonde above a cell",
        )
    print(compared(rest, shell.user_ns))


def _measure(shell: "Shell", line: str, text: str) -> None:
    if line.strip():
        raise UsageError(
            f"cannot do '%%sonde {line.strip()}': it has no options", slug="no-such-magic", hint="leave them out"
        )
    cell = Cell(shell, text)
    block, error = cell.run(shell.user_ns)
    shell.user_ns[_LAST] = block
    try:
        shell.display_pub.publish(_shown(block, cell.file, text))
    except SondeError as untold:  # a cell that called nothing, or one that raised: what it raised comes first
        print(untold)
    if error is not None:
        raise error


def _shown(block: "Block", file: str, text: str) -> dict[str, str]:
    """The report, and above it the lines of the cell."""
    profile = block.measured()
    profile = replace(profile, run=replace(profile.run, command=("this", "cell")))  # else that of the kernel
    report = report_text(contexts_report(profile, with_data=False), columns=100)
    lines = lines_of_cell(profile, file, text)
    listed = [
        f"{format_duration(weight) if (weight := max(line.own_ns, line.callees_ns)) else '':>9}  {line.text}"
        for line in lines
    ]
    page = f'<pre style="font-family: monospace">{escape(report)}</pre>'
    return {
        "text/plain": "\n".join((*listed, "", report)),
        "text/html": lines_as_html(lines, profile.total_ns) + page,
    }
