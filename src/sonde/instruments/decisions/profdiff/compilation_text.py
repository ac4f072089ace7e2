"""Compilations by their ids, times and origins: in the list of a method, and above their trees."""

from collections.abc import Iterator

from sonde.instruments.decisions.experiments import Compilation, Experiment, Fragment, MethodPair
from sonde.instruments.decisions.model import NO_OFFSET, Unit
from sonde.instruments.decisions.profdiff.java_text import quotient, two_places, value_text
from sonde.instruments.decisions.profdiff.lines import Line

_ORIGIN = "  |_ a fragment of "


def pair_lines(pair: MethodPair) -> Iterator[Line]:
    """The name of a method, where it is hot, and its compilations in both experiments."""
    hot_in = [number for number in (1, 2) if pair.is_hot_in(number)]
    only = f" is hot only in experiment {hot_in[0]}" if len(hot_in) == 1 else ""
    yield 0, f"Method {pair.method}{only}"
    for experiment in (pair.first, pair.second):
        yield from compilation_list(experiment, pair.method)


def compilation_list(experiment: Experiment, method: str) -> Iterator[Line]:
    """The compilations of a method in one experiment, those with most time first."""
    compilations = experiment.compilations(method)
    is_profiled = experiment.run.profile is not None
    yield 1, f"In experiment {experiment.number}"
    if not compilations:
        yield 2, "No compilations"
        return
    hot = sum(map(experiment.is_hot, compilations))
    yield 2, f"{len(compilations)} compilations" + (f" ({hot} of which are hot)" if is_profiled else "")
    yield 2, "Compilations"
    for compilation in compilations:
        mark = " *hot*" if is_profiled and experiment.is_hot(compilation) else ""
        yield 3, f"{_identity(compilation)}{_share(compilation, experiment)}{mark}"
        if isinstance(compilation, Fragment):
            yield from _origin(compilation)


def compilation_title(compilation: Compilation, experiment: Experiment) -> str:
    """What stands above the trees of a compilation."""
    kind = "fragment" if isinstance(compilation, Fragment) else "unit"
    share = _share(compilation, experiment)
    return f"Compilation {kind} {_identity(compilation)}{share} in experiment {experiment.number}"


def _identity(compilation: Compilation) -> str:
    # A fragment is a piece of a variant, not a variant of its method.
    variant = compilation.variant if isinstance(compilation, Unit) else None
    return f"{compilation.id:>5}" + ("" if variant is None else f" of multi-method {variant}")


def _share(compilation: Compilation, experiment: Experiment) -> str:
    profile = experiment.run.profile
    if profile is None:
        return ""
    of_compiled, of_all = (
        two_places(quotient(compilation.period, whole) * 100, 5)
        for whole in (experiment.run.compiled_period, profile.total)
    )
    return f" consumed {of_compiled}% of Graal execution, {of_all}% of total"


def _origin(fragment: Fragment) -> Iterator[Line]:
    """The way from the root of the parent to the fragment."""
    start = _ORIGIN
    for site in fragment.path:
        place = "" if site.at == NO_OFFSET else f" at bci {site.at}"
        name = value_text(site.method)  # `null`, where trees say `unknown`
        yield 3, f"{start}{name}{place}"
        start = " " * len(_ORIGIN)
