"""Work done in a fork: what it took of memory is given back at its end, so that later forks of the process are fast."""

import gc
import os
import pickle
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def in_a_fork(work: Callable[[], _T]) -> _T:
    """Call a function in a fork, and return what it returns, pickled in between.

    Raises:
        RuntimeError: it raised, or its process ended; what it raised is on standard error.
    """
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            gc.disable()  # a model of a program is a million objects, and garbage goes with the process
            status = 1
            try:
                pickle.dump(work(), answer)
                answer.flush()
                status = 0
            except BaseException:  # noqa: BLE001 - it is told, and the fork ends
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if status:
            raise RuntimeError(f"a fork that was to work ended with status {status}")
        answer.seek(0)
        return pickle.load(answer)  # type: ignore[no-any-return]
