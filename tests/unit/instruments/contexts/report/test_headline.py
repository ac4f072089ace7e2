"""What the first lines of a report of contexts say."""

from dataclasses import replace

import pytest

from made_approximations import MAIN, TOKEN, bounded, sampled
from sonde.code import plain_function
from sonde.instruments.contexts.profile import COLLECTING, ContextProfile, Function
from sonde.instruments.contexts.report import contexts_report
from sonde.instruments.contexts.shown_code import ShownCode
from tree_builder import profile_of

_LIBRARY = "/usr/lib/python3.12"
FUNCTIONS = {
    "find": Function("_find_and_load", "importlib._bootstrap", "<frozen importlib._bootstrap>", 1165),
    "json": Function("<module>", "json", f"{_LIBRARY}/json/__init__.py", 1, "module"),
    "encode": Function("JSONEncoder.encode", "json.encoder", f"{_LIBRARY}/json/encoder.py", 183),
    "wait": Function("Condition.wait", "threading", f"{_LIBRARY}/threading.py", 323),
    "get": Function("Queue.get", "queue", f"{_LIBRARY}/queue.py", 154),
    "sleep": Function("time.sleep", "time", "", 0, "builtin"),
    "acquire": Function("lock.acquire", "", "", 0, "builtin"),
}


def said(profile: ContextProfile | str, *, mine: bool = False) -> tuple[str, ...]:
    made = profile_of(profile, functions=FUNCTIONS) if isinstance(profile, str) else profile
    return contexts_report(made, code=ShownCode(mine=mine)).headline


def test_the_hottest_function_is_named_with_its_own_and_its_whole_share() -> None:
    assert said("main 10\n  parse @1 600\n    token @1 390") == (
        "parse (app.py:900) is hottest: 60.0% of the time itself, 99.0% with what it calls.",
    )
    assert said("main 10\n  parse @1 990") == ("parse (app.py:900) is hottest: 99.0% of the time.",)


def test_imports_and_waiting_are_no_work_of_functions() -> None:
    outline = """
main 300
  find @3 400
    json @1 100
  get @5 0
    wait @1 150
  sleep @6 50
"""
    assert said(outline) == (
        "main (app.py:800) is hottest: 30.0% of the time itself, 100.0% with what it calls.",
        "Imports took 50.0%.",
        "Waiting took 20.0% of the time: main (app.py:800) 15.0%, in Queue.get.",
    )


@pytest.mark.parametrize(
    ("worker", "said_of_it"),
    [
        (
            Function("Worker.run", "anyio", "/v/lib/python3.12/site-packages/anyio/w.py", 9),
            "Worker.run (w.py:9) 90.0%, in Queue.get",
        ),
        (Function("_worker", "pool", f"{_LIBRARY}/pool.py", 9), "_worker (pool.py:9) 90.0%, in Queue.get"),
        (Function("Worker.run", "app", "/home/ada/app.py", 9), "Worker.run (app.py:9) 90.0%, in Queue.get"),
    ],
)
def test_what_starts_a_thread_is_nobody_who_waits(worker: Function, said_of_it: str) -> None:
    functions = {
        **FUNCTIONS,
        "boot": Function("Thread._bootstrap", "threading", f"{_LIBRARY}/threading.py", 1016),
        "inner": Function("Thread._bootstrap_inner", "threading", f"{_LIBRARY}/threading.py", 1056),
        "worker": worker,
    }
    outline = "main 100\nboot 0\n  inner @1 0\n    worker @1 0\n      get @1 0\n        wait @1 900"
    assert said(profile_of(outline, functions=functions))[0] == f"Waiting took 90.0% of the time: {said_of_it}."


def test_what_starts_a_module_is_nobody_who_waits() -> None:
    functions = {
        **FUNCTIONS,
        "launch": Function("_run_module_as_main", "runpy", "<frozen runpy>", 173),
        "code": Function("_run_code", "runpy", "<frozen runpy>", 65),
        "server": Function("<module>", "__main__", f"{_LIBRARY}/http/server.py", 1, "module"),
    }
    outline = "main 100\nlaunch 0\n  code @1 0\n    server @1 0\n      get @1 0\n        wait @1 900"
    told = said(profile_of(outline, functions=functions))[0]
    assert told == "Waiting took 90.0% of the time: <module __main__> (server.py:1) 90.0%, in Queue.get."


def test_what_mostly_waits_says_so_first_and_for_whom() -> None:
    outline = """
serve 0
  take @1 50
    get @5 0
      wait @1 900
  idle @2 0
    sleep @3 50
"""
    assert said(outline)[0] == "Waiting took 95.0% of the time: take (app.py:900) 90.0%, in Queue.get."
    assert said(outline, mine=True)[0] == "Waiting took 95.0% of the time: take (app.py:900) 90.0%."


def test_on_the_clock_of_the_processor_nothing_is_waited() -> None:
    made = profile_of("main 900\n  get @5 0\n    wait @1 100", functions=FUNCTIONS)
    on_processor = replace(made, run=replace(made.run, time_kind="processor"))

    assert said(on_processor)[1] == (
        "Functions that wait took 10.0% of the processor time: main (app.py:800) 10.0%, in Queue.get."
    )


def test_what_imports_wait_is_imports() -> None:
    assert said("main 100\n  find @1 0\n    acquire @1 900") == (
        "main (app.py:800) is hottest: 10.0% of the time itself, 100.0% with what it calls.",
        "Imports took 90.0%.",
    )


def test_less_than_a_hundredth_is_not_worth_a_word() -> None:
    assert len(said("main 9910\n  find @1 90")) == 1


def test_of_several_for_whom_a_library_works_the_one_that_has_more_than_half_is_named() -> None:
    def second(other: int) -> str:
        outline = f"main 50\n  save @1 30\n    get @3 0\n      encode @1 500\n  load @2 20\n    encode @1 {other}"
        return said(outline)[1]

    assert second(400).endswith("has most: 90.0%, mostly for save (app.py:900).")
    assert second(500).endswith("has most: 90.9%.")


def test_functions_of_the_project_come_first_and_what_is_hotter_second() -> None:
    assert said("main 20\n  save @1 30\n    encode @1 950") == (
        "save (app.py:900) is hottest of this project: 3.0% of the time itself, 98.0% with what it calls.",
        "Of all code, JSONEncoder.encode (json/encoder.py:183) has most: 95.0%, for save (app.py:900).",
    )
    assert said("main 2\n  encode @1 998") == (
        "JSONEncoder.encode (json/encoder.py:183) is hottest: 99.8% of the time.",
    )


def test_what_was_compiled_from_a_string_of_nobody_knows_whom_does_not_come_before_what_is_hotter() -> None:
    made = {**FUNCTIONS, "made": Function("<lambda>", "", "<string>", 1)}
    assert said(profile_of("encode 900\n  made @1 100", functions=made)) == (
        "JSONEncoder.encode (json/encoder.py:183) is hottest: 90.0% of the time itself, 100.0% with what it calls.",
    )
    mostly = said(profile_of("encode 100\n  made @1 900", functions=made))
    assert mostly[0].startswith("<lambda> (<string>:1) is hottest: 90.0%")


def test_garbage_is_collected_below_functions_of_python_not_below_the_collector() -> None:
    python = "/opt/bin/python3.12"
    machine_code = {name: plain_function("native", name, f"Python/{name}.c", 9, python) for name in ("link", "collect")}
    functions = {**FUNCTIONS, **machine_code, "collecting": COLLECTING}
    outline = "main 100\n  link @1 0\n    collect 0\n      collecting 500\ncollect 0\n  collecting 400"
    assert "Garbage collection took 90.0% of the time, 55.6% of it below main (app.py:1100)." in said(
        profile_of(outline, functions=functions)
    )
    at_end = profile_of("main 100\ncollect 0\n  collecting 900", functions=functions)
    assert "Garbage collection took 90.0% of the time." in said(at_end)


def test_by_calls_where_times_were_not_measured() -> None:
    profile = profile_of("main x1\n  find @1 x4\n  work @2 x95", clock="none", functions=FUNCTIONS)
    assert said(profile) == ("work (app.py:900) is called most: 95.0% of the calls.", "Imports made 4.0%.")


def test_of_two_that_bounds_cannot_tell_apart_both_are_named() -> None:
    apart = bounded(errors={TOKEN: 7}, not_kept={MAIN: 100})  # 500 ns and 170 ns of 800
    assert said(apart)[0].startswith("token (app.py:300) is hottest: at least 62.5% of the time")
    near = bounded(errors={TOKEN: 7}, not_kept={MAIN: 400})
    assert said(near) == ("token (app.py:300) or write (app.py:400) is hottest: at least 45.5% and 15.5% of the time.",)
    open_ = bounded(errors={TOKEN: 7}, not_kept={MAIN: 600})
    assert said(open_)[0].startswith("token (app.py:300), write (app.py:400) or another is hottest")


def test_of_two_that_a_sample_cannot_tell_apart_both_are_named() -> None:
    assert said(sampled(token=25))[0].startswith("token (app.py:300) is hottest: about 71.4%")
    assert " or write (app.py:400) is hottest: about " in said(sampled(token=170))[0]


@pytest.mark.parametrize("outline", ["", "main 0"])
def test_nothing_is_said_of_nothing(outline: str) -> None:
    assert said(outline) == ()
