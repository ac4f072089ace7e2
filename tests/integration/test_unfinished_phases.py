"""A run of `sonde phases` that goes on, or was cut off: what was measured until then is told."""

import signal
import subprocess
from pathlib import Path

import pytest

from measuring import SONDE, environment, run_sonde, run_sonde_here
from sonde.instruments.phases.profile import read_phase_profile

PROGRAM = """\
import time
def phase():
    end = time.perf_counter() + 0.02
    while time.perf_counter() < end:
        pass
for each in range(5):
    phase()
print("ready", flush=True)
while True:
    phase()
"""


@pytest.mark.parametrize("options", [(), ("--counters", "page-faults", "--theta-weight", "5%")])
def test_what_a_killed_sonde_has_measured_is_recovered(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "app.py").write_text(PROGRAM, "utf-8")
    output = tmp_path / "run.sonde"
    command = [*SONDE, "phases", "-o", str(output), *options, "app.py"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment()) as sonde:
        assert sonde.stdout is not None
        assert sonde.stdout.readline() == "ready\n"
        goes_on = run_sonde_here("view", output)
        assert (goes_on.returncode, output.exists()) == (0, False), goes_on.stderr
        assert "still goes on; this is a snapshot" in goes_on.stderr
        sonde.send_signal(signal.SIGKILL)
    again = run_sonde("phases", "-o", output, "app.py", cwd=tmp_path)
    assert (again.returncode, "sonde view" in again.stderr) == (2, True)
    recovered = run_sonde_here("view", output)
    assert recovered.returncode == 0, recovered.stderr
    assert "was cut off; recovered what it had counted" in recovered.stderr
    profile = read_phase_profile(output)
    assert not profile.is_complete
    assert profile.command[-1] == "app.py"
    if options:
        assert ([each.name for each in profile.counters], profile.thetas.weight) == (["page-faults"], 0.05)
    calls = profile.threads[0].calls
    assert sum(profile.phases[phase].function.name == "phase" for phase in calls.phase) >= 5
    assert not output.with_name("run.sonde-live").exists()


def test_a_run_that_has_seen_nothing_yet_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "run.sonde-live"
    folder.mkdir()
    (folder / "phases.kind").touch()
    done = run_sonde_here("view", tmp_path / "run.sonde")
    assert done.returncode == 1
    assert "has not begun to watch phases" in done.stderr
