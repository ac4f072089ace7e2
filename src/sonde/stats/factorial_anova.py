"""What each of several factors does to a mean, and what only their combination does."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError, UsageError
from sonde.stats.anova_table import AnovaRow, AnovaTable
from sonde.stats.comparison_assumptions import assumptions_of_residuals
from sonde.stats.complete_blocks import assumptions_in_rounds
from sonde.stats.distributions import f_tail
from sonde.stats.samples import Sample, checked_sample, is_constant

Sums = Literal["I", "II", "III"]
Matrix = npt.NDArray[np.float64]
Term = tuple[str, ...]
"""Factors whose interaction it is; one factor alone is its main effect."""

SEPARATOR = ":"
_ROUNDS, _RESIDUAL = "rounds", "residual"
"""Rows that are no factors'."""
NEGLIGIBLE = 1e-10
"""A column of the design that is explained by others up to this share of its length adds nothing but rounding."""


def factorial_anova(
    values: npt.ArrayLike,
    factors: Mapping[str, Sequence[str]],
    *,
    order: int | None = None,
    sums: Sums = "II",
    rounds: Sequence[int] | None = None,
) -> AnovaTable:
    """Split the variation of values into what each factor explains, what their interactions do, and the rest.

    Args:
        values: (n,), such as one mean for each invocation.
        factors: name -> the level of each value, such as `{"python": ["3.11", "3.12", ...], "flags": ["", "-O", ...]}`.
            Two or more levels each. Sizes of cells may differ.
        order: of how many factors an interaction is of at most: 1 for main effects only; None for all of them.
        sums: `I`: each term after those before it, main effects in the order of the mapping; `II`: each term after all
            that do not contain it; `III`: each term after all others, levels taken against the mean of all levels.
            For cells of equal sizes all three agree.
        rounds: of each value, where values were taken in rounds: what a round does to all its values is taken out
            before anything is judged, whichever type of sums. Rounds may lack values.
    Returns:
        A row for each term, factors of an interaction joined by `:`; `rounds`, where there are any; and `residual`.
    Raises:
        InputError: lengths differ, a factor has one level or the name `rounds` or `residual`, cells are empty so that a
            term cannot be told from others, no values are left to judge by (no replication), or the values do not vary.
        UsageError: there is no such type of sums.
    Cost: O(n p^2) for p columns of the design, for each term.
    Source: Yates, Journal of the American Statistical Association 29, 1934, the types as SAS names them; advocated for
        several factors by Georges, Buytaert and Eeckhout, OOPSLA 2007, section 3.4.2. Least squares by singular values;
        rounds by the theorem of Frisch, Waugh and Lovell: a term adjusted for blocks is the term less its block means.

    >>> table = factorial_anova([1.0, 2.0, 4.0, 5.0, 2.0, 3.0, 9.0, 8.0],
    ...                         {"jit": list("nnyynnyy"), "gc": list("aaaabbbb")})
    >>> [(row.source, round(row.sum_of_squares, 3)) for row in table.rows]
    [('jit', 40.5), ('gc', 12.5), ('jit:gc', 4.5), ('residual', 2.0)]
    """
    if sums not in ("I", "II", "III"):
        raise UsageError(f"cannot add squares by type '{sums}': the types are I, II, III", slug="no-such-sums")
    sample = checked_sample(values)
    levels = _checked_levels(factors, len(sample))
    terms = _terms(list(factors), len(factors) if order is None else order)
    columns = _columns(levels, terms)
    blocks = _blocks_of(rounds, len(sample))
    centred = sample - float(np.mean(sample))
    whole = list(columns.values())
    columns = {term: _within_blocks(column, blocks) for term, column in columns.items()}
    response = _within_blocks(centred, blocks)
    residuals, rank = _residuals(response, [columns[term] for term in terms])
    of_rounds = int(blocks.max())  # besides the intercept
    rank += of_rounds
    wanted = sum(columns[term].shape[1] for term in terms) + 1 + of_rounds
    _check_cells(levels, terms, rank, wanted, len(sample))
    freedom = float(len(sample) - rank)
    left = float(np.dot(residuals, residuals))
    # Rounding of the fit is what is left of values that the model explains to the last digit.
    if is_constant(sample) or left <= len(sample) * (1e-14 * float(np.abs(sample).max())) ** 2:
        raise InputError(
            "cannot analyse the variance: values of the same cell do not differ, so there is nothing to compare with",
            slug="no-variation",
        )
    mean_square = left / freedom
    rows = []
    for term in terms:
        without, against = _models(term, terms, sums)
        explained = _explained(response, [columns[other] for other in against], [columns[other] for other in without])
        rows.append(_row(term, explained, float(columns[term].shape[1]), mean_square, freedom))
    if of_rounds:
        taken_out = _residuals(centred, whole)[0] - residuals
        rows.append(_row((_ROUNDS,), float(np.dot(taken_out, taken_out)), float(of_rounds), mean_square, freedom))
    rows.append(AnovaRow(_RESIDUAL, left, freedom, mean_square, None, None))
    places = _cells(levels)
    cells = [(residuals if of_rounds else sample)[places == place] for place in np.unique(places)]
    grand = float(np.mean(sample))
    return AnovaTable(
        rows=tuple(rows),
        sizes=tuple(map(len, cells)),
        method=f"analysis of variance of {len(factors)} factors"
        + (f" in {of_rounds + 1} rounds" if of_rounds else "")
        + f", type {sums} sums of squares",
        assumptions=assumptions_in_rounds(residuals, cells, of_rounds + 1)
        if of_rounds
        else assumptions_of_residuals(residuals, cells),
        within=float(np.sqrt(mean_square)) / grand if grand > 0.0 else None,
    )


def _row(term: Term, explained: float, columns: float, mean_square: float, freedom: float) -> AnovaRow:
    f = explained / columns / mean_square
    return AnovaRow(SEPARATOR.join(term), explained, columns, explained / columns, f, f_tail(f, columns, freedom))


def _checked_levels(factors: Mapping[str, Sequence[str]], count: int) -> dict[str, npt.NDArray[np.int64]]:
    if not factors:
        raise InputError("cannot analyse the variance by factors: there are none", slug="bad-factor")
    levels = {}
    for name, given in factors.items():
        if name in (_ROUNDS, _RESIDUAL):
            raise InputError(
                f"cannot use factor '{name}': a row of the table is called that",
                slug="bad-factor",
                hint="give it another name",
            )
        if len(given) != count:
            raise InputError(
                f"cannot use factor '{name}': it has {len(given)} levels for {count} values", slug="bad-factor"
            )
        found, where = np.unique(np.asarray(given, dtype=np.str_), return_inverse=True)
        if len(found) < 2:
            raise InputError(
                f"cannot use factor '{name}': all values have the same level, '{found[0] if count else ''}'",
                slug="bad-factor",
                hint="leave it out",
            )
        levels[name] = where.astype(np.int64)
    return levels


def _blocks_of(rounds: Sequence[int] | None, count: int) -> npt.NDArray[np.int64]:
    """(n,) which round each value is of, from 0 on; all of one where there are none."""
    if rounds is None:
        return np.zeros(count, dtype=np.int64)
    if len(rounds) != count:
        raise InputError(f"cannot use rounds: {len(rounds)} are given for {count} values", slug="bad-factor")
    return np.unique(np.asarray(rounds), return_inverse=True)[1].astype(np.int64)


def _within_blocks(array: Matrix, blocks: npt.NDArray[np.int64]) -> Matrix:
    """Each column less its mean of each block; as it is where there is one block, of which the intercept takes care."""
    if not blocks.any():
        return array
    sums = np.zeros((int(blocks.max()) + 1, *array.shape[1:]))
    np.add.at(sums, blocks, array)
    counts = np.bincount(blocks).reshape(-1, *(1,) * (array.ndim - 1))
    return np.asarray(array - (sums / counts)[blocks])


def _terms(names: Sequence[str], order: int) -> list[Term]:
    """Main effects, then interactions of two factors, and so on."""
    return [term for size in range(1, max(1, order) + 1) for term in combinations(names, size)]


def _columns(levels: Mapping[str, npt.NDArray[np.int64]], terms: Sequence[Term]) -> dict[Term, Matrix]:
    """(n, p) columns of each term: deviations of levels from the mean of all, and their products.

    With these, sums of type III are what textbooks mean by them; for the others any coding will do.
    """
    single = {}
    for name, where in levels.items():
        count = int(where.max()) + 1
        coding = np.vstack([np.eye(count - 1), -np.ones(count - 1)])
        single[name] = coding[where]
    columns: dict[Term, Matrix] = {}
    for term in terms:
        product = single[term[0]]
        for name in term[1:]:
            product = (product[:, :, None] * single[name][:, None, :]).reshape(len(product), -1)
        columns[term] = product
    return columns


def _models(term: Term, terms: Sequence[Term], sums: Sums) -> tuple[list[Term], list[Term]]:
    """The terms that it is judged after, and those with it."""
    if sums == "I":
        without = list(terms[: terms.index(term)])
    elif sums == "II":
        without = [other for other in terms if not set(term) <= set(other)]
    else:
        without = [other for other in terms if other != term]
    return without, [*without, term]


def _explained(response: Sample, larger: Sequence[Matrix], smaller: Sequence[Matrix]) -> float:
    """By how much the larger model leaves less."""
    left, kept = _residuals(response, smaller)[0], _residuals(response, larger)[0]
    # The difference of the residuals is orthogonal to those of the larger model: no two large sums are subtracted.
    apart = left - kept
    return float(np.dot(apart, apart))


def _residuals(response: Sample, columns: Sequence[Matrix]) -> tuple[Sample, int]:
    """What least squares leave of the response, and the rank of the design with its intercept."""
    design = np.hstack([np.ones((len(response), 1)), *columns])
    left, scale, _ = np.linalg.svd(design, full_matrices=False)
    basis = left[:, scale > NEGLIGIBLE * scale[0]]
    residuals = response - basis @ (basis.T @ response)
    # Once more: what rounding left of the fit in them.
    return residuals - basis @ (basis.T @ residuals), basis.shape[1]


def _cells(levels: Mapping[str, npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    cells = np.zeros(len(next(iter(levels.values()))), dtype=np.int64)
    for where in levels.values():
        cells = cells * (int(where.max()) + 1) + where
    return cells


def _check_cells(
    levels: Mapping[str, npt.NDArray[np.int64]], terms: Sequence[Term], rank: int, wanted: int, count: int
) -> None:
    largest = max(len(term) for term in terms)
    if rank < wanted:
        possible = int(np.prod([int(where.max()) + 1 for where in levels.values()]))
        there = len(np.unique(_cells(levels)))
        raise InputError(
            f"cannot tell the {len(terms)} terms of the model apart: values are there for {there} of {possible} "
            "combinations of levels",
            slug="empty-cells",
            hint=f"interactions of at most {largest - 1} factors (order={largest - 1})" if largest > 1 else None,
        )
    if count <= rank:
        raise InputError(
            f"cannot judge {len(terms)} terms by {count} values: each combination of levels has one, so none show "
            "how values vary",
            slug="no-replication",
            hint=f"interactions of at most {largest - 1} factors (order={largest - 1})" if largest > 1 else None,
        )
