"""What a compiler decided in a run as plain data, for `--json`."""

from typing import Any

from sonde.base.errors import InputError
from sonde.instruments.decisions.experiments import Compilation, Experiment, Fragment, context_tree, prepared
from sonde.instruments.decisions.model import Unit
from sonde.instruments.decisions.report.chosen_units import chosen_units
from sonde.instruments.decisions.report.options import ShowOptions
from sonde.instruments.decisions.report.shares import share_of_run, total_share
from sonde.instruments.decisions.report.tree_data import Data, tree_as_data


def run_as_data(experiment: Experiment, options: ShowOptions | None = None) -> Data:
    """The run, its units, and the whole trees of those that are shown.

    Periods are in the unit that `profile.unit` names; shares are of the run's whole time, null without a profile.
    """
    options = options or ShowOptions()
    shown = {unit.number for unit in chosen_units(experiment, only_hot=options.only_hot)}
    return {
        "run": about_run(experiment),
        "trees": list(options.trees),
        "units": [
            compilation_as_data(experiment, unit) | (_trees(unit, options) if unit.number in shown else {})
            for unit in sorted(experiment.run.units, key=lambda unit: -unit.period)
        ],
    }


def about_run(experiment: Experiment) -> Data:
    """What a run is, without its units."""
    run = experiment.run
    profile = run.profile
    return {
        "name": run.name,
        "kind": run.kind,
        "compilation": run.compilation,
        "execution_id": run.execution_id,
        "offsets": run.offsets,
        "lines_from": run.lines_from,
        "units": len(run.units),
        "hot_units": len(experiment.hot),
        "profile": None
        if profile is None
        else {
            "source": profile.source,
            "unit": profile.unit,
            "total": profile.total,
            "samples": profile.samples,
            "entries": len(profile.entries),
        },
        "compiled_share": total_share(experiment, only_hot=False),
        "hot_share": total_share(experiment, only_hot=True),
        "doubts": [{"slug": doubt.slug, "text": doubt.text, "count": doubt.count} for doubt in run.doubts],
    }


def compilation_as_data(experiment: Experiment, compilation: Compilation) -> Data:
    """A unit or a fragment, without its trees."""
    data: dict[str, Any] = {
        "method": compilation.method,
        "id": compilation.id,
        "variant": compilation.variant,
        "version": compilation.version,
        "period": compilation.period,
        "share": share_of_run(experiment.run, compilation.period),
        "hot": experiment.is_hot(compilation),
    }
    if isinstance(compilation, Fragment):
        data["fragment_of"] = compilation.parent.method
        data["path"] = [{"method": site.method, "at": site.at} for site in compilation.path]
    source = experiment.run.sources.get(compilation.method)
    if source is not None:
        data["source"] = {"file": source.file, "first_line": source.first_line}
    return data


def _trees(unit: Unit, options: ShowOptions) -> Data:
    try:
        trees = prepared(unit.load(), options.prepare)
    except InputError as error:
        return {"failure": str(error)}
    data: Data = {}
    if "inlining" in options.trees:
        data["inlining"] = tree_as_data(trees.inlining)
    if "optimizations" in options.trees:
        data["optimizations"] = tree_as_data(trees.optimizations)
    if "context" in options.trees:
        data["context"] = tree_as_data(context_tree(trees))
    return data
