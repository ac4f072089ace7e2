"""A block for its reader: in a terminal, a notebook, the log of a build; or as a file."""

import os
import sys
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from sonde.base.errors import SondeError
from sonde.instruments.contexts.profile import ContextProfile, write_profile
from sonde.instruments.contexts.report import contexts_page, contexts_report
from sonde.options.output import check_output_path
from sonde.render.html import report_html
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import print_report, report_text
from sonde.report import Note, Report

_FRAME_PIXELS = 560

Measured = Callable[[], ContextProfile]
"""`Block.measured`."""


def show_report(measured: Measured) -> None:
    """Show it where the program's user looks; never raises."""
    shell = _notebook()
    if shell is not None:
        shell.display_pub.publish(mime_bundle(measured))
        return
    try:
        profile = measured()
    except SondeError as error:
        print(error)
        return
    print_report(_report(profile), sys.stdout)


def save_profile(measured: Measured, path: "os.PathLike[str] | str", *, force: bool, why_not: str) -> None:
    """See `Block.save`."""
    overwriting = "add force=True to overwrite it"
    output = check_output_path(Path(path), force=force, device_allowed=False, overwriting=overwriting)
    if why_not:
        print(f"sonde: wrote no '{output}': {why_not}", file=sys.stderr)
        return
    write_profile(output, measured())


def text_of(measured: Measured, columns: int) -> str:
    """See `Block.text`."""
    profile = _counted(measured)
    return f"{profile}\n" if isinstance(profile, SondeError) else report_text(_report(profile), columns=columns)


def markdown_of(measured: Measured) -> str:
    """See `Block.markdown`."""
    profile = _counted(measured)
    return report_markdown(_why_nothing(profile) if isinstance(profile, SondeError) else _report(profile))


def page_of(measured: Measured) -> str:
    """See `Block.html`."""
    profile = _counted(measured)
    return report_html(_why_nothing(profile) if isinstance(profile, SondeError) else contexts_page(profile))


def mime_bundle(measured: Measured) -> dict[str, str]:
    """What a notebook shows: the page in a frame of its own, or the text where it shows no pages; never raises."""
    try:
        profile = measured()
    except SondeError as error:
        return {"text/plain": str(error)}
    page = report_html(contexts_page(profile))
    return {
        "text/plain": report_text(_report(profile)),
        "text/html": f'<iframe title="sonde: what was hot" sandbox="allow-scripts" srcdoc="{escape(page)}" '
        f'style="width: 100%; height: {_FRAME_PIXELS}px; border: 0"></iframe>',
    }


def _counted(measured: Measured) -> ContextProfile | SondeError:
    """What was counted, or why nothing was; raises what else goes wrong."""
    try:
        return measured()
    except SondeError as error:
        if error.slug != "nothing-counted":
            raise
        return error


def _report(profile: ContextProfile) -> Report:
    return contexts_report(profile, with_data=False)


def _why_nothing(error: SondeError) -> Report:
    hint = (Note(f"hint: {error.hint}"),) if error.hint is not None else ()
    return Report("contexts", "sonde.profile()", hint, headline=(error.message,))


def _notebook() -> Any:
    """The shell of a Jupyter kernel that this process is; None elsewhere."""
    ipython = sys.modules.get("IPython")  # never imported for it
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if hasattr(shell, "kernel") else None
