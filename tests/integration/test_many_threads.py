"""Programs with very many threads: times add up, though threads that wait are looked at in turns."""

from pathlib import Path

from sampled_pythons import looked_at, on_each_python, profile_of, running


@on_each_python
def test_times_add_up_to_the_processor_time_of_the_process_and_to_that_of_all_threads(python: Path) -> None:
    with running(python, "many_threads.py") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()

        def ran_ns() -> int:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        before = ran_ns()
        seen = looked_at(process.pid, seconds=1.0, is_processor=True)
        ran = ran_ns() - before
        waited = looked_at(process.pid, seconds=0.5)
    wall, sums = profile_of(waited), waited.sampler.sums()
    profile = profile_of(seen)
    # What was seen lies within what it ran; what it ran before the first look, after the last, and unseen, is missing.
    assert 0.2 * ran < profile.total_ns < 1.01 * ran
    # Of all threads, all the time; each may lack what passed before it was looked at first, and since it was last.
    assert profile.processes[0].threads == 102
    whole = 102 * (sums["last_ns"] - sums["first_ns"])
    assert (0.8 - 20 / sums["rounds"]) * whole < wall.total_ns <= whole
