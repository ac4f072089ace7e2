"""Programs with probes that their own builds made: the build, by compilers of ours, and the run."""

from sonde.instruments.contexts.sources.builds.build_log import BuildLog, read_build_log
from sonde.instruments.contexts.sources.builds.build_run import run_build
from sonde.instruments.contexts.sources.builds.built_program import environment_of, has_bursts, has_probes

__all__ = ["BuildLog", "environment_of", "has_bursts", "has_probes", "read_build_log", "run_build"]
