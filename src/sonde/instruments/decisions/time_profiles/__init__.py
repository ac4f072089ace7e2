"""Where the time of a run went: what profilers wrote, as one kind of value, told apart by what is in the file."""

from sonde.instruments.decisions.time_profiles.call_times import read_call_times
from sonde.instruments.decisions.time_profiles.few_samples import few_samples
from sonde.instruments.decisions.time_profiles.java_versions import JavaVersion, Versions
from sonde.instruments.decisions.time_profiles.jfr import (
    JfrRecording,
    JfrSample,
    LinkedTime,
    link_samples,
    read_jfr,
    read_recording,
)
from sonde.instruments.decisions.time_profiles.jfr_events import is_jfr, is_printed_jfr, jfr_tool
from sonde.instruments.decisions.time_profiles.opening import profile_head
from sonde.instruments.decisions.time_profiles.perf_script import UNKNOWN, PerfSample, perf_samples, read_perf_script
from sonde.instruments.decisions.time_profiles.pprof import read_pprof
from sonde.instruments.decisions.time_profiles.proftool import ProftoolProfile, is_proftool, read_proftool
from sonde.instruments.decisions.time_profiles.reading import check_profile_file, is_time_profile, read_time_profile

__all__ = [
    "UNKNOWN",
    "JavaVersion",
    "JfrRecording",
    "JfrSample",
    "LinkedTime",
    "PerfSample",
    "ProftoolProfile",
    "Versions",
    "check_profile_file",
    "few_samples",
    "is_jfr",
    "is_printed_jfr",
    "is_proftool",
    "is_time_profile",
    "jfr_tool",
    "link_samples",
    "perf_samples",
    "profile_head",
    "read_call_times",
    "read_jfr",
    "read_perf_script",
    "read_pprof",
    "read_proftool",
    "read_recording",
    "read_time_profile",
]
