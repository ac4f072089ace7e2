"""Ask a profile a question in SQL; needs nothing of sonde.

    python examples/query_with_sql.py run.sonde fib

Prints who called the function, from which line and how often. The columns are documented in
docs/profile-file.md.
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

CALLERS = """
    SELECT coalesce(caller.name, '(the outermost call)'), context.call_line, sum(context.calls)
    FROM context
    JOIN function ON function.id = context.function
    LEFT JOIN context AS above ON above.id = context.parent
    LEFT JOIN function AS caller ON caller.id = above.function
    WHERE function.name = ?
    GROUP BY caller.id, context.call_line
    ORDER BY sum(context.calls) DESC
"""


def main(path: Path, function: str) -> None:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as profile:
        for caller, line, calls in profile.execute(CALLERS, (function,)):
            print(f"{calls:>10,} calls from line {line:>4} of {caller}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
