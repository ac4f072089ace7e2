"""Answers about calling contexts that golden files hold: of `view`, `diff` and `merge`."""

from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from golden_answers import Case
from made_approximations import MAIN, PAIR_OF_BURSTS, PARSE, TOKEN, WRITE, bounded, sampled
from made_threads import two_threads
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    Function,
    Loss,
    MeasuredProcess,
    Sampling,
    write_profile,
)
from tree_builder import profile_of

_SOURCE = "".join(f"line {number}\n" for number in range(1, 21))

_FUNCTIONS = {
    "run_module": Function("_run_module_as_main", "runpy", "<frozen runpy>", 173),
    "find": Function("_find_and_load", "importlib._bootstrap", "<frozen importlib._bootstrap>", 1165),
    "unlock": Function("_load_unlocked", "importlib._bootstrap", "<frozen importlib._bootstrap>", 666),
    "exec": Function("exec", "builtins", "", 0, "builtin"),
    "module": Function("<module>", "shop", "/home/ada/shop/__main__.py", 1, "module"),
    "json": Function("<module>", "json", "/usr/lib/python3.12/json/__init__.py", 1, "module"),
    "main": Function("main", "shop.app", "/home/ada/shop/app.py", 4),
    "fib": Function("fib", "shop.app", "/home/ada/shop/app.py", 9),
    "order": Function("Order.total", "shop.orders.model", "/home/ada/shop/orders/model.py", 12),
    "Order": Function("Order", "shop.orders.model", "/home/ada/shop/orders/model.py", 3, "class body"),
    "key": Function("sorted_by.<locals>.<lambda>", "shop.orders.model", "/home/ada/shop/orders/model.py", 40, "lambda"),
    "list": Function("<listcomp>", "shop.orders.model", "/home/ada/shop/orders/model.py", 44, "comprehension"),
    "items": Function("<genexpr>", "shop.orders.model", "/home/ada/shop/orders/model.py", 47, "generator expression"),
    "code": Function("<module>", "shop.rules", "<string>", 1, "dynamic code"),
    "append": Function("list.append", "builtins", "", 0, "builtin"),
    "dumps": Function("make_encoder", "_json", "", 0, "builtin"),
    "größe": Function("größe_記憶", "shop.units", "/home/ada/shop/units.py", 7),
    "long": Function(
        "Registry.<locals>.decorated.<locals>.call_with_retries_and_logging",
        "shop.vendor.registry",
        "/home/ada/.venv/lib/python3.12/site-packages/shop/vendor/registry/implementation.py",
        1201,
    ),
}

_SHOP = """
run_module 1000000
  exec 500000
    module @1 2000000
      find @1 3000000 x2
        unlock @1 4000000 x2
          exec @1 1000000 x2
            json @1 40000000
            Order @1 1500000
      main @20 5000000
        fib @5 30000000
          fib @10 60000000 x2
            fib @10 90000000 x4
              append @11 20000000 x400000
          fib @11 30000000 x2
        order @6 200000000 x1200
          key @13 90000000 x48000
          list @14 7000000 x1200
          items @15 12000000 x3600
        order @7 50000000 x300
        run_all @8 0
          run_one @9 0
            try_once @9 0
              call @9 0
                long @9 170000000 x12345678
        code @16 11000000 x3
        dumps @17 21000000 x30
        größe @18 33000000 x77
        small0 @19 1000000
        small1 @19 1000000
        small2 @19 1000000
        small3 @19 1000000
thread 1000000
  wait @3 47000000
"""

_WORKERS = (
    MeasuredProcess(
        4711, 1, "python -m shop", "3.12.1", "cpython-monitoring", 2, 449_000, "exited 0", 9_400_000, (20.0, 35.0)
    ),
    MeasuredProcess(4712, 4711, "worker\x1b 1", "3.11.7", "cpython-eval-hook", 1, 800, "killed by SIGTERM"),
    MeasuredProcess(4713, 4711, "worker 2", "3.12.1", "cpython-monitoring", 1, 12, "ended early or by os._exit"),
)

_LOSSES = (
    Loss("events-not-recorded", 12_345, "there was no room for them"),
    Loss("contexts-not-stored", 7, "the limit of --max-contexts was reached"),
)


def shop(outline: str = _SHOP) -> ContextProfile:
    """A program with everything that trees have: imports, recursion, builtins, chains, threads, odd names."""
    profile = profile_of(outline, functions=_FUNCTIONS, command=("python3", "-m", "shop", "--größe", "XL"))
    run = replace(
        profile.run, started_at="2026-03-01T09:30:00Z", duration_ns=1_234_567_890, machine="Linux x86-64",
        sonde_version="0.1.0",
    )  # fmt: skip
    return replace(profile, run=run, processes=_WORKERS, sources={"/home/ada/shop/app.py": _SOURCE})


def lossy() -> ContextProfile:
    """Cut off, with losses, and nobody knows what it ran."""
    profile = replace(shop(), losses=_LOSSES, processes=_WORKERS[1:])
    return replace(profile, run=replace(profile.run, complete=False, command=(), ended="still running"))


def hot() -> ContextProfile:
    """In bounded memory by time: some possibly hot, some not kept, at the top, too."""
    errors = {MAIN: 40, PARSE: 70, TOKEN: 14, WRITE: 2}
    return bounded(errors=errors, not_kept={PARSE: 30, MAIN: 50}, not_kept_at_top=50)


def hot_calls(*, clock: str = "none") -> ContextProfile:
    """In bounded memory by calls."""
    return bounded(errors={TOKEN: 80, WRITE: 90}, metric="calls", clock=clock)


def hot_floor() -> ContextProfile:
    """What was kept is exact."""
    profile = bounded(not_kept={PARSE: 30})
    assert profile.approximation is not None
    return replace(profile, approximation=replace(profile.approximation, floor=9))


def hot_remainders() -> ContextProfile:
    """What is hidden and what was not kept are worth a line together only."""
    outline = "main 0 x1\n  big @1 980\n" + "\n".join(f"  small{i} @{i + 2} 1" for i in range(8))
    return bounded(outline, not_kept={MAIN: 6}, errors={1: 1})


def bursts() -> ContextProfile:
    """Sampled, and adaptive."""
    profile = sampled(main=2, parse=9, token=60, write=5)
    return replace(profile, sampling=replace(PAIR_OF_BURSTS, adaptive=0.05), losses=_LOSSES[:1])


def hot_bursts() -> ContextProfile:
    """Sampled, and in bounded memory."""
    profile = bounded(errors={TOKEN: 70, WRITE: 5}, not_kept={PARSE: 100}, not_kept_at_top=150)
    deviation = array("q", [1, 2, 30, 9])
    tree = replace(profile.contexts, ns_deviation=deviation, calls_deviation=deviation)
    return replace(profile, contexts=tree, sampling=PAIR_OF_BURSTS)


_PARSER = """
main 100
  parse @101 200
    token @201 5000 x1000
    token @202 700 x90
    twice @204 600 x2
    twice @205 500 x2
    twice @206 400 x2
    twice @207 300 x2
    twice @208 200 x2
    skip @203 300 x9
  write @102 4700 x3
    flush @301 400 x3
  load @103 300
    <listcomp> @401 900 x5
  gone @104 800
    gone_too @501 600
  emit @105 500
    encode @601 700 x4
  helper @106 100
    same1 @702 900
    same2 @703 800
    deep @701 0
      deeper @801 0
        deepest @901 0
          leaf @1001 4000 x2
"""


def _namesakes(*lines: int) -> dict[str, Function]:
    """Functions of one name in one file."""
    return {f"same{number}": Function("same", "app", "app.py", line) for number, line in enumerate(lines, 1)}


def parser_before() -> ContextProfile:
    """A run to compare with `parser_after`."""
    functions = {
        "<listcomp>": Function("<listcomp>", "app", "app.py", 420, "comprehension"),
        "emit": Function("emit", "app.old", "/src/app/old/emitter.py", 5),
        "encode": Function("encode", "app.old", "/src/app/old/emitter.py", 60),
        "helper": Function("make.<locals>.call", "app", "app.py", 700),
        **_namesakes(702, 750),
    }
    profile = profile_of(_PARSER, functions=functions, losses=_LOSSES[:1], command=("python3", "parse.py", "a.txt"))
    return replace(profile, processes=_WORKERS[:1])


def parser_after() -> ContextProfile:
    """Hotter, colder, appeared, vanished, renamed, moved, on other lines, and without frames of comprehensions."""
    outline = (
        _PARSER.replace("5000 x1000", "9000 x2000")
        .replace("4700 x3", "1700 x3")
        .replace("4000 x2", "8000 x4")
        .replace("    <listcomp> @401 900 x5\n", "")
        .replace("token @201", "token @211")
        .replace("token @202", "token @213")
        .replace("twice @20", "twice @22")
        .replace("400 x2", "1400 x2")
        .replace("skip @203 300", "skip_blanks @203 900")
        .replace("  gone @104 800\n    gone_too @501 600\n", "  fetch @104 400\n    read @501 900 x7\n")
    )
    functions = {
        "emit": Function("emit", "app.new", "/src/app/new/emitter.py", 9),
        "encode": Function("encode", "app.new", "/src/app/new/emitter.py", 80),
        "helper": Function("make.<locals>.call", "app", "app.py", 700),
        **_namesakes(712, 790),
    }
    profile = profile_of(outline, functions=functions, command=("python3", "parse.py", "b.txt"))
    return replace(profile, run=replace(profile.run, complete=False), processes=_WORKERS[2:])


_WIDE = "main 10\n" + "\n".join(f"  f{i} @{i + 1} {(i * 37 % 40 + 1) * 10} x{i * 13 % 17 + 1}" for i in range(40))


def wide() -> ContextProfile:
    """Forty callees."""
    return profile_of(_WIDE)


def wide_hot(*, epsilon: float = 0.004) -> ContextProfile:
    """Of forty callees, those in bounded memory: half are left out."""
    exact = wide()
    rows = [row for row in range(len(exact.contexts)) if row == 0 or exact.contexts.self_ns[row] > 200]
    tree = exact.contexts.of_rows(rows)
    own = array("q", (value - (value > 300) for value in tree.self_ns))
    error = array("q", (int(value > 300) for value in tree.self_ns))
    bounds = Approximation(metric="time", phi=0.02, epsilon=epsilon, floor=200, counters=250)
    return replace(exact, contexts=replace(tree, self_ns=own, error=error), approximation=bounds)


def wide_bursts() -> ContextProfile:
    """Of forty callees, those that were seen."""
    hot = wide_hot()
    none = array("q", bytes(8 * len(hot.contexts)))
    sampling = Sampling(interval_ns=10_000_000, burst_ns=1_000_000, bursts=400, fraction=0.1)
    tree = replace(hot.contexts, error=(), calls_deviation=none, ns_deviation=none)
    return replace(hot, contexts=tree, approximation=None, sampling=sampling, losses=_LOSSES[:1])


def _file(made: Callable[[], ContextProfile]) -> Callable[[Path], object]:
    return lambda path: write_profile(path, made())


def _view(made: Callable[[], ContextProfile], *options: str, **patches: object) -> Case:
    changed = {f"sonde.instruments.contexts.kind.{name}": value for name, value in patches.items()}
    forms = {"text", "json"} if "--rows" in options else {"text", "json", "page"}  # pages have all rows
    return Case(("view", "run.sonde", *options), {"run.sonde": _file(made)}, changed, frozenset(forms))


def _diff(one: Callable[[], ContextProfile], two: Callable[[], ContextProfile], *options: str) -> Case:
    files = {"before.sonde": _file(one), "after.sonde": _file(two)}
    forms = (
        {"text"} if {"--rows", "--phi", "calls", "total"} & {*options} else {"text", "json"}
    )  # other data show the same
    return Case(("diff", *files, *options), files, forms=frozenset(forms))


def _merge(*made: Callable[[], ContextProfile], anyway: bool = False) -> Case:
    files = {f"part{number}.sonde": _file(each) for number, each in enumerate(made)}
    words = ("merge", *files, "-o", "all.sonde", "--force", *(["--anyway"] if anyway else []))
    return Case(words, files, forms=frozenset({"text"}))


def _no_times() -> ContextProfile:
    return profile_of(_SHOP, functions=_FUNCTIONS, clock="none")


CASES = {
    "view/exact": _view(shop),
    "view/few-rows": _view(shop, "--rows", "5", "--functions", "3", "--min-share", "5%"),
    "view/one-row": _view(shop, "--rows", "1", "--functions", "0"),
    "view/from": _view(shop, "--from", "Order.total"),
    "view/imports": _view(shop, "--imports", "--rows", "40"),
    "view/mine": _view(shop, "--mine", "--exclude", "Order.total"),
    "view/threads": _view(two_threads, "--threads"),
    "view/lossy": _view(lossy, "--rows", "9"),
    "view/calls": _view(_no_times),
    "view/empty": _view(lambda: profile_of("")),
    "view/page-full": replace(
        _view(shop), patches={"sonde.render.html.page_data.MOST_FRAMES": 9}, forms=frozenset({"page"})
    ),
    "view/heaviest": _view(shop, "--rows", "3", HEAVIEST=12),
    "view/hot": _view(hot),
    "view/hot-calls": _view(hot_calls),
    "view/hot-calls-timed": _view(lambda: hot_calls(clock="tsc")),
    "view/hot-from": _view(hot, "--from", "parse"),
    "view/hot-exact": _view(bounded),
    "view/hot-floor": _view(hot_floor),
    "view/hot-heaviest": _view(hot, "--rows", "1", HEAVIEST=2, HEAVIEST_BOUNDED=3),
    "view/hot-remainders": _view(hot_remainders),
    "view/bursts": _view(bursts),
    "view/hot-bursts": _view(hot_bursts),
    "diff/times": _diff(parser_before, parser_after),
    "diff/shares": _diff(parser_before, parser_after, "--normalise", "total"),
    "diff/per-call": _diff(parser_before, parser_after, "--normalise", "calls"),
    "diff/calls": _diff(parser_before, parser_after, "--metric", "calls"),
    "diff/calls-per-call": _diff(parser_before, parser_after, "--metric", "calls", "--normalise", "calls"),
    "diff/few-rows": _diff(wide, lambda: profile_of(_WIDE.replace("0 x", "99 x")), "--rows", "5", "--functions", "2"),
    "diff/min-share": _diff(parser_before, parser_after, "--min-share", "10%", "--rows", "20"),
    "diff/same": _diff(parser_before, parser_before),
    "diff/approximate": _diff(hot, hot_bursts),
    "diff/programs": _diff(shop, parser_before, "--rows", "12"),
    "diff/accuracy-hot": _diff(wide, wide_hot, "--accuracy"),
    "diff/accuracy-phis": _diff(wide, wide_hot, "--accuracy", "--phi", "5%,2%,1%"),
    "diff/accuracy-phi": _diff(wide, lambda: wide_hot(epsilon=0.01), "--accuracy", "--phi", "0.5%"),
    "diff/accuracy-bursts": _diff(wide, wide_bursts, "--accuracy", "--phi", "2%,1%,0.1%"),
    "diff/accuracy-broken": _diff(
        lambda: profile_of(_WIDE.replace("0 x", "90 x")), wide_hot, "--accuracy", "--phi", "2%"
    ),
    "diff/accuracy-none": _diff(
        wide, lambda: replace(wide_hot(), contexts=wide().contexts.of_rows([])), "--accuracy", "--phi", "2%"
    ),
    "diff/accuracy-calls": _diff(
        lambda: profile_of(_WIDE, clock="none"), lambda: profile_of(_WIDE, clock="none"), "--accuracy", "--phi", "5%,1%"
    ),
    "merge/exact": _merge(parser_before, parser_after),
    "merge/hot-calls": _merge(hot_calls, hot_calls),
    "merge/hot-bursts": _merge(hot, hot_bursts),
    "merge/bursts": _merge(bursts, bursts),
    "merge/no-times": _merge(shop, _no_times, anyway=True),
}
