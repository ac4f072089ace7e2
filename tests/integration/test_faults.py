"""What can go wrong around a run: closed descriptors and streams, odd names, full disks, limits."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from measuring import SONDE, calls_by_name, environment, measure, run_plainly, run_sonde
from sonde.instruments.contexts.profile import read_profile

MANY_FUNCTIONS = """
def make(n):
    namespace = {}
    for i in range(n):
        exec(f"def f{i}(): return {i}", namespace)
        namespace[f"f{i}"]()
"""

DAEMON = f"""
import os, sys
{MANY_FUNCTIONS}
os.closerange(3, 256)
victim = open(sys.argv[1], "w+")
others = [open(os.devnull) for _ in range(20)]
make(20_000)
victim.write("precious data\\n")
victim.flush()
if len(sys.argv) > 2:
    pid = os.fork()
    if pid == 0:
        victim.write("from the child\\n")
        victim.flush()
        make(10)
        os._exit(0)
    print(os.waitpid(pid, 0)[1])
"""


@pytest.mark.parametrize("follow", [False, True])
def test_a_program_that_closes_all_descriptors_keeps_its_files_and_its_counts(follow: bool, tmp_path: Path) -> None:
    script, victim = tmp_path / "daemon.py", tmp_path / "victim.txt"
    script.write_text(DAEMON)
    options = ["--follow"] if follow else []
    arguments = [victim, "fork"] if follow else [victim]

    measured = measure(tmp_path, "--exact", *options, script, *arguments)

    assert measured.returncode == 0
    assert victim.read_text() == "precious data\n" + ("from the child\n" if follow else "")
    calls = calls_by_name(measured.profile)
    assert (calls["f0"], calls["f19999"], calls["make"]) == (2 if follow else 1, 1, 2 if follow else 1)
    assert measured.profile.losses == ()


@pytest.mark.parametrize("name", ["a\nb", "with space", "quote'\"", "ünï", os.fsdecode(b"bad\xff")])
def test_any_file_name_will_do(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    script = folder / f"{name}.py"
    script.write_text("def f(): pass\nf()\nprint('ran')")

    measured = measure(folder, script, name)

    assert measured.stdout == "ran\n"
    assert calls_by_name(measured.profile)["f"] == 1


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_standard_streams_are_closed_for_the_program_and_no_bug_in_sonde(closed: int, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import os, sys\ndef f(): pass\nf()\nos.fstat(int(sys.argv[1]))")
    output = tmp_path / "run.sonde"
    command = [*SONDE, "contexts", "-o", str(output), "--quiet", str(script), str(closed)]
    plain = [sys.executable, str(script), str(closed)]

    def close() -> None:
        os.close(closed)

    expected = subprocess.run(plain, preexec_fn=close, env=environment(), check=False).returncode
    done = subprocess.run(command, preexec_fn=close, env=environment(), check=False)

    assert done.returncode == expected == 1  # OSError: the descriptor is closed
    assert calls_by_name(read_profile(output))["f"] == 1


def test_a_limited_address_space_is_left_to_the_program(tmp_path: Path) -> None:
    script = tmp_path / "allocates.py"
    script.write_text(
        "blocks = []\ndef f(): blocks.append(bytes(5 << 20))\n"
        "try:\n    while True: f()\nexcept MemoryError:\n    count = len(blocks)\n    blocks.clear()\nprint(count)"
    )

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600_000 << 10, 600_000 << 10))

    plain = subprocess.run([sys.executable, script], preexec_fn=limit, capture_output=True, text=True, check=True)
    command = [*SONDE, "contexts", "--quiet", "-o", str(tmp_path / "run.sonde"), str(script)]
    measured = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)

    assert measured.returncode == 0, measured.stderr
    assert int(measured.stdout) >= 0.85 * int(plain.stdout)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 200 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no permission to mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_disturbs_nothing_and_what_was_counted_is_recovered(small_disk: Path, tmp_path: Path) -> None:
    script, output = tmp_path / "program.py", small_disk / "run.sonde"
    script.write_text(f"import sys\n{MANY_FUNCTIONS}\nmake(20_000)\nprint('done')\nsys.exit(7)")

    done = run_sonde("contexts", "--exact", "-o", output, script)

    assert (done.returncode, done.stdout) == (7, "done\n")
    report, refusal = done.stderr.split("sonde: the counts are kept in", 1)
    assert "hottest functions" in report  # what cannot be written is told all the same
    assert "cannot write '" in refusal
    assert f"sonde view {output}" in done.stderr
    assert sorted(path.name for path in small_disk.iterdir()) == ["run.sonde-live"]
    moved = tmp_path / "run.sonde"
    shutil.copytree(small_disk / "run.sonde-live", tmp_path / "run.sonde-live")
    viewed = run_sonde("view", moved)
    assert viewed.returncode == 0, viewed.stderr
    profile = read_profile(moved)
    assert calls_by_name(profile)["f0"] == 1
    lost = sum(loss.amount for loss in profile.losses if loss.kind == "contexts-not-stored")
    assert lost > 0
    assert profile.total_calls + lost >= 20_000


@pytest.mark.parametrize("size", ["4k", "64k", "68k"])
def test_a_disk_that_is_full_from_the_start_disturbs_nothing(size: str, small_disk: Path, tmp_path: Path) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(small_disk)], check=True)
    script, output = tmp_path / "program.py", small_disk / "run.sonde"
    script.write_text(f"import sys\n{MANY_FUNCTIONS}\nmake(3_000)\nprint('done')\nsys.exit(7)")

    done = run_sonde("contexts", "--quiet", "-o", output, script)

    assert (done.returncode, done.stdout) == (7, "done\n")
    assert "sonde: " in done.stderr
    assert "-o FILE" in done.stderr or not done.stderr.startswith("sonde: nothing was measured")
    assert "bug in sonde" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_profiler_of_the_programs_own_survives_deep_recursion(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import cProfile, pstats, sys\nsys.setrecursionlimit(10**6)\n"
        "def down(n): return n and down(n - 1)\ndef small(): pass\n"
        "p = cProfile.Profile()\np.enable()\ndown(30_000)\nfor _ in range(10): small()\np.disable()\n"
        "print({key[2]: value[1] for key, value in pstats.Stats(p).stats.items() if key[2] in ('down', 'small')})"
    )

    assert measure(tmp_path, script).stdout == run_plainly(script).stdout


def test_an_unknown_mechanism_is_refused_before_anything_runs(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("print('ran')")

    done = run_sonde("contexts", "--mechanism", "magic", script)

    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot use the mechanism 'magic'" in done.stderr
