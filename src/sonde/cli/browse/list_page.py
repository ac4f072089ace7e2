"""The page that lists profiles: a search, a link for each, and boxes of which two are ticked to compare."""

from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from sonde.base.units import format_size
from sonde.cli.browse.profiles import ListedProfile

_STYLE = """
body { margin: 0; font: 15px/1.5 var(--sans); color: var(--ink); background: var(--page); }
main { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; } a { color: var(--accent); } .problem { color: var(--loss); }
table { border-collapse: collapse; width: 100%; background: var(--card); }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } .number { text-align: right; white-space: nowrap; }
td.about { overflow-wrap: anywhere; } pre { white-space: pre-wrap; }
.bar { display: flex; gap: 1rem; margin: 1rem 0; flex-wrap: wrap; align-items: center; }
input[type=search] { flex: 1; min-width: 12rem; } input, button { font: inherit; padding: .25rem .7rem; }
button { border: 1px solid var(--rule); border-radius: 4px; background: var(--card); cursor: pointer; }
"""


def list_page(folder: str, profiles: Sequence[ListedProfile], search: str) -> str:
    """The page.

    Args:
        profiles: all there are.
        search: words that are in each one that is shown.
    """
    shown = [each for each in profiles if each.has(search)]
    rows = "".join(map(_row, shown))
    if not profiles:
        told = "<p>There is no profile here: <code>sonde contexts -o run.sonde app.py</code> makes one.</p>"
    elif not shown:
        told = f"<p>None of {len(profiles):,} profiles has “{escape(search)}” in its name, kind or command.</p>"
    else:
        told = (
            "<form action=/compare><div class=bar><button>Compare the two that are ticked</button>"
            f"<span>{len(shown):,} of {len(profiles):,} profiles, newest first</span></div>"
            "<table><thead><tr><th><th>Profile<th>Kind<th>Program<th class=number>Written<th class=number>Size</thead>"
            f"<tbody>{rows}</tbody></table></form>"
        )
    return document(
        f"Profiles in {folder}",
        f"<form class=bar role=search><input type=search name=q aria-label=Search value='{escape(search)}'"
        f" placeholder='name, kind, program'><button>Search</button></form>{told}",
    )


def problem_page(problem: str) -> str:
    """Why a page cannot be shown."""
    return document("This cannot be shown", f"<pre class=problem>{escape(problem)}</pre><p><a href=/>All profiles</a>")


def document(title: str, body: str) -> str:
    """A page without scripts."""
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>"
        f"<meta name=viewport content='width=device-width'><style>{_style()}</style>"
        f"<main><h1>{escape(title)}</h1>{body}</main></html>"
    )


def _row(each: ListedProfile) -> str:
    name = escape(each.name)
    box = link = ""
    if each.kind:
        box = f"<input type=checkbox name=p value='{name}' aria-label='compare {name}'>"
        link = f"<a href='/view?p={quote(each.name, safe='')}'>{name}</a>"
    about = escape(each.about) if each.kind else f"<span class=problem>{escape(each.about)}</span>"
    return (
        f"<tr><td>{box}<td>{link or name}<td>{escape(each.kind)}<td class=about>{about}"
        f"<td class=number>{each.written:%Y-%m-%d %H:%M}<td class=number>{format_size(each.size_bytes)}"
    )


@cache
def _style() -> str:
    """The colours that pages of reports have, and what a list needs."""
    paper = files("sonde.render.html") / "components" / "paper.css"
    return paper.read_text(encoding="utf-8") + _STYLE
