"""One run as a page: its units, and of each all trees, with what words mean and the sources."""

from sonde.base.errors import InputError
from sonde.evidence import Loss
from sonde.instruments.decisions.analysis.chosen_units import chosen_units
from sonde.instruments.decisions.experiments import Experiment, prepared
from sonde.instruments.decisions.model import CallKind
from sonde.instruments.decisions.options import TREES, ShowOptions
from sonde.instruments.decisions.report.page_trees import PageTrees
from sonde.instruments.decisions.report.run_facts import doubt_blocks, page_blocks, run_facts
from sonde.instruments.decisions.report.run_headline import run_headline
from sonde.instruments.decisions.report.run_report import TREE_TITLES, kinds_notice, tree_root, unit_table
from sonde.report import Block, MoreOf, Note, Notices, Report


def run_page(experiment: Experiment, options: ShowOptions | None = None) -> Report:
    """What a compiler decided in a run, to be looked through.

    Args:
        experiment: a run with its hot units marked.
    Cost: reads the trees of all units; at most `page_trees.MAX_NODES` nodes are in the page, which says what it leaves
        out.
    """
    options = options or ShowOptions()
    run = experiment.run
    units = chosen_units(experiment, only_hot=options.only_hot, of=options.filter)
    doubts = [*doubt_blocks([experiment], [""])]
    head: list[Block] = [*run_facts(experiment, "run"), *doubts[:1]]
    trees = PageTrees([run])
    told: list[Block] = []
    failures = []
    for place, unit in enumerate(units):
        try:
            whole = prepared(unit.load(), options.prepare)
        except InputError as error:
            failures.append(Loss("", 0, f"{unit.method}: {str(error).partition(chr(10))[0]}"))
            continue
        for tree in TREES:
            title = f"{TREE_TITLES[tree]} of {unit.method}"
            more_of = MoreOf("units", place, TREE_TITLES[tree])
            made = trees.of_one(f"{tree}-{place}", title, tree_root(whole, tree), unit.method, more_of)
            if made is not None:
                told.append(made)
    if failures:
        head.append(Notices(tuple(failures)))
    sources = trees.sources()
    head.extend(trees.remarks(sources))
    head.append(unit_table(experiment, units, options) if units else Note("no units to show"))
    legend = Notices((kinds_notice(set(CallKind)),))
    blocks = page_blocks([*head, *told, *trees.words(), *doubts[1:], legend])
    return Report("decisions", run.name, blocks, sources.texts, headline=run_headline(experiment, units))
