"""Functions that wait: whose own time goes by without work.

A function counts as waiting for its own time only, not for what it calls: what `Queue.get` waits, it waits in
`Condition.wait`. Functions written in C are seen with `--builtins` alone; else what they take is the own time of the
function of Python that calls them. Of those, the standard library's are known, and the loops of some libraries: their
own time is that of the C function, and a little more. A program that calls `time.sleep` itself waits unnoticed without
`--builtins`, and one that enters a lock of C by `with` always: that is no call. `--clock cpu` leaves out of the times
all that is waited.
"""

from sonde.code import origin_of
from sonde.events import Function

_IN_C = frozenset(
    {
        "time.sleep",
        "builtins.input",
        "input",
        # Locks, threads and queues.
        *("lock.acquire", "lock.__enter__", "RLock.acquire", "RLock.__enter__", "_ThreadHandle.join"),
        *("SimpleQueue.get", "SemLock.acquire", "SemLock.__enter__"),
        # Descriptors that are not ready.
        *("select.select", "poll.poll", "epoll.poll", "epoll.__enter__", "devpoll.poll", "kqueue.control"),
        *("socket.accept", "socket._accept", "socket.connect", "socket.connect_ex", "socket.recv", "socket.recv_into"),
        *("socket.recvfrom", "socket.recvfrom_into", "socket.recvmsg", "socket.recvmsg_into"),
        *("_socket.getaddrinfo", "_socket.gethostbyname", "_SSLSocket.read", "_SSLSocket.do_handshake"),
        # Other processes, and signals.
        *("posix.wait", "posix.wait3", "posix.wait4", "posix.waitid", "posix.waitpid"),
        *("signal.pause", "signal.sigwait", "signal.sigwaitinfo", "signal.sigtimedwait", "_signal.pause"),
        *("_signal.sigwait", "_signal.sigwaitinfo", "_signal.sigtimedwait"),
    }
)
"""Names as sonde knows them: of functions with their module, of methods with their type."""

_IN_STANDARD_LIBRARY = frozenset(
    {
        ("threading", "Condition.wait"),
        ("threading", "Condition.__enter__"),
        ("threading", "Thread._wait_for_tstate_lock"),  # of join, up to Python 3.12
        ("threading", "Thread.join"),
        ("threading", "_shutdown"),  # for threads, at the end
        ("queue", "_PySimpleQueue.get"),
        ("concurrent.futures.thread", "_worker"),  # for something to do
        ("selectors", "SelectSelector.select"),
        ("selectors", "SelectSelector._select"),
        ("selectors", "_PollLikeSelector.select"),
        ("selectors", "EpollSelector.select"),
        ("selectors", "KqueueSelector.select"),
        ("socket", "socket.accept"),
        ("socket", "create_connection"),
        ("socket", "SocketIO.readinto"),
        ("socket", "getaddrinfo"),
        ("ssl", "SSLSocket.read"),
        ("ssl", "SSLSocket.recv"),
        ("ssl", "SSLSocket.recv_into"),
        ("ssl", "SSLSocket.do_handshake"),
        ("subprocess", "Popen._wait"),
        ("subprocess", "Popen._try_wait"),
        ("multiprocessing.connection", "Connection._recv"),
        ("multiprocessing.popen_fork", "Popen.poll"),
        ("multiprocessing.synchronize", "SemLock.__enter__"),
        ("multiprocessing.resource_tracker", "main"),
    }
)
"""Module and qualified name."""

_INSTALLED = frozenset(
    {
        ("trio._core._io_epoll", "EpollIOManager.get_events"),
        ("trio._core._thread_cache", "WorkerThread._work"),
        ("gevent.hub", "sleep"),
    }
)
"""Of libraries: their loops and workers have nothing to do meanwhile."""


def is_waiting(function: Function) -> bool:
    """Whether the own time of a function is waiting.

    >>> is_waiting(Function("time.sleep", "time", "", 0, "builtin"))
    True
    >>> is_waiting(Function("Condition.wait", "threading", "/usr/lib/python3.12/threading.py", 323))
    True
    >>> is_waiting(Function("Condition.wait", "threading", "/home/ada/threading.py", 7))
    False
    >>> loop = "/v/lib/python3.12/site-packages/trio/_core/_io_epoll.py"
    >>> is_waiting(Function("EpollIOManager.get_events", "trio._core._io_epoll", loop, 238))
    True
    """
    if function.kind == "builtin":
        return function.name in _IN_C
    name = (function.module, function.name)
    known_in = "standard library" if name in _IN_STANDARD_LIBRARY else "installed" if name in _INSTALLED else ""
    return known_in != "" and origin_of(function) == known_in
