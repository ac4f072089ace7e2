"""The verbs of the command line: where each lives, and what it is for."""

VERBS = {
    "contexts": (
        "sonde.instruments.contexts.verb.contexts",
        "which calling contexts are hot: run a program and count every call",
    ),
    "sample": (
        "sonde.instruments.contexts.verb.sample",
        "where time is spent, how surely: stacks sampled from outside",
    ),
    "memory": ("sonde.instruments.memory.verb.memory", "which line, type and object misses the cache, under Valgrind"),
    "paths": (
        "sonde.instruments.paths.verb.paths",
        "which paths repeat across the iterations of loops",
    ),
    "phases": ("sonde.instruments.phases.verb.phases", "what is slow, why, and when: phases by method, with counters"),
    "replay": (
        "sonde.cli.replay",
        "count a recorded run again: exactly, in bursts, on other caches",
    ),
    "view": ("sonde.cli.view", "show a profile in the terminal or as an HTML page"),
    "diff": ("sonde.cli.diff", "compare two profiles: hotter, colder, appeared, vanished"),
    "merge": ("sonde.cli.merge", "add up profiles of several runs, processes or machines"),
    "web": ("sonde.cli.web", "all profiles of a folder in a browser: list, search, compare two"),
    "export": ("sonde.cli.export", "write a profile for speedscope, pprof, flame graphs or Perfetto"),
    "bench": ("sonde.instruments.bench.verb.bench", "how fast, and is the difference real: measure, judge, compare"),
    "decisions": (
        "sonde.instruments.decisions.verb.decisions",
        "what the compiler decided, and what changed: inlining and the rest",
    ),
    "audit": ("sonde.instruments.audit.verb.audit", "can profilers be believed: cost, accuracy, bias, realism"),
    "vm": ("sonde.instruments.vm.verb.vm", "compiled programs: a shell to inspect, optimise and run functions"),
    "doctor": ("sonde.cli.doctor", "what works on this machine, what does not, and what to do about it"),
    "completion": ("sonde.cli.completion", "a script by which bash, zsh or fish completes commands of sonde"),
    "man": ("sonde.cli.man", "the manual page of a verb, or all pages into a folder"),
}
"""Verb -> (module, one-line summary). The module offers `configure(parser)`, `run(arguments)`, and
`split_program(words)` when a program follows its options."""

ELSEWHERE = {
    "annotate": "sonde view run.sonde",
    "attach": "sonde sample --pid PID",
    "compare": "sonde diff before.sonde after.sonde, or sonde bench compare of results",
    "flamegraph": "sonde view run.sonde --html run.html, or sonde export run.sonde --to collapsed",
    "profile": "sonde contexts app.py",
    "record": "sonde contexts -o run.sonde app.py, or sonde sample -o run.sonde --pid PID",
    "report": "sonde view run.sonde",
    "run": "sonde contexts app.py",
    "stat": "sonde phases app.py",
    "stats": "sonde view run.sonde",
    "top": "sonde sample --live --pid PID",
    "trace": "sonde contexts app.py",
}
"""Verb of other profilers (memray, perf, py-spy) -> what does it here."""
