"""What a study of ways of sampling says first, and in which order."""

from sonde.code import Function
from sonde.instruments.contexts.profile.comparison.sampling_study import SampledRun, way_figures
from sonde.instruments.contexts.report.sampling_study_report import StudiedWay, sampling_study_report
from sonde.report import Estimated, Notices

HEAVY, TINY = (Function(name, "app", "app.py", line) for line, name in enumerate(("heavy", "tiny")))
PLAIN = [(10**9 + at, 9 * 10**8) for at in range(6)]
DENSE = {HEAVY: 0.9, TINY: 0.1}


def way(mechanism: str, heavy: float, *, slower: float = 1.0) -> StudiedWay:
    """One whose runs differ a little."""
    runs = [
        SampledRun(
            round(elapsed * slower) + at, ran, 1000, 10**9, {HEAVY: heavy - at / 1000, TINY: 1 - heavy + at / 1000}
        )
        for at, (elapsed, ran) in enumerate(PLAIN)
    ]
    return StudiedWay(mechanism, "task-clock", 1000.0, way_figures(runs, PLAIN, DENSE))


def test_the_closest_way_is_told_first_and_who_blames_another_function_next() -> None:
    ways = [way("polling", 0.01), way("immediate", 0.88, slower=1.01), way("outside", 0.8)]
    report = sampling_study_report("app.py", ways, way("immediate", 0.9, slower=1.2), 6, {"cycles": "no counter"})

    assert report.headline[0].startswith("Closest to the dense profile is immediate, task-clock, 1,000 Hz: 97.")
    assert "1.010 (1.010 to 1.010) times" in report.headline[0]
    assert report.headline[1].startswith(
        "By polling, task-clock, 1,000 Hz, tiny is hottest, where the dense profile has heavy"
    )
    (table,) = report.tables()
    assert [row.cells[0] for row in table.rows] == ["immediate", "outside", "polling", "immediate"]
    assert [row.tone for row in table.rows] == ["", "", "bad", "faint"]
    assert isinstance(table.rows[0].cells[4], Estimated)
    told = next(block for block in report.blocks if isinstance(block, Notices)).notices
    assert [notice.detail for notice in told] == ["cycles could not be tried: no counter"]


def test_what_nobody_has_seen_is_said() -> None:
    nothing = StudiedWay("immediate", "timer", 250.0, way_figures([SampledRun(*PLAIN[0], 0, 0, {})], PLAIN[:1], {}))
    report = sampling_study_report("app.py", [nothing], nothing, 1, {})
    assert report.headline == ("No way of sampling saw the program: it is too short for these rates.",)
