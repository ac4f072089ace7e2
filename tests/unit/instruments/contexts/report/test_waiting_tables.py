"""Tables and sentences about tasks that wait: over time, and at one moment."""

from report_json import table
from sonde.code import Function
from sonde.instruments.contexts.analysis.task_graph import ChainFrame, SeenTask, TaskState
from sonde.instruments.contexts.profile import (
    READY,
    TASK_WAITING,
    WAITING,
    ContextProfile,
    MeasuredProcess,
    MeasuredThread,
    Run,
    Sampling,
    ThreadTrees,
    contexts_from_self,
)
from sonde.instruments.contexts.report import contexts_report
from sonde.instruments.contexts.report.tasks_now_report import tasks_now_report
from sonde.instruments.contexts.shown_code import ShownCode
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text

_MAIN = Function("main", "app", "app.py", 1)
_WORK = Function("work", "app", "app.py", 10)
_GET = Function("Queue.get", "asyncio.queues", "/usr/lib/python3.12/asyncio/queues.py", 148)
_S = 1_000_000_000


def _profile(*names: str) -> ContextProfile:
    """A second for each of two looks, in which main awaits a task for each name, which waits, is ready and runs."""
    functions = (_MAIN, _WORK, _GET, WAITING, TASK_WAITING, READY)
    rows = [(-1, 0, 0, 0), (0, 4, 3, 10 * _S), (0, 1, 3, 0), (2, 2, 12, 0), (3, 3, 150, 6 * _S * len(names))]
    rows += [(2, 5, 12, 3 * _S * len(names)), (2, 1, 13, 1 * _S * len(names))]
    apart = [(-1, -1, 0, 0), (0, 0, 0, 0), (1, 4, 3, 10 * _S)]
    for number in range(len(names)):
        at = len(apart)
        apart += [
            (-1, -2 - number, 0, 0),
            (at, 0, 0, 0),
            (at + 1, 1, 3, 0),
            (at + 2, 2, 12, 0),
            (at + 3, 3, 150, 6 * _S),
        ]
        apart += [(at + 2, 5, 12, 3 * _S), (at + 2, 1, 13, _S)]

    def tree(lines: list[tuple[int, int, int, int]]) -> dict[str, list[int]]:
        parent, function, line, own = (list(each) for each in zip(*lines, strict=True))
        return {"parent": parent, "function": function, "call_line": line, "calls": [0] * len(lines), "self_ns": own}

    threads = (MeasuredThread(0, 1, "tasks of main"), *(MeasuredThread(0, 2 + i, n) for i, n in enumerate(names)))
    return ContextProfile(
        functions=functions,
        contexts=contexts_from_self(**tree(rows)),
        run=Run(command=("app.py",), clock="sampled", time_kind="tasks", duration_ns=10 * _S),
        processes=(MeasuredProcess(1, 0, "app.py", "3.12.1", "process-memory", 0, 0, "ended"),),
        threads=ThreadTrees(threads, contexts_from_self(**tree(apart))),
        sampling=Sampling(interval_ns=_S, burst_ns=0, bursts=11, fraction=1.0, has_calls=False, asked_ns=_S),
    )


def test_groups_of_tasks_say_what_they_do_and_where_they_wait() -> None:
    profile = _profile("task worker")
    profile.check_valid()
    groups = table(report_data(contexts_report(profile)), "waiting_tasks")
    worker, main = groups  # they have as much time, and are in the order of their names
    assert (main["task"], main["awaited"], main["for_tasks"], main["count"]) == ("tasks of main", 10 * _S, 10 * _S, 1)
    assert (worker["awaited"], worker["ready"], worker["run"]) == (6 * _S, 3 * _S, 1 * _S)
    assert worker["life"] == 10 * _S
    (place,) = worker["below"]
    assert (place["task"]["text"], place["place"]["line"]) == ("work → Queue.get", 12)
    assert place["waits_in"]["name"] == "Queue.get"


def test_numbered_names_are_one_group_from_four_on() -> None:
    def names(*given: str) -> list[str]:
        return [each["task"] for each in table(report_data(contexts_report(_profile(*given))), "waiting_tasks")]

    assert set(names("task w-1", "task w-2", "task w-3")) == {"task w-1", "task w-2", "task w-3", "tasks of main"}
    assert set(names(*(f"task w-{i}" for i in range(4)))) == {"task w-*", "tasks of main"}


def test_the_first_sentences_say_what_tasks_do() -> None:
    lines = report_text(contexts_report(_profile("task worker"), with_data=False), columns=100).splitlines()
    said = " ".join(" ".join(lines[1:6]).split())
    assert "Tasks, 2 at once, waited 30.0% of their time, for other tasks 50.0%" in said
    assert "were ready while the loop was busy 15.0%, ran 5.0%." in said
    assert "They waited longest in work (app.py:12), in Queue.get: 30.0%." in said


def test_a_part_of_the_tree_is_shown_without_the_groups() -> None:
    report = contexts_report(_profile("task worker"), code=ShownCode(from_="work"), by_threads=True)
    assert "waiting_tasks" not in {block.key for block in report.tables()}
    assert table(report_data(report), "contexts")[0]["context"]["name"] == "work"


def _now(*tasks: SeenTask) -> list[str]:
    return report_text(tasks_now_report("pid 1", tasks, ()), columns=80).splitlines()


def _task(name: str, *awaiters: int, state: TaskState = TaskState.WAITS, awaited: str = "") -> SeenTask:
    return SeenTask(name, state, (ChainFrame(_WORK, 12), ChainFrame(_GET, 150)), awaited, "", awaiters)


def test_tasks_that_are_alike_are_one_row_below_what_awaits_them() -> None:
    main = SeenTask("Task-1", TaskState.WAITS_FOR_TASKS, (ChainFrame(_MAIN, 3),), "_GatheringFuture", "", ())
    lines = _now(main, _task("Task-2", 0), _task("Task-3", 0), _task("odd", 0, awaited="MyFuture"))
    text = "\n".join(lines)
    assert "Of 4 tasks, 3 wait, 1 waits for other tasks." in text
    assert "Most wait in work (app.py:12), in Queue.get: 3." in text
    (row,) = (line for line in lines if "Task-*: work" in line)
    assert row.split()[0] == "2" and row.endswith("waits")
    assert any(line.endswith("waits for MyFuture") for line in lines)


def test_circles_are_said_first_and_shown_closed() -> None:
    lines = _now(_task("a", 1), _task("b", 0), _task("alone", 2))
    assert "2 tasks await each other in a circle, and go on only if one is cancelled" in " ".join(lines)
    assert "A task awaits itself, and goes on only if that is cancelled" in " ".join(lines)
    assert sum("as above" in line for line in lines) == 2


def test_no_tasks_and_tasks_that_are_none_of_pythons_are_told() -> None:
    assert any("No task of asyncio is there." in line for line in _now())
    cython = SeenTask("Task-1", TaskState.WAITS, (), "_asyncio.Future", "_cython_3_0.coroutine", ())
    assert any("Task-1: _cython_3_0.coroutine" in line for line in _now(cython))
