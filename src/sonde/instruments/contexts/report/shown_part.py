"""The part of a profile that is shown, and in words what was left out."""

from dataclasses import dataclass

from sonde.base.units import format_count, format_share
from sonde.code import is_import_machinery
from sonde.instruments.contexts.profile import ContextProfile, focus_on, fold_imports, select_code
from sonde.instruments.contexts.shown_code import ShownCode
from sonde.report import Fact, Facts


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A profile, and what of it is shown."""

    counted: ContextProfile
    """The contexts as they were counted: all, or those from one function on."""
    folded: ContextProfile
    """The same with imports folded, unless they are asked for."""
    shown: ContextProfile
    """Of that the code that was asked for alone."""
    imports: str
    """What was imported, in words; empty where imports are not folded."""
    facts: tuple[Facts, ...]
    """What was asked for, in words."""

    @property
    def is_selected(self) -> bool:
        """Whether code was left out."""
        return any(fact.key == "code" for facts in self.facts for fact in facts.facts)


def shown_part(profile: ContextProfile, code: ShownCode) -> ShownPart:
    """Apply filters to a profile.

    Raises:
        UsageError: `no-such-function`, `no-code-left`: they leave nothing.
    Guarantee: the totals of `shown` are those of `counted`.
    Cost: O(n).
    """
    facts = []
    part = profile
    if code.from_ is not None:
        part = focus_on(profile, code.from_)
        weight = "time" if profile.has_time else "calls"
        of_run = format_share(part.whole, profile.whole)
        words = f"from '{{}}': {of_run} of the run's {weight}; shares below are of that part"
        facts.append(Fact("from", code.from_, words=words))
    shown = folded = part if code.imports else fold_imports(part)
    selection = code.selection
    if not selection.is_everything:
        shown = select_code(shown, selection)
        facts.append(Fact("code", selection.words()))
        facts.append(Fact("other_code", "time and calls of other code count for its callers"))
    blocks = (Facts(tuple(facts), "shown"),) if facts else ()
    return ShownPart(part, folded, shown, "" if code.imports else _imported(part), blocks)


def _imported(profile: ContextProfile) -> str:
    """How many modules were imported, as far as they were kept and read."""
    tree, functions = profile.contexts, profile.functions
    is_machinery = [is_import_machinery(function) for function in functions]
    if not any(is_machinery):
        return ""
    is_inside = bytearray(len(tree) + 1)  # the last one is the caller of roots, -1
    modules = set()
    for row, (above, function) in enumerate(zip(tree.parent, tree.function, strict=True)):
        is_inside[row] = is_inside[above] or is_machinery[function]
        if is_inside[row] and functions[function].kind == "module":
            modules.add(function)
    if not modules:
        return "imports"
    more = "+" if profile.pruned_contexts or profile.left_something_out else ""
    return f"imports of {format_count(len(modules))}{more} module{'s' if len(modules) != 1 or more else ''}"
