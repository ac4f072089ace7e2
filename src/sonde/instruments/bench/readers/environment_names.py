"""The names that sonde has for what tools say about the machine, so that environments can be compared."""

from collections.abc import Mapping

_HOUSE_NAMES = {
    "cpu_model_name": "cpu",
    "cpu_count": "cores",
    "num_cpus": "cores",
    "num_cpu": "cores",
    "load_avg_1min": "load",
    "load_avg": "load",
    "python_version": "python",
    "platform": "system",
}
"""A tool's name -> ours; other names stay as they are."""
_LEFT_OUT = {
    "executable",
    "hostName",
    "host_name",
    "hostname",
    "node",
    "python_config_args",
    "python_executable",
    "user",
    "userName",
}
"""Who and where, which tells nothing about times and is not passed on."""


def in_house_names(facts: Mapping[str, object]) -> dict[str, str]:
    """Facts about a machine under our names, as text.

    >>> in_house_names({"cpu_model_name": "a processor", "hostname": "box", "cpu_count": 2})
    {'cpu': 'a processor', 'cores': '2'}
    """
    return {
        _HOUSE_NAMES.get(name, name): str(value)
        for name, value in facts.items()
        if name not in _LEFT_OUT and isinstance(value, str | int | float) and str(value)
    }
