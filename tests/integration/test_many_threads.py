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
        wall = profile_of(looked_at(process.pid, seconds=0.5))
    profile = profile_of(seen)
    # What was seen lies within what it ran; what it ran before the first look, after the last, and unseen, is missing.
    assert 0.5 * ran < profile.total_ns < 1.01 * ran
    assert wall.sampling is not None
    # Of all threads, all the time; each may lack what passed since it was looked at last.
    assert profile.processes[0].threads == 102
    assert 0.7 * 102 * 0.5e9 < wall.total_ns < 1.2 * 102 * wall.sampling.interval_ns * wall.sampling.bursts
