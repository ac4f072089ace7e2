"""Which units of a run are shown, those with most time first."""

from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import Unit


def chosen_units(experiment: Experiment, *, only_hot: bool) -> list[Unit]:
    """Units by their time, most first, and in the order of the record where it is equal.

    Args:
        only_hot: leave out what is not hot; without a profile nothing is left out.
    """
    run = experiment.run
    is_told = only_hot and run.profile is not None
    units = [unit for unit in run.units if not is_told or unit.number in experiment.hot]
    return sorted(units, key=lambda unit: -unit.period)
