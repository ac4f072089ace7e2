"""What each thread spent: a table, and the roots of the tree."""

from dataclasses import replace

import pytest

from made_threads import two_threads
from report_json import table
from sonde.base.errors import UsageError
from sonde.instruments.contexts.profile import (
    NO_PARENT,
    ContextProfile,
    Function,
    MeasuredThread,
    ThreadTrees,
    contexts_from_self,
)
from sonde.instruments.contexts.report import contexts_page, contexts_report
from sonde.instruments.contexts.shown_code import ShownCode
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text


def shown(profile: ContextProfile, width: int = 80) -> list[str]:
    return report_text(contexts_report(profile, by_threads=True, with_data=False), columns=width).splitlines()


def test_each_thread_has_its_time_its_process_and_where_most_of_it_went() -> None:
    data = report_data(contexts_report(two_threads((4711, 4712)), by_threads=True))

    told = table(data, "threads")
    assert [(each["total"], each["process"], each["calls"], each["self"], each["number"]) for each in told] == [
        (60, "4711", 5, 50, 1),
        (40, "4712", 3, 40, 2),
    ]


def test_threads_that_were_not_seen_to_run_are_counted_and_left_out() -> None:
    whole = two_threads()
    assert whole.threads is not None
    trees = whole.threads
    contexts = contexts_from_self(
        parent=[*trees.contexts.parent, NO_PARENT, NO_PARENT],
        function=[*trees.contexts.function, -3, -4],
        call_line=[*trees.contexts.call_line, 0, 0],
        calls=[*trees.contexts.calls, 0, 0],
        self_ns=[*trees.contexts.self_ns, 0, 0],
    )
    unseen = (MeasuredThread(0, 3, "", 0, 0), MeasuredThread(0, 4, "", 0, 0))
    lines = shown(replace(whole, threads=ThreadTrees((*trees.threads, *unseen), contexts)))

    assert "left out: 2 threads not seen to run" in "\n".join(lines)
    assert not any("thread 3" in line for line in lines)


def test_what_was_imported_is_one_thing_unless_imports_are_shown() -> None:
    loading = Function("FileLoader.get_data", "importlib._bootstrap_external", "<frozen importlib>", 1127)
    whole = two_threads()
    profile = replace(whole, functions=(whole.functions[0], loading))

    def most_of_it(imports: bool) -> list[str]:
        told = table(report_data(contexts_report(profile, code=ShownCode(imports=imports), by_threads=True)), "threads")
        return [each["function"]["name"] for each in told]

    assert most_of_it(imports=False) == ["imports", "imports"]
    assert most_of_it(imports=True) == ["FileLoader.get_data", "FileLoader.get_data"]


def test_the_tree_begins_with_the_threads() -> None:
    lines = shown(two_threads())

    at = next(number for number, line in enumerate(lines) if line.startswith("calling contexts"))
    names = [line.split("  ")[-1].strip(" ├└│─") for line in lines[at:]]
    assert names.count("process 4711") == 2
    roots = [line for line in lines[at:] if "process 4711" in line]
    assert ["MainThread" in roots[0], "thread 2" in roots[1]] == [True, True]


@pytest.mark.parametrize("width", [80, 120])
def test_threads_of_one_process_do_not_repeat_it(width: int) -> None:
    lines = shown(two_threads(), width)

    at = next(number for number, line in enumerate(lines) if line.startswith("threads"))
    assert [word for line in lines[at : at + 4] for word in line.split() if word == "4711"] == []
    assert lines[at + 2].split() == ["60", "ns", "60.0%", "90", "ns", "60", "ns", "5", "50", "ns", "MainThread", "work"]
    assert max(map(len, lines)) <= width


def test_calls_stand_for_time_where_none_was_measured() -> None:
    profile = two_threads(clock="none")

    lines = shown(profile)

    at = lines.index("threads  by calls")
    assert lines[at + 2].split() == ["5", "62.5%", "90", "ns", "60", "ns", "4", "MainThread", "work"]


def test_a_page_has_the_threads_too() -> None:
    report = contexts_page(two_threads(), by_threads=True)

    assert "threads" in [block.key for block in report.blocks if hasattr(block, "key")]


def test_a_profile_without_threads_refuses() -> None:
    with pytest.raises(UsageError, match="cannot tell threads apart"):
        contexts_report(replace(two_threads(), threads=None), by_threads=True)


def test_the_headline_begins_with_the_thread_that_has_most() -> None:
    first, *others = contexts_report(two_threads(), by_threads=True).headline
    assert first == "MainThread has most time in threads: 60.0%, 83.3% of it in work."
    assert others == [*contexts_report(two_threads()).headline]
    assert contexts_page(two_threads(), by_threads=True).headline == (first, *others)


def test_the_headline_has_three_sentences_at_most_and_names_processes_where_there_are_several() -> None:
    report = contexts_report(two_threads((4711, 4712), clock="none"), by_threads=True)
    assert len(report.headline) <= 3
    assert report.headline[0] == "MainThread of process 4711 has most calls: 62.5%, 80.0% of it in work."


@pytest.mark.parametrize("name", ["tasks of Handler.answer", "other tasks"])
def test_several_tasks_have_what_they_have(name: str) -> None:
    whole = two_threads()
    assert whole.threads is not None
    named = replace(whole.threads.threads[0], name=name, elapsed_ns=None)
    profile = replace(whole, threads=replace(whole.threads, threads=(named, *whole.threads.threads[1:])))
    assert " have most time in threads: 60.0%" in contexts_report(profile, by_threads=True).headline[0]
    lines = shown(profile, 120)
    row = lines[next(number for number, line in enumerate(lines) if line.startswith("threads  ")) + 2]
    assert row.split()[:5] == ["60", "ns", "60.0%", "60", "ns"], "how long they lived is not known"


def of_times(first: tuple[int, int], second: tuple[int, int]) -> ContextProfile:
    """Elapsed and processor time of both threads."""
    profile = two_threads()
    assert profile.threads is not None
    threads = tuple(
        replace(thread, elapsed_ns=elapsed, processor_ns=processor)
        for thread, (elapsed, processor) in zip(profile.threads.threads, (first, second), strict=True)
    )
    return replace(profile, threads=replace(profile.threads, threads=threads))


def test_where_the_thread_with_most_time_waits_the_one_that_ran_most_is_named() -> None:
    assert contexts_report(of_times((90, 10), (50, 30)), by_threads=True).headline[:2] == (
        "MainThread has most time in threads: 60.0%, 83.3% of it in work.",
        "thread 2 ran most: 75.0% of their processor time.",
    )


def test_a_thread_that_ran_for_longer_than_its_time_has_the_cost_of_watching_in_it() -> None:
    legend = "elapsed, processor: with what it cost to watch it; that was taken out of total and self"
    assert legend in " ".join(shown(of_times((90, 61), (50, 30)), 120))
    assert "taken out" not in " ".join(shown(of_times((90, 60), (50, 30)), 120))
