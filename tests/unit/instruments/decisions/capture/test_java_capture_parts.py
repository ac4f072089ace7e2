"""What surrounds the run of a Java program: its options, what a killed machine leaves, the profile that is written."""

import errno
import struct
from pathlib import Path

import pytest

from hotspot_logs import installed, log, parse, task, write_log
from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture import CaptureOptions, java
from sonde.instruments.decisions.capture.flight_recording import Flight, whole_chunk
from sonde.instruments.decisions.capture.java import link_remark, recognises
from sonde.instruments.decisions.capture.java_machine import JavaMachine
from sonde.instruments.decisions.capture.java_options import check_machine_options, machine_options, uses_graal
from sonde.instruments.decisions.capture.proftool_profile import write_proftool_profile
from sonde.instruments.decisions.capture.thread_logs import complete_log
from sonde.instruments.decisions.model import ProfileEntry, TimeProfile
from sonde.instruments.decisions.readers.hotspot import index_log
from sonde.instruments.decisions.time_profiles import LinkedTime, read_proftool
from sonde.launch import Outcome


@pytest.mark.parametrize(
    ("words", "known"),
    [(["java"], True), (["/opt/jdk/bin/java", "-version"], True), (["javac"], False), (["mvn"], False)],
)
def test_only_java_itself_is_recognised(words: list[str], known: bool) -> None:
    assert recognises(words) is known


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("java Main -XX:later", ""),
        ("java -Xmx1g -jar a.jar -x", "-Xmx1g"),
        ("java -p lib --module-path=other -m mod/Main -x", "-p lib --module-path=other"),
        ("java @file -cp a:b Main", "@file -cp a:b"),
        ("java -cp", "-cp"),
    ],
)
def test_options_of_the_machine_end_before_the_program(command: str, options: str) -> None:
    assert machine_options(command.split()) == tuple(options.split())


def test_the_last_word_on_graal_counts() -> None:
    assert uses_graal(["-XX:+UseJVMCICompiler", "-XX:-UseJVMCICompiler"]) is False


@pytest.mark.parametrize(
    ("word", "graal"),
    [
        ("-XX:LogFile=x", False),
        ("-XX:-LogCompilation", False),
        ("-Xint", False),
        ("-Djdk.graal.OptimizationLogPath=x", True),
        ("-Dgraal.TrackNodeSourcePosition=false", True),
    ],
)
def test_options_that_send_the_record_elsewhere_are_refused(word: str, graal: bool) -> None:
    with pytest.raises(UsageError) as caught:
        check_machine_options(["-Xmx1g", word], graal=graal)
    assert caught.value.slug == "capture-options"


def test_other_options_are_left_alone() -> None:
    check_machine_options(["-XX:+UseSerialGC", "-Djdk.graal.OptimizationLog=Stdout"], graal=False)


def test_logs_of_threads_are_appended_and_removed(tmp_path: Path) -> None:
    part = tmp_path / "hs_c2_pid4711.log"
    part.write_text(task(parse(30, ""), number=9))
    event = f"<thread_logfile thread='2' filename='{part}'/>\n"
    path = write_log(tmp_path, log([], event, ends=False))
    assert complete_log(path) == 1
    assert [found.attributes["compile_id"] for found in index_log(path).tasks] == ["9"]
    assert not part.exists()


def test_files_of_others_are_not_touched(tmp_path: Path) -> None:
    precious = [tmp_path / name for name in ("precious.txt", "hs_c2_pid99.log")]
    for each in precious:
        each.write_text("mine")
    events = "".join(f"<thread_logfile thread='2' filename='{each}'/>\n" for each in precious)
    assert complete_log(write_log(tmp_path, log([], events, ends=False))) == 0
    assert all(each.exists() for each in precious)


def test_whole_logs_stay_as_they_are(tmp_path: Path) -> None:
    text = log([task(parse(30, ""))], installed(7, 4, "1"))
    path = write_log(tmp_path, text)
    complete_log(path)
    assert path.read_text() == text
    assert complete_log(tmp_path / "none.xml") == 0


def chunk(size: int, state: int, content: bytes) -> bytes:
    """By the layout of the header: magic, version, size, five numbers, state, flags."""
    header = b"FLR\0" + struct.pack(">HHQ6QBxBB", 2, 1, size, 0, 0, 0, 0, 0, 0, state, 0, 1)
    assert len(header) == 68
    return header + content


def test_a_chunk_in_the_making_is_used_as_far_as_it_was_flushed(tmp_path: Path) -> None:
    file = tmp_path / "chunk.jfr"
    file.write_bytes(chunk(72, 3, b"1234rest"))
    assert whole_chunk(file) == chunk(72, 0, b"1234")


@pytest.mark.parametrize(
    "content", [b"", b"FLR\0", chunk(0, 3, b""), chunk(68, 1, b""), chunk(999, 3, b"short"), b"\0" * 80]
)
def test_chunks_that_were_never_flushed_are_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "chunk.jfr"
    file.write_bytes(content)
    assert whole_chunk(file) == b""


def test_a_flight_that_never_began_leaves_nothing(tmp_path: Path) -> None:
    flight = Flight(tmp_path, has_own_options=False)
    assert any(word.startswith("-XX:FlightRecorderOptions=") for word in flight.options())
    assert flight.land() is None
    assert list(tmp_path.iterdir()) == []


def test_the_exit_code_stays_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(log: Path) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(java, "java_machine", lambda *words: JavaMachine("25", "HotSpot", None, False))
    monkeypatch.setattr(java, "run_to_end", lambda words: Outcome(4711, 7 << 8, 0.0, 0))
    monkeypatch.setattr(java, "complete_log", full)
    captured = java.run(["java", "Main"], tmp_path, CaptureOptions())
    assert captured.exit_code == 7
    assert "what was recorded is not complete: No space left on device" in captured.remarks


@pytest.mark.parametrize(
    ("linked", "compiled", "graal", "remark"),
    [
        (0, 0, False, "0 of 10 samples are in compiled code"),
        (4, 8, False, "8 of 10 samples are in compiled code; of 50.0% of these it is known which compilation it was"),
        (8, 8, True, "8 of 10 samples are in compiled code, 6 of them in code of Graal; of 100.0% of these"),
    ],
)
def test_how_much_is_known_is_said(linked: int, compiled: int, graal: bool, remark: str) -> None:
    entries = (ProfileEntry("f()", 6, "7", 4), ProfileEntry("g()", 2, "8", 3), ProfileEntry("Interpreter", 2))
    said = link_remark(LinkedTime(TimeProfile(10, "samples", entries, "test"), linked, compiled), graal=graal)
    assert said.startswith(remark)
    assert compiled or said == remark


def test_the_written_profile_is_one_of_proftool(tmp_path: Path) -> None:
    entries = (ProfileEntry("f()", 3, "7", 4), ProfileEntry("g()", 2, "8", 3), ProfileEntry("Interpreter", 1))
    write_proftool_profile(tmp_path / "p.json", TimeProfile(6, "samples", entries, "test"), "4711", frozenset({"8"}))
    read = read_proftool(tmp_path / "p.json")
    assert (read.execution_id, read.compilation, read.loop_ids) == ("4711", "JIT", frozenset({"8"}))
    assert (read.times.total, read.times.unit) == (60_000_000, "nanoseconds")
    assert read.times.entries[:2] == (ProfileEntry("f()", 30_000_000, "7", 4), ProfileEntry("g()", 20_000_000, "8", 3))
