"""Places in jitted code: offsets become functions and lines, by what the JIT knows of its code."""

from collections.abc import Mapping
from dataclasses import replace

from sonde.code import Function, plain_function
from sonde.events import CodeFrame, CodeMap, CodeRange
from sonde.instruments.memory.profile.memory_profile import CodePlace, MemoryProfile
from sonde.instruments.memory.profile.merging import merge_memory_profiles


def jit_places(code_map: CodeMap) -> dict[int, CodeRange]:
    """Jitted code by the number that its loader tells the tool: 0 for what was added first, and so on.

    Args:
        code_map: one that keeps its history, of all code that was loaded while the program ran.
    Raises:
        InternalError: `no-code-history`.
    """
    return dict(enumerate(code_map.added()))


def name_jit_places(profile: MemoryProfile, numbers: Mapping[int, int], code: Mapping[int, CodeRange]) -> MemoryProfile:
    """Replace offsets into jitted code by inline stacks with lines; places that are one line become one.

    Args:
        numbers: the loader's number of each jitted function of the profile.
        code: what is known, by the loader's numbers; where it is not, the line is 0.
    """
    if not numbers:
        return profile
    functions = list(profile.functions)
    number_of: dict[Function, int] = {}

    def named(function: int, offset: int) -> list[tuple[int, int]]:
        if function not in numbers:
            return [(function, offset)]
        found = code.get(numbers[function])
        frames = () if found is None else found.lines.frames_at(offset)
        return [(numbered(frame), frame.line) for frame in frames] or [(function, 0)]

    def numbered(frame: CodeFrame) -> int:
        known = plain_function("jit", frame.function, frame.file, 0)
        if known not in number_of:
            number_of[known] = len(functions)
            functions.append(known)
        return number_of[known]

    places = [CodePlace(tuple(new for frame in place.frames for new in named(*frame))) for place in profile.places]
    # Merging with nothing brings together what has the same name now.
    return merge_memory_profiles([replace(profile, functions=tuple(functions), places=tuple(places))])
