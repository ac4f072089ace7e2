"""The sources of what ran, kept with its profile."""

from dataclasses import replace

from sonde.code import changed_since, source_text
from sonde.evidence import Loss
from sonde.instruments.paths.profile import PathProfile

_FILES_KEPT = 64
_NAMED = 3


def with_sources(profile: PathProfile, began: float) -> PathProfile:
    """Add the texts of the files whose functions took most paths, and say which were written while the program ran.

    Args:
        began: when the program was begun to be compiled or run, in seconds since the epoch.
    """
    weight: dict[str, int] = {}
    for routine in profile.routines:
        if routine.code:
            file = routine.function.file
            weight[file] = weight.get(file, 0) + routine.taken
    kept = sorted(weight, key=lambda file: (-weight[file], file))[:_FILES_KEPT]
    texts = {file: text for file in kept if (text := source_text(file)) is not None}
    losses = profile.losses
    if changed := changed_since(texts, began):
        detail = "sources were written while the program ran: their lines may not be those that ran"
        losses = (*losses, Loss("sources-changed", len(changed), detail, examples=", ".join(changed[:_NAMED])))
    return replace(profile, sources=texts, losses=losses)
