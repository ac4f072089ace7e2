"""The slow, obvious twin of all sources: a Python profile function that walks the stack at every call.

    python count_calls.py RESULT.json script.py args ...

Runs the script as `__main__` and writes a JSON list of steps and of [path, calls]; a path is a list of numbers of
steps from the outermost call, a step is [qualified name, file, first line, call line]. What runs for an import is not
counted: which modules are there already is another matter here than in the script by itself.
"""

import json
import sys
import threading
from collections import Counter

result, script, *arguments = sys.argv[1:]
sys.argv = [script, *arguments]
sys.path[0] = __import__("os").path.dirname(__import__("os").path.abspath(script))
counts = Counter()
with open(script, encoding="utf-8") as source:
    main_code = compile(source.read(), script, "exec")


WORDS = {
    "<listcomp>": "list comprehension",
    "<setcomp>": "set comprehension",
    "<dictcomp>": "dict comprehension",
    "<genexpr>": "generator expression",
}


def name_of(code, module):
    if code.co_name not in WORDS:
        return code.co_qualname
    outer = code.co_qualname[: -len(code.co_name)].rstrip(".").removesuffix(".<locals>")
    return f"{WORDS[code.co_name]} in {outer or module or code.co_filename}"


def path_of(frame):
    path = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib"):
            return None
        caller = frame.f_back
        first = code is main_code or caller is None
        line = 0 if first else caller.f_lineno or 0
        path.append((name_of(code, frame.f_globals.get("__name__", "")), code.co_filename, code.co_firstlineno, line))
        if first:
            break
        frame = caller
    return tuple(reversed(path))


def on_event(frame, event, argument):
    if event == "call" and frame.f_globals.get("__name__") is not __name__ and active:
        path = path_of(frame)
        if path is not None:
            counts[path] += 1


active = True
module = type(sys)("__main__")
module.__file__ = script
module.__builtins__ = __builtins__
sys.modules["__main__"] = module
__name__ = "oracle"
threading.setprofile(on_event)
sys.setprofile(on_event)
try:
    exec(main_code, module.__dict__)
finally:
    sys.setprofile(None)
    active = False
    steps = {}  # in full, they would be written a thousand times each
    paths = [[[steps.setdefault(step, len(steps)) for step in path], calls] for path, calls in counts.items()]
    with open(result, "w", encoding="utf-8") as out:
        json.dump([list(steps), paths], out)
