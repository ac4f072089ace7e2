"""The modules of a page's script put together into one text.

The language is a part of JavaScript's: a module imports names from modules beside it, at its head, as they are called
there; it exports functions, classes and constants where they are declared. What is put together has one scope, so that
no two modules may declare the same name, exported or not. Comments that have lines of their own are left out.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from sonde.base.errors import InternalError

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w]+\.js)";\n', re.M)
_DECLARATION = re.compile(r"^(export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.M)
_UNKNOWN = re.compile(
    r"^(?:import\b|export (?!(?:async )?(?:function|class|const|let) ?\*? ?\w)|(?:const|let) [{\[]|var ).*", re.M
)
"""What the language does not have: other imports and exports, patterns, and `var`."""
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.M)
_OPEN_QUOTE = re.compile(r"^[^`\n]*(?:`[^`\n]*`[^`\n]*)*`[^`\n]*$", re.M)
"""Text over several lines is not in the language either: a line of it may look like a comment."""


@dataclass(frozen=True, slots=True)
class _Module:
    name: str
    text: str
    imports: dict[str, tuple[str, ...]]
    """Names by module."""
    declared: tuple[str, ...]
    exported: frozenset[str]


def bundled(entry: Path) -> str:
    """One script of a module and all that it imports, each after those that it needs.

    Args:
        entry: the module that is run; the others lie beside it.
    Raises:
        InternalError: `invalid-page-script`: a statement that the language does not have, modules in a circle, an
            import of what is not exported, or a name that is declared twice.
    Guarantee: the same files give the same text, which runs as the modules would.
    """
    return f'"use strict";\n(() => {{\n{one_module(entry)}}})();\n'


def one_module(entry: Path) -> str:
    """One module, without imports and exports, of a module and all that it imports, each after those that it needs.

    Args, Raises: as `bundled`, which gives the same for what is put together of this.
    """
    modules: dict[str, _Module] = {}
    _visit(entry, modules, ())
    owners: dict[str, str] = {}
    for module in modules.values():
        for name in module.declared:
            if name in owners:
                raise _refusal(module.name, f"'{name}' is declared in '{owners[name]}', too")
            owners[name] = module.name
        for other, names in module.imports.items():
            for name in names:
                if name not in modules[other].exported:
                    raise _refusal(module.name, f"'{other}' does not export '{name}'")
    return "\n".join(module.text for module in modules.values())


def _visit(path: Path, done: dict[str, _Module], pending: tuple[str, ...]) -> None:
    if path.name in done:
        return
    if path.name in pending:
        raise _refusal(path.name, f"it imports itself by way of {' and '.join(pending[pending.index(path.name) :])}")
    module = _parsed(path)
    for other in module.imports:
        _visit(path.with_name(other), done, (*pending, path.name))
    done[path.name] = module


def _parsed(path: Path) -> _Module:
    source = path.read_text(encoding="ascii")
    imports: dict[str, tuple[str, ...]] = {}
    for match in _IMPORT.finditer(source):
        names = tuple(name.strip() for name in match[1].split(",") if name.strip())
        if not all(re.fullmatch(r"\w+", name) for name in names) or match[2] in imports:
            raise _refusal(path.name, f"not understood: {' '.join(match[0].split())}")
        imports[match[2]] = names
    text = _COMMENT.sub("", _IMPORT.sub("", source))
    if unknown := _UNKNOWN.search(text) or _OPEN_QUOTE.search(text):
        raise _refusal(path.name, f"not understood: {unknown[0]}")
    declarations = list(_DECLARATION.finditer(text))
    return _Module(
        path.name,
        re.sub(r"^export ", "", text, flags=re.M),
        imports,
        tuple(match[2] for match in declarations),
        frozenset(match[2] for match in declarations if match[1]),
    )


def _refusal(module: str, observed: str) -> InternalError:
    return InternalError(f"cannot put page script '{module}' into a page: {observed}", slug="invalid-page-script")
