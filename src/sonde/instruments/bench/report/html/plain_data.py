"""Values of statistics as plain data, for the page."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def as_plain(value: object) -> Any:
    """Dictionaries, lists, strings and numbers for any value of statistics and judgements, field by field.

    >>> as_plain({"ends": (1.5, float("inf")), "counts": np.array([1, 2])})
    {'ends': [1.5, None], 'counts': [1, 2]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_plain(one) for key, one in value.items()}
    if isinstance(value, Iterable):
        return [as_plain(one) for one in value]
    return str(value)
