"""What `perf script` prints: both forms of samples, inlined frames, several events, and what is no such text."""

from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import NO_OFFSET, Place, ProfileEntry
from sonde.instruments.decisions.time_profiles import perf_samples, read_perf_script, read_time_profile

ONE_LINE = """\
            spin 31708 15088.743860:     250000 cpu-clock:      7f06e2667f38 check.constprop.0+0x158 (/usr/lib/ld.so.2)
            spin 31708 15088.744107:     250000 cpu-clock:  ffffffff812fbc9c do_prctl+0x15c ([kernel.kallsyms])
            spin 31708 15088.744356:     250000 cpu-clock:      55ef73ec71e8 work+0x38 (/home/a b/spin)
            spin 31708 15088.744605:     250000 cpu-clock:      55ef73ec71f5 work+0x45 (/home/a b/spin)
"""
CHAINS = """\
# ========
# captured on    : Sat Nov 21 2026
#
my prog 31713/31714 [001] 15091.064285:     250000 cpu-clock:ppp:_
@           14f38 twice<int>(int)+0x158 (/usr/lib/x.so (deleted))
@  7ffec7b429d000 [unknown] ([unknown])

my prog 31713/31714 [001] 15091.064286:     250000 cpu-clock:ppp:_
@          401136 leaf (inlined)
@          401136 middle (inlined)
@          401136 outer+0x6 (/home/x)
  x.c:12
@          401200 main+0x6 (/home/x)

my prog 31713/31714 [001] 15091.064287:     250000 cpu-clock:ppp:_

""".replace("@", "\t").replace(":_", ": ")
"""As perf prints it, with tabs and blanks at ends."""


def test_one_line_samples_are_summed_by_function_and_program(tmp_path: Path) -> None:
    path = tmp_path / "perf.txt"
    path.write_text(ONE_LINE, encoding="utf-8")

    profile = read_time_profile(path)

    assert (profile.total, profile.unit, profile.source) == (1_000_000, "nanoseconds", "perf script, cpu-clock")
    assert profile.entries == (
        ProfileEntry("work", 500_000, file="/home/a b/spin", offsets=((0x38, 250_000), (0x45, 250_000))),
        ProfileEntry("check.constprop.0", 250_000, file="/usr/lib/ld.so.2", offsets=((0x158, 250_000),)),
        ProfileEntry("do_prctl", 250_000, file="[kernel.kallsyms]", offsets=((0x15C, 250_000),)),
    )


def test_of_a_call_chain_the_innermost_function_that_was_not_inlined_counts() -> None:
    samples = list(perf_samples(CHAINS.splitlines(keepends=True)))

    assert [(each.symbol, each.code) for each in samples] == [
        ("twice<int>(int)", "/usr/lib/x.so"),
        ("outer", "/home/x"),
        ("[unknown]", "[unknown]"),
    ]
    assert {each.event for each in samples} == {"cpu-clock:ppp"}


def test_of_several_events_the_one_that_counts_time_is_taken(tmp_path: Path) -> None:
    lines = [f"a 1 5.{k:06}:      1 page-faults:     401136 f+0x1 (/a)\n" for k in range(5)]
    lines += ["a 1 6.000001:    700 cycles:u:     401136 g+0x1 (/a)\n"]
    path = tmp_path / "perf.txt"
    path.write_text("".join(lines), encoding="utf-8")

    profile = read_perf_script(path)

    assert (profile.unit, profile.entries) == ("cycles", (ProfileEntry("g", 700, file="/a", offsets=((1, 700),)),))


def test_without_periods_samples_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "perf.txt"
    path.write_text("a 1 5.000001: cycles:     401136 f+0x1 (/a)\n" * 3, encoding="utf-8")

    profile = read_perf_script(path)

    assert (profile.total, profile.unit) == (3, "samples")


@pytest.mark.parametrize("text", ["", "# nothing\n", "hello\n", "PERFILE2\0\0\0"])
def test_what_no_profiler_wrote_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "perf.txt"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as refused:
        read_time_profile(path)

    assert refused.value.slug == "unknown-time-profile"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        read_time_profile(tmp_path / "none")

    assert refused.value.slug == "unreadable-time-profile"


def test_inlined_frames_tell_where_in_a_function_its_time_was(tmp_path: Path) -> None:
    path = tmp_path / "perf.txt"
    head = "my prog 1/1 [001] 7.{}:     10 cpu-clock:ppp:"
    alone = f"{head.format(1)}\n\t401150 outer+0x20 (/home/x)\n\n"
    library = f"{head.format(2)}\n\t401150 strlen+0x20 (/lib/libc.so)\n\n"
    path.write_text(CHAINS + alone + library, encoding="utf-8")

    entries = {entry.name: entry for entry in read_perf_script(path).entries}

    outer, middle, leaf = (Place(name, NO_OFFSET) for name in ("outer", "middle", "leaf"))
    assert entries["outer"].period == 250_010
    assert set(entries["outer"].spread) == {((leaf, middle, outer), 250_000), ((outer,), 10)}
    # Of the library nothing is known: there may be no debug information of it.
    assert entries["strlen"].spread == ()
