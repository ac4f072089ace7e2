"""HotSpot: what C1 and C2 say of each compilation in the log of `-XX:+LogCompilation`, JDK 8 to 25."""

from sonde.instruments.decisions.readers.hotspot.log_index import LogIndex, index_log
from sonde.instruments.decisions.readers.hotspot.reading import is_compilation_log, read_hotspot
from sonde.instruments.decisions.readers.hotspot.times import java_versions
from sonde.instruments.decisions.readers.place import RunPlace
from sonde.instruments.decisions.readers.reader import DecisionReader

__all__ = ["HOTSPOT", "LogIndex", "index_log", "java_versions"]


def _recognises(place: RunPlace) -> bool:
    return any(is_compilation_log(place.head(file)) for file in place.files)


HOTSPOT = DecisionReader("hotspot", "HotSpot's compilation log (-XX:+LogCompilation)", _recognises, read_hotspot)
