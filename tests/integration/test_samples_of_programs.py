"""`sonde contexts --cycles --time sampled prog.c`: where threads are in compiled code, with nothing put into it."""

from pathlib import Path

import pytest

from measuring import run_sonde
from needed import needs
from sonde.base.errors import SondeError
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, read_profile
from sonde.instruments.contexts.sources.sampling import check_sampling
from sonde.jit.compilers import find_compiler

pytestmark = needs(find_compiler)

_SOURCE = r"""
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile double one = 1;
static inline double cube(double x) { return x * x * x; }
__attribute__((noinline)) static double most(int n) {
    double s = one;
    for (int i = 0; i < n; i++) s = s / 3 + cube(s / (i + 1));
    return s;
}
__attribute__((noinline)) static double least(int n) {
    double s = one;
    for (int i = 0; i < n; i++) s = s / 3 + cube(s / (i + 1));
    return s;
}
static void *work(void *given) {
    double *s = given;
    for (int i = 0; i < 1000; i++) *s += most(9000) + least(1000);
    return NULL;
}
int main(int argc, char **argv) {
    double s[2] = {argc, 1};
    pthread_t thread;
    int file = dup(0);
    errno = EDOM;
    pthread_create(&thread, NULL, work, &s[1]);
    work(&s[0]);
    pthread_join(thread, NULL);
    if (argc > 1 && !fork()) {
        work(&s[0]);
        _exit(0);
    }
    int kept = errno;
    wait(NULL);
    printf("%g %g %d %s\n", s[0], s[1], file, kept == EDOM ? "as it was" : "changed");
    return 7;
}
"""


def _can_sample() -> object:
    try:
        check_sampling()
    except SondeError as error:
        pytest.skip(error.message)
    return True


@pytest.fixture
def source(tmp_path: Path) -> Path:
    _can_sample()
    path = tmp_path / "prog.c"
    path.write_text(_SOURCE, encoding="utf-8")
    return path


def _units(profile: ContextProfile) -> dict[str, int]:
    """Name of a compiled function -> all its nanoseconds."""
    tree = profile.contexts
    return {
        profile.functions[tree.function[row]].name: tree.total_ns[row]
        for row, parent in enumerate(tree.parent)
        if parent == NO_PARENT
    }


@pytest.mark.timing  # of two functions that do the same, one nine times as often: a share, at any speed
def test_samples_are_where_the_time_is_and_the_program_is_what_it_was(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    plain = run_sonde("vm", "run", str(source))
    ran = run_sonde("contexts", "--cycles", "--time", "sampled", "--every", "100us", "-o", str(output), str(source))
    assert (ran.returncode, ran.stdout) == (plain.returncode, plain.stdout) == (7, plain.stdout), ran.stderr
    assert "as it was" in ran.stdout
    profile = read_profile(output)
    profile.check_valid()
    assert (profile.run.clock, profile.total_calls, profile.sampling is None) == ("samples", 0, False)
    assert profile.is_processor_time
    units = _units(profile)
    whole = sum(units.values())
    assert units["most"] / whole == pytest.approx(0.9, abs=0.1)
    assert units["least"] / whole == pytest.approx(0.1, abs=0.1)
    # What was inlined stands below its unit, and lines are those of its code.
    below = {
        (profile.functions[profile.contexts.function[parent]].name, profile.functions[function].name)
        for parent, function in zip(profile.contexts.parent, profile.contexts.function, strict=True)
        if parent != NO_PARENT
    }
    assert ("most", "cube") in below
    [cube] = [function for function in profile.functions if function.name == "cube"]
    assert set(profile.line_samples[cube]) == {cube.first_line}
    [process] = profile.processes
    assert process.threads == 2
    assert "calls not counted" in ran.stderr
    viewed = run_sonde("view", str(output), "--lines")
    assert (viewed.returncode, "(inlined) cube" in run_sonde("view", str(output)).stdout) == (0, True)


@pytest.mark.timing  # as above
def test_samples_divide_what_probes_measure(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    for stamps, clock in (("chosen", "cycles, samples"), ("none", "samples")):
        words = ("--time", "both", "--every", "100us", "--stamps", stamps, "--force", "-o", str(output))
        ran = run_sonde("contexts", "--cycles", *words, str(source))
        assert ran.returncode == 7, ran.stderr
        profile = read_profile(output)
        profile.check_valid()
        units = _units(profile)
        assert profile.run.clock == clock
        assert units["most"] / sum(units.values()) == pytest.approx(0.9, abs=0.1)
        tree = profile.contexts
        calls = {profile.functions[tree.function[row]].name: tree.calls[row] for row in range(len(tree))}
        assert (calls["most"], calls["least"], calls["main"]) == (2000, 2000, 1)
        assert not any(function.name.startswith("(probe") for function in profile.functions)


def test_children_are_sampled_if_they_are_followed(source: Path, tmp_path: Path) -> None:
    whole = []
    for follow in ([], ["--follow"]):
        output = tmp_path / f"run{len(follow)}.sonde"
        words = ("--cycles", "--time", "sampled", *follow, "-o", str(output))
        assert run_sonde("contexts", *words, str(source), "--", "fork").returncode == 7
        profile = read_profile(output)
        whole.append(
            (sum(_units(profile).values()) > 0, any(each.kind == "samples-of-children" for each in profile.losses))
        )
    assert whole == [(True, True), (True, False)]


def test_units_without_debug_information_keep_their_samples_and_that_is_told(tmp_path: Path) -> None:
    _can_sample()
    source = tmp_path / "bare.ll"
    source.write_text(
        """
        define i64 @spins(i64 %n) noinline {
        top:
          br label %loop
        loop:
          %i = phi i64 [ 0, %top ], [ %next, %loop ]
          %sum = phi i64 [ 1, %top ], [ %more, %loop ]
          %part = udiv i64 -1, %sum
          %more = or i64 %part, 1
          %next = add i64 %i, 1
          %done = icmp eq i64 %next, %n
          br i1 %done, label %end, label %loop
        end:
          ret i64 %more
        }
        define i32 @main() {
          %r = call i64 @spins(i64 20000000)
          ret i32 0
        }
        """,
        encoding="utf-8",
    )
    for time in ("sampled", "both", "measured"):
        output = tmp_path / f"{time}.sonde"
        ran = run_sonde("contexts", "--cycles", "--time", time, "-o", str(output), str(source))
        assert ran.returncode == 0, ran.stderr
        profile = read_profile(output)
        assert max(_units(profile), key=_units(profile).__getitem__) == "spins"
        assert len(profile.contexts) <= 2  # nothing is inlined, as far as anybody knows
        assert "cycles-without-line" in {each.kind for each in profile.losses}


@pytest.mark.parametrize(
    "words",
    [
        ["--time", "sampled"],
        ["--cycles", "--time", "sampled", "--stamps", "all"],
        ["--cycles", "--every", "1ms"],
        ["--cycles", "--time", "both", "--every", "1us"],
    ],
)
def test_what_goes_with_nothing_is_refused(words: list[str], source: Path) -> None:
    ran = run_sonde("contexts", *words, str(source))
    assert ran.returncode == 2
    assert any(flag in ran.stderr for flag in ("--time", "--stamps", "--every"))


def test_nothing_is_left_behind(source: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    ran = run_sonde("contexts", "--cycles", "--time", "sampled", str(source), cwd=tmp_path)
    assert ran.returncode == 7
    assert sorted(tmp_path.iterdir()) == before
