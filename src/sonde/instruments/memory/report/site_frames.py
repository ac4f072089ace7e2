"""By which of its frames an allocation site is told.

As a rule it is the innermost one. But what a library inlines into many callers makes objects for all of them at one
line (`new_allocator.h:137`): such sites are told apart by what that line was inlined into. Instances of one template
have all lines in common, and are told apart by their names.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sonde.instruments.memory.profile.memory_profile import NO_PLACE, MemoryProfile

Frame = tuple[int, int]
"""Number of a function, and line."""


class SiteFrames(NamedTuple):
    """What stands for a site."""

    telling: Frame
    """The innermost frame, if no other site has its line. Else the outermost frame that tells the site from those; if
    there is none, the outermost of all."""
    innermost: Frame
    by_name: bool
    """Lines do not tell it from another site, but the function of the telling frame may."""


def site_frames(profile: MemoryProfile) -> Mapping[int, SiteFrames]:
    """How the sites of a profile are told, by the number of their place.

    Cost: O(n) for n frames.
    """
    alike: dict[tuple[str, int], list[int]] = defaultdict(list)
    sites = {each.site for each in profile.classes} | {each.site for each in profile.objects}
    for site in sites - {NO_PLACE}:
        alike[_line(profile, profile.places[site].frames[0])].append(site)
    return {
        site: SiteFrames(telling, profile.places[site].frames[0], by_name)
        for group in alike.values()
        for site, (telling, by_name) in _telling(profile, group).items()
    }


def _telling(profile: MemoryProfile, sites: list[int]) -> dict[int, tuple[Frame, bool]]:
    """Of sites that share their innermost line: the telling frame, and whether it tells by its name only."""
    frames = {site: profile.places[site].frames for site in sites}
    if len(sites) == 1:
        return {site: (each[0], False) for site, each in frames.items()}
    found: dict[int, tuple[Frame, bool]] = {}
    for distance in range(1, max(map(len, frames.values())) + 1):
        left = {site: each[-distance] for site, each in frames.items() if site not in found and len(each) >= distance}
        lines = Counter(_line(profile, frame) for frame in left.values())
        found |= {site: (frame, False) for site, frame in left.items() if lines[_line(profile, frame)] == 1}
    return {site: found.get(site, (each[-1], True)) for site, each in frames.items()}


def _line(profile: MemoryProfile, frame: Frame) -> tuple[str, int]:
    """What is printed of a frame: instances of one template look alike."""
    function = profile.functions[frame[0]]
    return function.file or function.name, frame[1]
