"""What path profiles say."""

from sonde.instruments.paths.analysis.hot_paths import HotPath, hot_paths

__all__ = ["HotPath", "hot_paths"]
