"""Caches, as the command line of sonde's Valgrind tool has them."""

from sonde.base.cache_geometry import CacheSettings


def caches_for_the_tool(settings: CacheSettings) -> str:
    """As the tool's command line has them: `I1:SIZE,WAYS,LINE;D1:...`, all in plain numbers."""
    geometries = (settings.instruction, *settings.levels)
    names = ("I1", "D1", *(f"L{number}" for number in range(2, len(settings.levels) + 1)))
    return ";".join(
        f"{name}:{each.size_bytes},{each.ways},{each.line_bytes}" for name, each in zip(names, geometries, strict=True)
    )
