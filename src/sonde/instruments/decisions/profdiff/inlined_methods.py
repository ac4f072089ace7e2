"""What is hot in a run without a profile, known from another run of the program."""

from sonde.instruments.decisions.experiments import Experiment


def mark_inlined_methods(guide: Experiment, *marked: Experiment) -> None:
    """Make all units of methods hot that are in hot units of another run: the compiled methods, and the inlined ones.

    Args:
        guide: the run that has a profile; its hot units are marked.
        marked: runs without one.
    Raises:
        InputError: `bad-decision-record`.
    """
    for unit in guide.run.units:
        if not guide.is_hot(unit):
            continue
        waiting = [unit.load().inlining]
        methods = set()
        while waiting:
            site = waiting.pop()
            if (site.inlined or site.is_root) and site.method is not None:
                methods.add(site.method)
            waiting.extend(site.children)
        for experiment in marked:
            experiment.mark_hot_methods(methods)
