"""`sonde contexts --cycles prog.c`: compiled functions by themselves, the program as if sonde were not there."""

from pathlib import Path

import pytest

from measuring import run_sonde, run_sonde_here
from needed import needs
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, read_profile
from sonde.jit.compilers import find_compiler

pytestmark = needs(find_compiler)

_SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile double one = 1;
static inline double square(double x) { return x * x; }
__attribute__((noinline)) double sums(const double *v, int n) {
    double s = one;  // not known to be the same each time
    for (int i = 0; i < n; i++) s += square(v[i]) / (i + 1.0);
    return s;
}
__attribute__((noinline)) unsigned tiny(unsigned x) { return x * (unsigned)one * 2654435761u ^ (x >> 3); }
__attribute__((noinline)) static void *work(void *given) {
    static double v[1000];
    double *s = given;
    for (int i = 0; i < 50; i++) *s += sums(v, 1000);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t thread;
    double s[2] = {argc, 1};
    unsigned h = 1;
    pthread_create(&thread, NULL, work, &s[1]);
    work(&s[0]);
    pthread_join(thread, NULL);
    for (int i = 0; i < 100000; i++) h = tiny(h + i);
    printf("%g %g %u %s\n", s[0], s[1], h, argv[argc - 1]);
    fprintf(stderr, "told\n");
    exit(7);
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "prog.c"
    path.write_text(_SOURCE, encoding="utf-8")
    return path


def _units(profile: ContextProfile) -> dict[str, tuple[int, int]]:
    """Name of a compiled function -> its calls, and all its nanoseconds."""
    tree = profile.contexts
    return {
        profile.functions[tree.function[row]].name: (tree.calls[row], tree.total_ns[row])
        for row, parent in enumerate(tree.parent)
        if parent == NO_PARENT
    }


@pytest.mark.parametrize("stamps", ["none", "chosen", "all"])
def test_units_have_their_calls_and_the_program_is_what_it_was(stamps: str, source: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    ran = run_sonde("contexts", "--cycles", "--stamps", stamps, "-o", str(output), str(source), "--", "word")
    assert ran.returncode == 7, ran.stderr
    assert ran.stdout.split()[-1] == "word"
    assert "told\n" in ran.stderr
    profile = read_profile(output)
    profile.check_valid()
    units = _units(profile)
    assert {name: calls for name, (calls, _) in units.items()} == {"main": 1, "work": 2, "sums": 100, "tiny": 100_000}
    assert profile.has_units
    assert (profile.run.clock == "estimate") == (stamps == "none")
    assert units["sums"][1] > 0
    # What was inlined into sums stands below it, with lines of its own.
    rows = {
        profile.functions[function].name: profile.functions[profile.contexts.function[parent]].name
        for parent, function in zip(profile.contexts.parent, profile.contexts.function, strict=True)
        if parent != NO_PARENT
    }
    assert rows["square"] == "sums"
    assert sum(process.threads for process in profile.processes) == 2
    for function, lines in profile.line_samples.items():
        begin = function.first_line
        assert all(begin <= line < begin + 20 for line in lines)


def test_what_profiles_are_for_serves_these_too(source: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.sonde" for number in range(2)]
    for path in paths:
        assert run_sonde("contexts", "--cycles", "--quiet", "-o", str(path), str(source)).returncode == 7
    viewed = run_sonde_here("view", str(paths[0]))
    assert "has most cycles of the compiled functions" in " ".join(viewed.stdout.split())
    assert "(inlined) square" in run_sonde_here("view", str(paths[0]), "--min-share", "0").stdout
    assert run_sonde_here("view", str(paths[0]), "--lines").returncode == 0
    assert run_sonde_here("view", str(paths[0]), "--html", str(tmp_path / "page.html")).returncode == 0
    compared = run_sonde_here("diff", *map(str, paths))
    assert compared.returncode in (0, 1, 4), compared.stderr  # equal, different, or not to be told apart
    merged = tmp_path / "merged.sonde"
    assert run_sonde_here("merge", *map(str, paths), "-o", str(merged)).returncode == 0
    assert _units(read_profile(merged))["tiny"][0] == 200_000
    assert run_sonde_here("export", str(paths[0]), "--to", "collapsed", "-o", tmp_path / "stacks").returncode == 0


@pytest.mark.parametrize(
    "words",
    [["--cycles", "--no-time"], ["--cycles", "--exact"], ["--cycles", "--burst", "20ms/2ms"], ["--stamps", "all"]],
)
def test_what_cycles_do_not_have_is_refused(words: list[str], source: Path) -> None:
    ran = run_sonde_here("contexts", *words, str(source), cwd=source.parent)
    assert ran.returncode == 2
    assert "--cycles" in ran.stderr


def test_loops_that_were_inlined_have_the_shares_of_their_runs(tmp_path: Path) -> None:
    source = tmp_path / "two.c"
    source.write_text(
        r"""
        #include <stdlib.h>
        static volatile double sink;
        static inline double most(double s, long n) { for (long i = 0; i < n; i++) s = s / 3 + i; return s; }
        static inline double least(double s, long n) { for (long i = 0; i < n; i++) s = s / 3 + i; return s; }
        static inline double never(double s, long n) { for (long i = 0; i < n; i++) s = s / 3 + i; return s; }
        __attribute__((noinline)) double work(double s, long n, int rarely) {
            s = most(s, 9 * n);
            if (rarely) s = never(s, n);
            return least(s, n);
        }
        int main(int argc, char **argv) {
            long n = argc > 1 ? atol(argv[1]) : 1000;
            for (int i = 0; i < 20; i++) sink = work(i, n, i > 100);
        }
        """,
        encoding="utf-8",
    )
    output = tmp_path / "run.sonde"
    for stamps in ("none", "all"):
        words = ("--cycles", "--stamps", stamps, "--force", "-o", str(output))
        assert run_sonde("contexts", *words, str(source)).returncode == 0
        profile = read_profile(output)
        tree = profile.contexts
        own = {
            profile.functions[function].name: ns for function, ns in zip(tree.function, tree.self_ns, strict=True) if ns
        }
        assert own["most"] / (own["most"] + own["least"]) == pytest.approx(0.9, abs=0.01)
        assert own.get("never", 0) <= 0.01 * own["least"]
