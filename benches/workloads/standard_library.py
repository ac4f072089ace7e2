"""Every file of the standard library: parsed, copied, dumped and written again, by the standard library itself.

    python standard_library.py [files]

Some two hundred million calls and returns in nearly two million calling contexts, if it is not told to stop
after a number of files.
"""

import ast
import copy
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path


def work_on(source: bytes) -> None:
    """Parse a file, and do what deep copying, dumping and writing back do."""
    tree = ast.parse(source)
    ast.unparse(copy.deepcopy(tree))
    ast.dump(tree)


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    folder = Path(sysconfig.get_path("stdlib"))
    files = [path for path in sorted(folder.rglob("*.py")) if "site-packages" not in path.parts]
    for path in files[:most]:
        # Some are test data: no Python, or too much of it.
        with suppress(SyntaxError, ValueError, RecursionError):
            work_on(path.read_bytes())


if __name__ == "__main__":
    main()
