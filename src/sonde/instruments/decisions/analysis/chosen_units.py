"""Which units of a run are shown, those with most time first."""

from sonde.instruments.decisions.analysis.filtered_units import check_times, is_chosen, nothing_left
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import Unit
from sonde.instruments.decisions.options import UnitFilter


def chosen_units(experiment: Experiment, *, only_hot: bool, of: UnitFilter | None = None) -> list[Unit]:
    """Units by their time, most first, and in the order of the record where it is equal.

    Args:
        only_hot: leave out what is not hot; without a profile nothing is left out.
        of: leave out what does not fit.
    Raises:
        UsageError: `min-share-needs-times`, `no-code-left`: nothing is left.
    """
    run = experiment.run
    is_told = only_hot and run.profile is not None
    units = [unit for unit in run.units if not is_told or unit.number in experiment.hot]
    if of is not None and of != UnitFilter():
        check_times(of, [run])
        units = [unit for unit in units if is_chosen(of, [(run, unit.period)], unit.method)]
        if not units:
            raise nothing_left(of, [run])
    return sorted(units, key=lambda unit: -unit.period)
