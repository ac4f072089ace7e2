"""What is said of tasks: who holds the loop, and what is there of a run that was cut off."""

from dataclasses import replace

from report_json import table
from sonde.instruments.contexts.profile import ContextProfile, Function, LoopTimes, TaskAwait, TaskGroup, TaskTimes
from sonde.instruments.contexts.report import contexts_report
from sonde.render.report_json import report_data
from tree_builder import profile_of

_LIBRARY = "/v/lib/python3.12/site-packages/web/server.py"
FUNCTIONS = {
    "serve": Function("Server.serve", "web.server", _LIBRARY, 5),
    "call": Function("Handle._run", "asyncio.events", "/usr/lib/python3.12/asyncio/events.py", 82),
    "other": Function("Server.other", "web.server", _LIBRARY, 9),
}
GROUP = TaskGroup(
    "",
    coroutine=0,
    made_in=-1,
    made_at_line=0,
    tasks=1,
    ended=1,
    cancelled=0,
    failed=0,
    steps=2,
    life_ns=1000,
    run_ns=600,
    awaited_ns=200,
    ready_ns=200,
    longest_step_ns=400,
    longest_in=0,
    longest_at_line=0,
)


def of_server(outline: str, *, goes_on_in: str, at_line: int = 7, span: int = 1000) -> ContextProfile:
    """A task of a library's coroutine `serve`, whose longest step began in a function, at its await in a line."""
    profile = profile_of(outline, functions=FUNCTIONS)
    number = {function.name: at for at, function in enumerate(profile.functions)}
    serve, goes_on = number["Server.serve"], number[goes_on_in]
    life = 1000 if span else 0
    group = replace(GROUP, coroutine=serve, longest_in=goes_on, longest_at_line=at_line, life_ns=life)
    loops = LoopTimes(
        1, span, held_ns=600, longest_step_ns=400, longest_in=goes_on, longest_at_line=at_line, longest_of=0
    )
    return replace(profile, tasks=TaskTimes((group,), (), loops))


def held(profile: ContextProfile) -> str:
    return contexts_report(profile, by_tasks=True).headline[0]


def test_the_function_that_goes_on_first_does_not_hold_the_loop_when_its_caller_runs_on() -> None:
    outline = "serve 10\n  handle @1 10\n    fetch @2 5\n    render @3 575"
    assert held(of_server(outline, goes_on_in="fetch")) == (
        "The loop was held 60.0% of the time, longest 400 ns by handle (app.py:400), mostly in render;"
        " tasks waited 200 ns for it."
    )


def test_where_it_is_not_known_which_of_several_handlers_held_the_loop_the_await_is_named() -> None:
    outline = "serve 10\n  one @1 290\n    fetch @2 5\n  two @3 295"
    assert "longest 400 ns after an await in fetch (app.py:7);" in held(of_server(outline, goes_on_in="fetch"))


def test_a_library_that_holds_the_loop_itself_is_named() -> None:
    outline = "serve 10\n  other @1 590"
    said = held(of_server(outline, goes_on_in="Server.serve"))
    assert "by Server.serve (web/server.py:5), mostly in Server.other;" in said


def test_of_a_run_that_was_cut_off_parts_are_told_and_no_share_of_an_unknown_span() -> None:
    profile = of_server("serve 10\n  handle @1 590", goes_on_in="handle", span=0)
    assert held(profile) == "The loop was held longest 400 ns by handle (app.py:400); tasks waited 200 ns for it."
    (group,) = table(report_data(contexts_report(profile, by_tasks=True)), "tasks")
    assert group["life"] == 1000


def test_callbacks_that_are_no_tasks_hold_the_loop_too() -> None:
    outline = "call 0\n  serve @82 600\n  hog @82 10\n    count @9 690"
    assert held(of_server(outline, goes_on_in="Server.serve", span=2000)) == (
        "Callbacks that are no tasks held the loop 35.0% of the time, above all hog (app.py:400), mostly in count;"
        " tasks waited 200 ns for it."
    )
    less = "call 0\n  serve @82 600\n  hog @82 10\n    count @9 500"
    assert held(of_server(less, goes_on_in="Server.serve", span=2000)).startswith("The loop was held 30.0% of the time")


def test_what_a_librarys_task_awaits_is_told_with_where_the_program_made_it() -> None:
    profile = of_server("serve 10\n  fetch @1 90", goes_on_in="fetch")
    assert profile.tasks is not None
    number = {function.name: at for at, function in enumerate(profile.functions)}
    serve, fetch = number["Server.serve"], number["fetch"]
    group = replace(profile.tasks.groups[0], coroutine=serve, made_in=fetch, made_at_line=12)
    of_library = [TaskAwait(0, serve, 7, -1, "Future", 1, at, 0, at) for at in (60, 50)]
    of_library[1] = replace(of_library[1], task=1)
    of_program = TaskAwait(0, fetch, 8, serve, "", 1, 40, 0, 40)

    def awaited(*waits: TaskAwait) -> str:
        groups = (group, replace(group, made_at_line=13))
        loops = LoopTimes(1, 1000, 0, 0, -1, 0, -1)
        of = replace(profile, tasks=TaskTimes(groups, waits, loops))
        return contexts_report(of, by_tasks=True).headline[0]

    assert awaited(*of_library, of_program) == (
        "Tasks awaited Future most, in Server.serve, made in fetch (app.py:12): 60 ns, longest 60 ns."
    )
    assert awaited(of_library[1], of_program, of_program) == (
        "Tasks awaited Server.serve most, in fetch (app.py:8): 80 ns, longest 40 ns."
    )


def test_tasks_whose_names_are_numbered_are_one_group() -> None:
    profile = of_server("serve 600", goes_on_in="Server.serve")
    assert profile.tasks is not None
    (group,) = profile.tasks.groups
    names = [*(f"client-{number}" for number in range(3, 13)), "db-1", "db-2", "main"]
    groups = tuple(replace(group, name=name, awaited_ns=at) for at, name in enumerate(names))
    awaits = tuple(TaskAwait(at, 0, 7, -1, "Future", 1, at, 0, at) for at in range(len(names)))
    tasks = TaskTimes(groups, awaits, replace(profile.tasks.loops, longest_of=11))

    report = report_data(contexts_report(replace(profile, tasks=tasks), by_tasks=True))

    told = {each["task"]["text"].split(":")[0]: each for each in table(report, "tasks")}
    assert set(told) == {"client-*", "db-1", "db-2", "main"}
    assert (told["client-*"]["count"], told["client-*"]["awaited"]) == (10, sum(range(10)))
    assert [told[name]["awaited"] for name in ("db-1", "db-2", "main")] == [10, 11, 12]
    assert sorted(each["awaited"] for each in table(report, "task_awaits")) == [10, 11, 12, sum(range(10))]
