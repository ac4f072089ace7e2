"""Runs inside the measured interpreter: writes down what became of the instructions of its code, and where it was.

It needs nothing but the interpreter (CPython 3.11 or newer) and understands as little as it can: bytecode, the opcodes
that now stand in it and their counters are written as they are, for the reader of such records to make sense of. The
format is `sonde.cpython-decisions/1` (docs/formats/cpython-decisions.md).

So that the program does not notice:

- Nothing traces or profiles, which would keep the interpreter from specialising: a thread looks at it from outside.
- Objects of the program are only touched inside of single calls of functions written in C, between which the thread
  keeps no reference but to code objects. No other thread runs during such a call, so none of the program's objects
  can lose its last other reference meanwhile, and no finalizer runs in this thread.
- No file stays open, `sys.modules` stays as it was, the thread blocks all signals and is unknown to `threading`, and
  it ends before a fork and begins anew after it, for CPython 3.12 warns of forks while there are threads.
"""

import _signal  # type: ignore[import-not-found] # what `signal` is made of, which the program may not have loaded
import _thread
import atexit
import builtins
import gc
import opcode
import os
import sys
import time
from itertools import chain, compress, repeat, starmap, tee
from operator import attrgetter, is_, itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:  # the program may not have loaded these
    from _thread import LockType
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any

SCHEMA = "sonde.cpython-decisions/1"
FIRST_SNAPSHOT_S = 0.1
"""So that programs that are killed early leave something; the time until the next one doubles up to the interval."""
LARGEST_SHARE = 0.02
"""Of the time that snapshots may take: a program with so many functions that they take longer has fewer of them."""
MOST_CODES = 200_000
"""Code objects that are followed, at most: they are kept alive for it."""

_FUNCTION = type(lambda: None)
_CODE = type((lambda: None).__code__)
_OWN_FILE = (lambda: None).__code__.co_filename
_once = ((),)
_builtins = (vars(builtins),)
_place_of = attrgetter("f_code", "f_lasti")
_code_of = attrgetter("__code__")
_adaptive_of = attrgetter("_co_code_adaptive")


class _Tables:
    """What this interpreter says of its opcodes."""

    def __init__(self) -> None:
        known: Any = opcode
        numbers = dict(known.opmap)
        if hasattr(known, "_specialized_opmap"):
            numbers.update(known._specialized_opmap)
        else:  # 3.11 and 3.12 give the numbers that are left to the specialised forms, in order
            free = [number for number, name in enumerate(known.opname) if name.startswith("<")]
            numbers.update(zip(known._specialized_instructions, free, strict=False))
        caches = known._inline_cache_entries
        if isinstance(caches, list):  # up to 3.12; a dict, and from 3.15 on a frozendict, which is none
            caches = {known.opname[number]: count for number, count in enumerate(caches) if count}
        self.names = {number: name for name, number in numbers.items() if number < 256}
        families = known._specializations.items()
        # RESUME, which has a counter from 3.15 on, changes its form at the first call of any function: no decision.
        self.families = {base: forms for base, forms in families if caches.get(base) and base != "RESUME"}
        self.caches = {numbers[name]: count for name, count in caches.items() if count}
        self.specialisable = {numbers[base] for base in self.families}


class _Followed:
    """A code object, and what was last seen and written of it."""

    __slots__ = ("code", "data", "number", "offsets", "written")

    def __init__(self, code: "CodeType", number: int) -> None:
        self.code = code
        self.number = number
        self.data = b""
        self.offsets: list[int] | None = None
        """Of the instructions that can be specialised; None: nothing was written of it."""
        self.written: tuple[bytes, bytes] | None = None


class _Later:
    """Garbage from the start, so that the collector brings the recorder back soon after a fork."""

    __slots__ = ("itself", "recorder")

    def __init__(self, recorder: "Recorder") -> None:
        self.itself = self
        self.recorder = recorder

    def __del__(self) -> None:
        self.recorder.go_on()


class Recorder:
    """Writes the record of this process."""

    def __init__(self, folder: str, interval_s: float, tick_s: float) -> None:
        self.path = os.path.join(os.path.abspath(folder), f"cpython-{os.getpid()}.jsonl")
        self.pid = os.getpid()
        self.interval_s = interval_s
        self.tick_s = tick_s
        self.tables = _Tables()
        self.followed: dict[int, _Followed] = {}
        self.dropped = 0
        self.import_path: list[str] | None = None
        self.lines: list[str] = []
        self.samples: dict[tuple[int, int], int] = {}
        self.sample_count = 0
        self.sampled_ns = 0
        self.cost_ns = 0
        self.started_ns = time.monotonic_ns()
        self.cpu_ns = time.process_time_ns()
        self.thread_ns: dict[int, int] = {}
        self.wait_s = FIRST_SNAPSHOT_S
        self.next_ns = self.started_ns + int(FIRST_SNAPSHOT_S * 1e9)
        self.wake: LockType | None = None
        self.ended: LockType | None = None
        self.write_header()

    # The thread

    def begin(self) -> None:
        """Start the thread."""
        self.wake = _thread.allocate_lock()
        self.wake.acquire()
        self.ended = _thread.allocate_lock()
        self.ended.acquire()
        _thread.start_new_thread(self.watch, (self.wake, self.ended))

    def stop(self) -> None:
        """End the thread and wait for that."""
        if self.wake is None or self.pid != os.getpid():
            return
        wake, self.wake = self.wake, None
        wake.release()
        # Bounded: a program that ends in a strange way must not hang for us.
        if self.ended is not None:
            self.ended.acquire(True, 5)

    def before_fork(self) -> None:
        """End the thread, and wait until the system knows that too."""
        if self.wake is None or self.pid != os.getpid():
            return
        try:
            before = len(os.listdir("/proc/self/task"))
            self.stop()
            deadline = time.monotonic() + 0.05
            while len(os.listdir("/proc/self/task")) >= before and time.monotonic() < deadline:
                time.sleep(0.0001)
        except OSError:
            self.stop()

    def after_fork_in_parent(self) -> None:
        """Go on; from CPython 3.13 on not at once: it counts the threads after this, and would warn of ours."""
        if sys.version_info >= (3, 13):
            _Later(self)
        else:
            self.go_on()

    def go_on(self) -> None:
        """Start the thread again, unless there is one, this is another process, or the program is at its end."""
        if self.pid == os.getpid() and self.wake is None and self.ended is not None:
            self.begin()

    def watch(self, wake: "LockType", ended: "LockType") -> None:
        """Look now and then, until told to stop."""
        try:
            _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
            tick_s = self.tick_s or self.interval_s
            while not wake.acquire(True, tick_s):
                begun_ns = time.thread_time_ns()
                if self.tick_s:
                    self.sample()
                if time.monotonic_ns() >= self.next_ns:
                    self.snapshot(False)
                    took_s = (time.thread_time_ns() - begun_ns) / 1e9
                    self.wait_s = min(self.wait_s * 2, self.interval_s)
                    self.next_ns = time.monotonic_ns() + int(max(self.wait_s, took_s / LARGEST_SHARE) * 1e9)
                self.cost_ns += time.thread_time_ns() - begun_ns
        except BaseException as error:
            self.give_up(error)
        ended.release()

    def finish(self) -> None:
        """Write the last state; the program has ended."""
        if self.pid != os.getpid():
            return
        try:
            self.stop()
            self.ended = None
            begun_ns = time.thread_time_ns()
            self.snapshot(True)
            self.cost_ns += time.thread_time_ns() - begun_ns
            self.write_end()
        except BaseException as error:
            self.give_up(error)

    def give_up(self, error: BaseException) -> None:
        """Leave a word of what went wrong; the program goes on."""
        self.lines.append(_object("failed", f"{type(error).__name__}: {error}"))
        try:
            self.flush()
        except BaseException:
            pass

    # Looking

    def sample(self) -> None:
        """Credit the processor time since the last look to where the threads are."""
        cpu_ns = time.process_time_ns()
        spent_ns, self.cpu_ns = cpu_ns - self.cpu_ns, cpu_ns
        seen = [(thread, code, at) for thread, (code, at) in list(_places()) if code.co_filename != _OWN_FILE]
        if not seen or not spent_ns:
            return
        self.sample_count += 1
        self.sampled_ns += spent_ns
        shares = [spent_ns] if len(seen) == 1 else self.shares([thread for thread, _, _ in seen], spent_ns)
        for (_, code, at), share_ns in zip(seen, shares, strict=True):
            if share_ns:
                followed = self.follow(code)
                if followed is not None:
                    key = (followed.number, at)
                    self.samples[key] = self.samples.get(key, 0) + share_ns

    def shares(self, threads: list[int], spent_ns: int) -> list[int]:
        """Split the time among threads as the kernel counted it; evenly where it does not say."""
        active = getattr(sys.modules.get("threading"), "_active", {})
        used = []
        for thread in threads:
            known = active.get(thread)
            total_ns = _thread_time_ns(getattr(known, "native_id", None))
            used.append(max(0, total_ns - self.thread_ns.get(thread, total_ns)))
            self.thread_ns[thread] = total_ns
        whole_ns = sum(used)
        if not whole_ns:
            return [spent_ns // len(threads)] * len(threads)
        return [spent_ns * each // whole_ns for each in used]

    def follow(self, code: "CodeType") -> _Followed | None:
        """Find out about a code object and those within it."""
        found = self.followed.get(id(code))
        if found is not None:
            return found
        if len(self.followed) >= MOST_CODES:
            self.dropped += 1
            return None
        found = self.followed[id(code)] = _Followed(code, len(self.followed))
        for constant in code.co_consts:
            if type(constant) is _CODE:
                self.follow(constant)
        return found

    def snapshot(self, last: bool) -> None:
        """Write down what changed since the last time."""
        for code in list(_codes()):
            if id(code) not in self.followed and code.co_filename != _OWN_FILE:
                self.follow(code)
        self.write_import_path()
        sampled = {number for number, _ in self.samples}
        time_ms = (time.monotonic_ns() - self.started_ns) // 1_000_000
        for followed in list(self.followed.values()):
            data = _adaptive_of(followed.code)
            if data != followed.data:
                first = not followed.data
                followed.data = data
                # What has never run looks like a copy of it, which has not run either.
                is_cold = first and data == _adaptive_of(followed.code.replace())
                if not is_cold or followed.number in sampled:
                    self.write_state(followed, time_ms, last)
            elif (last and followed.offsets is not None) or (followed.offsets is None and followed.number in sampled):
                self.write_state(followed, time_ms, last)
        if self.samples:
            flat = [value for (number, at), share_ns in self.samples.items() for value in (number, at, share_ns)]
            self.lines.append(_object("samples", flat))
            self.samples = {}
        self.flush()

    # Writing

    def write_header(self) -> None:
        tables = self.tables
        self.lines.append(
            "{"
            + ",".join(
                f"{_text(key)}:{_value(value)}"
                for key, value in (
                    ("schema", SCHEMA),
                    ("version", sys.version.split()[0]),
                    ("implementation", sys.implementation.name),
                    ("executable", sys.executable or ""),
                    ("argv", list(getattr(sys, "orig_argv", ()))),
                    ("pid", self.pid),
                    ("started_s", int(time.time())),
                    ("interval_ms", int(self.interval_s * 1000)),
                    ("tick_ms", int(self.tick_s * 1000)),
                    ("opcodes", {str(number): name for number, name in tables.names.items()}),
                    ("caches", {str(number): count for number, count in tables.caches.items()}),
                    ("families", tables.families),
                )
            )
            + "}"
        )
        self.flush()

    def write_import_path(self) -> None:
        entries = [entry for entry in list(sys.path) if type(entry) is str]
        if entries != self.import_path:
            self.import_path = entries
            self.lines.append(_object("path", [os.path.abspath(entry) for entry in entries]))

    def write_state(self, followed: _Followed, time_ms: int, last: bool) -> None:
        """Write the opcodes and counters where one of the opcodes, or at last a counter, is not as last written."""
        data, offsets = followed.data, followed.offsets
        if offsets is None:
            offsets = followed.offsets = self.write_code(followed)
        forms = bytes([data[at] for at in offsets])
        counters = b"".join([data[at + 2 : at + 4] for at in offsets])
        written = followed.written
        if written is None or written[0] != forms or (last and written[1] != counters):
            followed.written = (forms, counters)
            self.lines.append(
                f'{{"state":{followed.number},"ms":{time_ms},"forms":"{forms.hex()}","counters":"{counters.hex()}"}}'
            )

    def write_code(self, followed: _Followed) -> list[int]:
        """Write the code object; returns the offsets of what can be specialised."""
        code = followed.code
        plain = code.co_code
        caches, specialisable = self.tables.caches, self.tables.specialisable
        positions = list(code.co_positions())
        offsets, places = [], []
        first_line = code.co_firstlineno
        at = 0
        while at < len(plain):
            line, end_line, column, end_column = positions[at // 2]
            places.append(
                [
                    at,
                    line - first_line if line is not None else None,
                    end_line - first_line if end_line is not None else None,
                    column,
                    end_column,
                ]
            )
            if plain[at] in specialisable:
                offsets.append(at)
            at += 2 + 2 * caches.get(plain[at], 0)
        # Printed by the interpreter itself: this is most of what is written.
        shown = repr(places).replace("None", "null").replace(" ", "")
        cells = [name for name in code.co_cellvars if name not in code.co_varnames]
        self.lines.append(
            "{"
            + f'"code":{followed.number},"name":{_text(code.co_qualname)},"file":{_text(code.co_filename)},'
            + f'"first_line":{first_line},"bytecode":"{plain.hex()}","names":{_value(list(code.co_names))},'
            + f'"locals":{_value([*code.co_varnames, *cells, *code.co_freevars])},"places":{shown}'
            + "}"
        )
        return offsets

    def write_end(self) -> None:
        followed = self.followed.values()
        self.lines.append(
            _object(
                "end",
                {
                    "ms": (time.monotonic_ns() - self.started_ns) // 1_000_000,
                    "codes": len(self.followed),
                    "written": sum(each.offsets is not None for each in followed),
                    "dropped": self.dropped,
                    "samples": self.sample_count,
                    "sampled_ns": self.sampled_ns,
                    "cpu_ns": time.process_time_ns(),
                    "own_ns": self.cost_ns,
                },
            )
        )
        self.flush()

    def flush(self) -> None:
        """Append what is to be written. The file is opened each time: the program's file numbers stay its own."""
        text = "".join(f"{line}\n" for line in self.lines).encode("ascii")
        self.lines = []
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            while text:
                text = text[os.write(file, text) :]
        finally:
            os.close(file)


# Both give an iterator that has not looked yet, and to which there is no other reference: consumed by one call, it and
# all that it saw are gone at the call's end. What they see must not lead to themselves: such a cycle would live on with
# objects of the program in it, and it would be the collector, maybe in this thread, that ends them. So no
# `gc.get_objects()` here, which lists iterators too; every function refers to its builtins, and little else does.


def _codes() -> "Iterator[CodeType]":
    """The code objects of all functions that there are."""
    left, right = tee(chain.from_iterable(map(gc.get_referrers, _builtins)))
    return map(_code_of, compress(left, map(is_, map(type, right), repeat(_FUNCTION))))


def _places() -> "Iterator[tuple[int, tuple[CodeType, int]]]":
    """Of all threads: identifier, and code object and offset of where it is."""
    left, right = tee(chain.from_iterable(map(dict.items, starmap(sys._current_frames, _once))))
    return zip(map(itemgetter(0), left), map(_place_of, map(itemgetter(1), right)), strict=False)


def _thread_time_ns(native_id: int | None) -> int:
    """Processor time of a thread, as Linux counts it; 0 where it does not."""
    if native_id is None:
        return 0
    try:
        file = os.open(f"/proc/self/task/{native_id}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return int(os.read(file, 64).split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    finally:
        os.close(file)


# JSON by hand: the program may not have loaded `json`, and shall not be given it.


def _object(key: str, value: object) -> str:
    return f"{{{_text(key)}:{_value(value)}}}"


def _value(value: "Any") -> str:
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(key)}:{_value(each)}" for key, each in value.items()) + "}"
    return "[" + ",".join([_value(each) for each in value]) + "]"


def _text(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)) + '"'


def start(folder: str, interval_s: float, tick_s: float) -> None:
    """Begin to record this process into a file in `folder`."""
    if sys.implementation.name != "cpython" or sys.version_info < (3, 11):
        raise RuntimeError("only CPython 3.11 and newer specialise instructions")
    recorder = Recorder(folder, interval_s, tick_s)
    os.register_at_fork(before=recorder.before_fork, after_in_parent=recorder.after_fork_in_parent)
    # Registered first, so called last: what the program does at its exit is seen too.
    atexit.register(recorder.finish)
    recorder.begin()
