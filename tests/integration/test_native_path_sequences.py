"""Sequences of paths of compiled programs are those that a log of all paths has, counted by brute force."""

import json
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from measuring import environment, run_sonde
from needed import needs
from oracle_libraries import oracle_library
from ordered_paths import KS
from sonde.instruments.paths.profile import PathProfile, read_path_profile
from sonde.jit.compilers import find_compiler

pytestmark = needs(find_compiler)

_HERE = Path(__file__).parents[1]
_SOURCE = _HERE / "programs_in_c" / "path_kinds.c"
KINDS = ("switch", "irreducible", "addresses", "jumps", "recursion", "wide", "dynamic", "exit", "stacks", "threads")


@pytest.fixture(scope="module", params=["late", "early"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what ordered_paths.py leaves."""
    return _runs(tmp_path_factory.mktemp("ordered"), request.param)


def _runs(folder: Path, when: str) -> Path:
    words = (_HERE / "ordered_paths.py", folder, when, _SOURCE, oracle_library("path_order"))
    command = [sys.executable, *map(str, words), *KINDS]
    subprocess.run(command, check=True, env=environment())
    return folder


def _streams(folder: Path, kind: str) -> list[tuple[int, list[int]]]:
    """Function and paths of each activation."""
    found: list[tuple[int, list[int]]] = []
    here: dict[int, list[int]] = {}
    for activation, path, routine, begins in struct.iter_unpack("<QQII", (folder / f"{kind}.log").read_bytes()):
        if begins:
            here[activation] = []
            found.append((routine, here[activation]))
        else:
            here[activation].append(path)
    return found


class _Counted(NamedTuple):
    """What a log has, as `ordered_paths.py` tells it."""

    activations: dict[str, int]
    """By function."""
    sequences: dict[str, Counter[tuple[int, ...]]]
    """Of the functions' paths, of any length up to the longest that is asked for."""
    left: int
    """How many paths were left midway."""

    def functions(self, k: int) -> dict[str, Any]:
        """Activations of each function and its sequences of up to `k` paths."""
        return {
            name: [
                activations,
                {" ".join(map(str, paths)): n for paths, n in self.sequences[name].items() if len(paths) <= k},
            ]
            for name, activations in self.activations.items()
        }


def _expected(folder: Path, kind: str) -> _Counted:
    names, ends, watched = json.loads((folder / "functions").read_text())
    activations: Counter[str] = Counter()
    sequences: dict[str, Counter[tuple[int, ...]]] = {}
    left = 0
    for number, paths in _streams(folder, kind):
        activations[names[number]] += 1
        counts = sequences.setdefault(names[number], Counter())
        for length in range(1, min(max(KS), len(paths)) + 1):
            counts.update(tuple(paths[first : first + length]) for first in range(len(paths) - length + 1))
        if watched[number]:
            left += 1 - sum(path in ends[number] for path in paths)
    return _Counted(activations, sequences, left)


@pytest.mark.parametrize("kind", KINDS)
def test_sequences_are_those_of_the_log(runs: Path, kind: str) -> None:
    plain = json.loads((runs / f"{kind}.plain").read_text())
    counted = _expected(runs, kind)
    for k in KS:
        found = json.loads((runs / f"{kind}.{k}").read_text())
        expected = counted.functions(k)
        assert found["ran"] == plain, k
        assert found["profile"]["functions"] == expected, k
        assert found["profile"]["losses"].get("paths-cut", 0) == counted.left, k
        assert expected
    assert json.loads((runs / f"{kind}.counters").read_text()) == json.loads((runs / f"{kind}.1").read_text())
    longest = json.loads((runs / f"{kind}.{max(KS)}").read_text())
    if (runs / f"{kind}.off").exists():
        on, off = (json.loads((runs / f"{kind}.{way}").read_text()) for way in ("on", "off"))
        assert on["ran"] == off["ran"] == plain
        assert on["profile"]["functions"] == longest["profile"]["functions"] and not off["profile"]["functions"]
    else:
        assert json.loads((runs / f"{kind}.unoptimised").read_text()) == longest


def test_the_answer_names_lines_and_the_program_is_as_it_was(tmp_path: Path) -> None:
    source = tmp_path / "parse.c"
    source.write_text(
        """#include <stdio.h>
int main(int argc, char **argv) {
  int words = 0, depth = 0;
  for (const char *at = argv[1]; *at; at++) {
    if (*at == '(')
      printf("%d ", ++depth);
    else
      words += putchar(*at) > 0;
  }
  return words;
}
""",
        encoding="ascii",
    )
    output = tmp_path / "run.sonde"
    done = run_sonde("paths", "-k", "3", "-o", output, source, "--", "(a(a(a")
    assert (done.returncode, done.stdout) == (3, "1 a2 a3 a")
    profile = read_path_profile(output)
    (routine,) = profile.routines
    ways = Counter[tuple[int, ...]]()
    for path, count in zip(routine.forest.paths(), routine.forest.counts, strict=True):
        if len(path) == 1:
            ways[routine.code.lines(path[0])] += count
    assert sum(count for lines, count in ways.items() if 6 in lines and 8 not in lines) == 3
    assert sum(count for lines, count in ways.items() if 8 in lines and 6 not in lines) == 3
    assert "lines of paths" in done.stderr
    again = run_sonde("view", output)
    assert again.returncode == 0 and "main" in again.stdout


def test_inlined_code_of_the_same_file_has_its_own_lines(tmp_path: Path) -> None:
    (tmp_path / "half.h").write_text(
        "static int half(int x) {\n    int y = 0;\n    for (int at = 0; at < x; at++) y += at ^ x;\n    return y;\n}\n"
    )
    source = tmp_path / "app.c"
    source.write_text(
        '#include "half.h"\n'
        "static int next(int x) {\n"
        "    if (x & 1)\n"
        "        return 3 * x + 1;\n"
        "    return half(x);\n"
        "}\n"
        "int main(int count, char **words) {\n"
        "    int x = count;\n"
        "    for (int at = 0; at < 100; at++)\n"
        "        x = next(x) & 63;\n"
        "    return x & 1;\n"
        "}\n"
    )
    output = tmp_path / "run.sonde"
    run_sonde("paths", "-k", "2", "--quiet", "-o", output, source, "-O2")
    (routine,) = read_path_profile(output).routines
    lines = {line for block in routine.code.blocks for line in block.lines}
    inlined = {words for block in routine.code.blocks for words in block.inlined}
    assert routine.function.name == "main"
    assert {4, 9} <= lines <= set(range(1, 13))  # 4 is in `next`; what is in half.h has the line of its call
    assert 5 in lines and any(words.startswith("half (half.h:") for words in inlined)


def test_only_functions_of_a_name_get_probes(tmp_path: Path) -> None:
    source = tmp_path / "names.c"
    source.write_text(
        """#include <pthread.h>
__attribute__((noinline)) static int inner(int n) { return n % 2 ? n * 3 : n / 2 + 1; }
__attribute__((noinline)) static void *outer(void *n) {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += inner(i + (n != 0));
  return (char *)n + sum;
}
int main(void) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, outer, NULL);
  pthread_join(thread, &result);
  return inner((int)(long)result) & 63;
}
""",
        encoding="ascii",
    )
    plain = run_sonde("paths", "-o", tmp_path / "all.sonde", source)
    done = run_sonde("paths", "-o", tmp_path / "one.sonde", "--function", "inner", source)
    assert done.returncode == plain.returncode
    every, one = (read_path_profile(tmp_path / f"{name}.sonde") for name in ("all", "one"))
    assert {each.function.name for each in every.routines} == {"main", "outer", "inner"}
    assert [each.function.name for each in one.routines] == ["inner"]
    (known,) = (each for each in every.routines if each.function.name == "inner")
    assert one.routines[0].activations == known.activations == 6
    assert list(one.routines[0].forest.counts) == list(known.forest.counts)
    missing = run_sonde("paths", "--function", "iner", source)
    assert (missing.returncode, missing.stdout) == (2, "") and "did you mean 'inner'?" in missing.stderr


def test_what_is_counted_in_bursts_was_taken(tmp_path: Path) -> None:
    """A loop whose iterations alternate is seen to do so, and never otherwise, whenever bursts begin."""
    source = tmp_path / "turns.c"
    source.write_text(
        """#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static unsigned turns(unsigned n) {
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    if (i & 1) sum += i; else sum ^= n;
  return sum;
}
extern char __libc_single_threaded;
int main(int count, char **words) {
  printf("%d\\n", __libc_single_threaded);
  return (int)(turns((unsigned)atoi(words[count - 1])) & 63);
}
""",
        encoding="ascii",
    )

    def measured(name: str, iterations: int, *options: str) -> tuple[int, PathProfile, dict[tuple[int, ...], int]]:
        output = tmp_path / f"{name}.sonde"
        command = ("--function", "turns", "--quiet", "--force", source, "--", str(iterations))
        done = run_sonde("paths", "-k", "3", *options, "-o", output, *command)
        assert done.stdout == "1\n"  # the thread that switches bursts is none of the program's
        profile = read_path_profile(output)
        forests = [routine.forest for routine in profile.routines]
        counts = {path: count for each in forests for path, count in zip(each.paths(), each.counts, strict=True)}
        return done.returncode, profile, counts

    iterations = 40_000_000
    code, profile, counts = measured("bursts", iterations, "--burst", "3ms/1ms")
    while not counts:  # on a busy machine it may run in no burst
        iterations *= 2
        code, profile, counts = measured("bursts", iterations, "--burst", "3ms/1ms")
    exact_code, _, true = measured("exact", iterations)
    assert code == exact_code
    assert counts and all(0 < count <= true[path] for path, count in counts.items())
    assert sum(count for path, count in counts.items() if len(path) == 1) < iterations
    (told,) = (loss.detail for loss in profile.losses if loss.kind == "paths-in-bursts")
    assert "of the time" in told


def test_early_probes_count_paths_of_functions_that_are_inlined(tmp_path: Path) -> None:
    source = tmp_path / "collatz.c"
    source.write_text(
        """static int next(int x) { return x & 1 ? 3 * x + 1 : x / 2; }
int main(void) {
  int steps = 0;
  for (int i = 1; i < 100; i++)
    for (int x = i; x != 1; x = next(x)) steps++;
  return steps & 63;
}
""",
        encoding="ascii",
    )

    def step(x: int) -> int:
        return 3 * x + 1 if x & 1 else x // 2

    odd = even = 0
    for i in range(1, 100):
        x = i
        while x != 1:
            odd, even = odd + (x & 1), even + (not x & 1)
            x = step(x)

    late = run_sonde("paths", "-o", tmp_path / "late.sonde", source, "-O2")
    early = run_sonde("paths", "--probes", "early", "-o", tmp_path / "early.sonde", source, "-O2")

    assert late.returncode == early.returncode == odd + even & 63
    profiles = [read_path_profile(tmp_path / f"{when}.sonde") for when in ("late", "early")]
    inlined, written = ({each.function.name: each for each in profile.routines} for profile in profiles)
    assert set(inlined) == {"main"} and set(written) == {"main", "next"}
    assert written["next"].activations == odd + even
    assert sorted(written["next"].acyclic.values()) == sorted((odd, even))
    missing = run_sonde("paths", "--function", "next", source, "-O2")
    assert missing.returncode == 2 and "--probes early" in missing.stderr
