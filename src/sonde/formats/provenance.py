"""Where a profile comes from and what it lacks, for formats that have room to say it."""

import shlex
from collections import Counter
from dataclasses import asdict

from sonde import __version__
from sonde.formats.frame_name import NOT_LISTED, plain_text
from sonde.formats.metric import Metric
from sonde.profiles import ContextProfile

EXPORTER = f"sonde {__version__}"


def title(profile: ContextProfile) -> str:
    """The command that was measured, or what stands for it."""
    return plain_text(shlex.join(profile.run.command)) or "sonde profile"


def statements(profile: ContextProfile) -> list[str]:
    """One sentence per fact: what was run, how it was measured, and everything that is missing."""
    run = profile.run
    said = [f"written by {EXPORTER} from: {title(profile)}"]
    for mechanism, processes in Counter(process.mechanism for process in profile.processes).items():
        said.append(f"measured by {mechanism} in {processes} process{'es' if processes != 1 else ''}")
    said.append(f"clock: {run.clock}" if profile.has_time else "clock: none, calls were counted but not timed")
    if not run.complete:
        said.append("incomplete: the run was cut off and this is what could be recovered")
    said += [f"missing: {loss.kind}: {loss.amount}: {loss.detail}" for loss in profile.losses]
    if profile.pruned_contexts:
        said.append(
            f"missing: {profile.pruned_contexts} lighter contexts were not read; what is known of their weight"
            f" is in '{NOT_LISTED}' below their callers"
        )
    return [plain_text(sentence) for sentence in said]


def record(profile: ContextProfile, metric: Metric) -> dict[str, object]:
    """The same as fields, for formats that hold JSON."""
    run = profile.run
    return {
        "exporter": EXPORTER,
        "metric": metric,
        "aggregate": "one box per calling context, callees packed left to right: widths are sums over the"
        " whole run, positions are not moments in time",
        "command": [plain_text(word) for word in run.command],
        "started_at": run.started_at,
        "duration_ns": run.duration_ns,
        "ended": plain_text(run.ended),
        "clock": run.clock,
        "complete": run.complete,
        "mechanisms": sorted({process.mechanism for process in profile.processes}),
        "losses": [{**asdict(loss), "detail": plain_text(loss.detail)} for loss in profile.losses],
        "pruned_contexts": profile.pruned_contexts,
    }
