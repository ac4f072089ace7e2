"""Every file of the standard library: parsed, copied, dumped and written again, by the standard library itself.

    python standard_library.py [files] [--only-write]

Some two hundred and fifty million calls and returns in nearly two million calling contexts, if it is not told to stop
after a number of files; with `--only-write` a fifth of the calls in as many contexts.
"""

import ast
import copy
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path


def work_on(source: bytes, *, only_write: bool) -> None:
    """Parse a file and write it again; if that is not to be all, also copy and dump it."""
    tree = ast.parse(source)
    ast.unparse(tree if only_write else copy.deepcopy(tree))
    if not only_write:
        ast.dump(tree)


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--only-write"]
    most = int(words[0]) if words else None
    folder = Path(sysconfig.get_path("stdlib"))
    files = [path for path in sorted(folder.rglob("*.py")) if "site-packages" not in path.parts]
    for path in files[:most]:
        # Some are test data: no Python, or too much of it.
        with suppress(SyntaxError, ValueError, RecursionError):
            work_on(path.read_bytes(), only_write="--only-write" in sys.argv)


if __name__ == "__main__":
    main()
