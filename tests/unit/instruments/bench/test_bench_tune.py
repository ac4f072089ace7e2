"""`sonde bench tune` on made-up machines: what is said of settings, and that all are put back in every ending."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from fake_machine import CPU, change_machine, make_machine, stat
from sonde.base.errors import InputError, SondeError
from sonde.instruments.bench.environment import Machine
from sonde.instruments.bench.report import machine_report
from sonde.instruments.bench.tuning import (
    Change,
    ChangesFile,
    Setting,
    put_back_leftovers,
    run_tuned,
    settings_of,
    wanted_changes,
)

BOOT = "proc/sys/kernel/random/boot_id"
NO_TURBO, BOOST = f"{CPU}/intel_pstate/no_turbo", f"{CPU}/cpufreq/boost"
LAYOUT = "proc/sys/kernel/randomize_va_space"
GOVERNORS = [f"{CPU}/cpu{number}/cpufreq/scaling_governor" for number in range(4)]
LOUD = {BOOT: "first\n", NO_TURBO: "0\n", **dict.fromkeys(GOVERNORS, "powersave\n")}
"""Everything that can be set is set badly."""
SET_BETTER = {NO_TURBO: "1", LAYOUT: "2", **dict.fromkeys(GOVERNORS, "performance")}
PATIENCE_S = 300.0
RUN = """
import sys
from pathlib import Path
from sonde.instruments.bench.environment import Machine
from sonde.instruments.bench.tuning import ChangesFile, run_tuned
root, state, *argv = sys.argv[1:]
machine = Machine(Path(root))
tell = lambda sentence: print(sentence, file=sys.stderr)
outcome, _ = run_tuned(argv, machine, ChangesFile(machine, Path(state)), tell=tell)
sys.exit(outcome.shell_code)
"""
WAITS = "import signal, sys, time; print('started', flush=True); time.sleep(60)"


def contents(root: Path) -> dict[str, str]:
    """What can be set, as it is."""
    paths = [NO_TURBO, LAYOUT, *GOVERNORS]
    return {path: (root / path).read_text().strip() for path in paths if (root / path).exists()}


def loud(tmp_path: Path) -> Machine:
    return make_machine(tmp_path / "root", LOUD)


def looked_at(machine: Machine) -> dict[str, Setting]:
    return {each.name: each for each in settings_of(machine, pause=lambda _: None)}


def run_python(machine: Machine, tmp_path: Path, script: str, **more: bool) -> tuple[int, bool, list[str]]:
    """Exit code, whether all was put back, what was told."""
    told: list[str] = []
    kept = ChangesFile(machine, tmp_path / "state")
    argv = [sys.executable, "-S", "-c", script, str(machine.root)]
    outcome, is_put_back = run_tuned(argv, machine, kept, tell=told.append, **more)
    return outcome.shell_code, is_put_back, told


def start(machine: Machine, tmp_path: Path) -> "subprocess.Popen[str]":
    """A real process that runs a command with better settings, once that has begun."""
    command = [sys.executable, "-c", RUN, str(machine.root), str(tmp_path / "state"), sys.executable, "-c", WAITS]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    """Whatever is left of it and its command."""
    if process.poll() is None:
        process.kill()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)


def test_a_quiet_machine_has_nothing_to_set(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {NO_TURBO: "1", **dict.fromkeys(GOVERNORS, "performance")})

    settings = looked_at(machine)
    report = machine_report(tuple(settings.values()))

    assert not any(each.makes_vary for each in settings.values())
    assert report.headline[0] == "Nothing that sonde can look at makes measurements vary."
    assert wanted_changes(machine) == ()


def test_what_makes_measurements_vary_is_counted_and_named(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {NO_TURBO: "0", GOVERNORS[1]: "ondemand", f"{CPU}/smt/active": "1"})

    settings = settings_of(machine, pause=lambda _: change_machine(tmp_path, {"proc/stat": stat(busy_s=9.0)}))
    headline = machine_report(settings).headline

    known = sum(each.is_known for each in settings)
    assert headline[0] == f"4 of {known} settings make measurements vary: governor, turbo, SMT, other load."
    commands = {each.name: each.command for each in settings}
    assert commands["turbo"] == f"echo 1 | sudo tee /{NO_TURBO}"
    assert commands["other load"] == "close what runs"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({GOVERNORS[0]: "schedutil"}, "governor"),
        ({BOOST: "1"}, "turbo"),
        ({f"{CPU}/smt/active": "1"}, "SMT"),
        ({"proc/cpuinfo": "flags: fpu hypervisor\n"}, "virtual machine"),
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "50000 100000\n"}, "CPU quota"),
        ({"proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 10 kB\n"}, "swap"),
        (
            {"sys/class/power_supply/AC/type": "Mains", "sys/class/power_supply/AC/online": "0"},
            "battery",
        ),
    ],
)
def test_each_setting_that_makes_measurements_vary(files: dict[str, str], name: str, tmp_path: Path) -> None:
    settings = looked_at(make_machine(tmp_path, files))

    assert [each.name for each in settings.values() if each.makes_vary] == [name]
    assert settings[name].command


def test_pages_that_move_to_swap_while_looked_at_make_measurements_vary(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {"proc/vmstat": "pswpin 1\npswpout 5\npgfault 7\n"})

    moving = settings_of(machine, pause=lambda _: change_machine(tmp_path, {"proc/vmstat": "pswpin 1\npswpout 6\n"}))

    assert [each.name for each in moving if each.makes_vary] == ["swap"]


def test_what_only_could_be_better_does_not_make_measurements_vary(tmp_path: Path) -> None:
    settings = looked_at(make_machine(tmp_path, {LAYOUT: "0", "proc/sys/kernel/perf_event_paranoid": "4"}))

    assert not any(each.makes_vary for each in settings.values())
    for name in ("memory layout", "isolated CPUs", "perf paranoia"):
        assert settings[name].command


def test_a_machine_that_tells_nothing_is_told_so(tmp_path: Path) -> None:
    settings = looked_at(Machine(tmp_path))
    report = machine_report(tuple(settings.values()))

    assert not any(each.is_known or each.makes_vary or each.command for each in settings.values())
    assert report.headline == (f"Cannot be looked at: {', '.join(settings)}.",)


def test_settings_are_better_for_the_time_of_a_command_only(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    script = f"import sys; print([open(sys.argv[1] + '/' + p).read() for p in {list(SET_BETTER)!r}], file=open(sys.argv[1] + '/seen', 'w'))"  # noqa: E501

    code, is_put_back, told = run_python(machine, tmp_path, script)

    seen = (machine.root / "seen").read_text().strip().replace("\\n", "")
    assert seen == str(list(SET_BETTER.values()))
    assert (code, is_put_back, contents(machine.root)) == (0, True, before)
    assert told == [
        "set for this command: governor powersave -> performance (4 files), turbo on -> off",
        "put back: turbo off -> on, governor performance -> powersave (4 files)",
    ]
    assert not (tmp_path / "state" / "bench_tune.json").exists()


def test_memory_is_laid_out_the_same_way_only_if_asked_for(tmp_path: Path) -> None:
    machine = loud(tmp_path)

    assert LAYOUT not in [each.path for each in wanted_changes(machine)]
    assert Change(LAYOUT, "2", "0") in wanted_changes(machine, no_aslr=True)
    assert run_python(machine, tmp_path, "", no_aslr=True)[1]
    assert contents(machine.root)[LAYOUT] == "2"


def test_settings_are_put_back_after_a_failure_with_its_exit_code(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)

    assert run_python(machine, tmp_path, "raise SystemExit(7)")[:2] == (7, True)
    assert contents(machine.root) == before


def test_settings_are_put_back_when_the_command_cannot_be_executed(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    kept = ChangesFile(machine, tmp_path / "state")

    with pytest.raises(SondeError, match="cannot run"):
        run_tuned([str(tmp_path / "none")], machine, kept, tell=lambda _: None)

    assert contents(machine.root) == before
    assert not kept.path.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("to_group", [False, True])
def test_settings_are_put_back_after_a_signal(number: int, to_group: bool, tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    process = start(machine, tmp_path)
    try:
        while_it_ran = contents(machine.root)
        (os.killpg if to_group else os.kill)(process.pid, number)
        code = process.wait(PATIENCE_S)
    finally:
        end(process)

    assert while_it_ran == SET_BETTER
    assert code == 128 + number
    assert contents(machine.root) == before


def test_a_signal_before_the_command_is_started_reaches_it(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)

    def tell(sentence: str) -> None:
        if sentence.startswith("set for this command"):
            signal.raise_signal(signal.SIGTERM)

    kept = ChangesFile(machine, tmp_path / "state")
    outcome, _ = run_tuned([sys.executable, "-S", "-c", WAITS], machine, kept, tell=tell)

    assert outcome.signal == signal.SIGTERM
    assert contents(machine.root) == before
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_a_killed_sonde_has_changed_is_put_back_the_next_time(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before, told = contents(machine.root), list[str]()
    process = start(machine, tmp_path)
    try:
        kept = ChangesFile(machine, tmp_path / "state")
        with pytest.raises(SondeError) as in_use:
            put_back_leftovers(machine, kept, told.append)
        process.kill()
        process.wait(PATIENCE_S)
        left_behind = contents(machine.root)
        found = put_back_leftovers(machine, kept, told.append)
    finally:
        end(process)

    assert in_use.value.slug == "machine-in-use"
    assert left_behind == SET_BETTER
    assert found
    assert contents(machine.root) == before
    assert told[0] == "a 'sonde bench tune' that was killed had changed settings"
    assert not put_back_leftovers(machine, kept, told.append)


def test_a_command_after_a_killed_sonde_puts_back_what_was_before_both(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    process = start(machine, tmp_path)
    end(process)
    assert contents(machine.root) == SET_BETTER

    assert run_python(machine, tmp_path, "")[1]
    assert contents(machine.root) == before


def test_after_the_machine_was_started_anew_nothing_is_put_back(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    process = start(machine, tmp_path)
    end(process)
    change_machine(machine.root, {BOOT: "second\n"})
    kept = ChangesFile(machine, tmp_path / "state")

    assert not put_back_leftovers(machine, kept, lambda _: None)
    assert contents(machine.root) == SET_BETTER
    assert not kept.path.exists()


def test_what_somebody_else_has_set_meanwhile_is_left_alone(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    script = f"import sys; open(sys.argv[1] + '/{GOVERNORS[2]}', 'w').write('ondemand')"

    code, is_put_back, told = run_python(machine, tmp_path, script)

    assert (code, is_put_back) == (0, True)
    assert contents(machine.root)[GOVERNORS[2]] == "ondemand"
    assert contents(machine.root)[GOVERNORS[1]] == "powersave"
    assert f"left '/{GOVERNORS[2]}' alone: somebody else has set it to ondemand meanwhile" in told


def test_a_file_that_vanishes_is_told_and_not_made(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    script = f"import os, sys; os.unlink(sys.argv[1] + '/{NO_TURBO}')"

    _, is_put_back, told = run_python(machine, tmp_path, script)

    assert is_put_back
    assert not (machine.root / NO_TURBO).exists()
    assert f"cannot put back '/{NO_TURBO}', which was 0: it is gone" in told


def refuse(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Files of root cannot be made unwritable for root, who may run this test."""
    really = os.open

    def refusing(opened: Path, flags: int, *more: int) -> int:
        if Path(opened) == path and flags & os.O_WRONLY:
            raise PermissionError(13, "Permission denied", str(opened))
        return really(opened, flags, *more)

    monkeypatch.setattr(os, "open", refusing)


def test_what_may_not_be_written_is_told_and_the_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    refuse(monkeypatch, machine.root / NO_TURBO)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    code, is_put_back, told = run_python(machine, tmp_path, "raise SystemExit(3)")

    assert (code, is_put_back, contents(machine.root)) == (3, True, before)
    assert told[1:3] == [
        "cannot set turbo to off: Permission denied",
        "hint: sudo sonde bench tune -- sudo -u $USER COMMAND",
    ]


def test_what_cannot_be_put_back_is_told_and_kept_for_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = loud(tmp_path)
    before, kept, told = contents(machine.root), ChangesFile(machine, tmp_path / "state"), list[str]()

    def tell(sentence: str) -> None:
        told.append(sentence)
        if sentence.startswith("set for this command"):
            refuse(monkeypatch, machine.root / NO_TURBO)

    _, is_put_back = run_tuned([sys.executable, "-S", "-c", ""], machine, kept, tell=tell)

    assert not is_put_back
    assert f"cannot put back '/{NO_TURBO}', which was 0: Permission denied" in told
    assert kept.read() == (Change(NO_TURBO, "0", "1"),)
    monkeypatch.undo()
    assert put_back_leftovers(machine, kept, told.append)
    assert contents(machine.root) == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"version": 2, "boot": "first", "changes": []}',
        '{"version": 1, "boot": "first", "changes": [{"path": "etc/passwd", "before": "x", "after": "y"}]}',
        '{"version": 1, "boot": "first", "changes": [{"path": "' + NO_TURBO + '", "before": "0 1", "after": "1"}]}',
        '{"version": 1, "boot": "first", "changes": [{"path": "../' + NO_TURBO + '", "before": "0", "after": "1"}]}',
    ],
)
def test_a_file_that_is_not_ours_is_refused_before_anything_is_written(text: str, tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    kept = ChangesFile(machine, tmp_path)
    kept.path.write_text(text)

    with pytest.raises(InputError) as error:
        put_back_leftovers(machine, kept, lambda _: None)

    assert error.value.slug == "bad-tune-file"
    assert contents(machine.root) == before
    assert kept.path.read_text() == text


def test_settings_are_never_changed_where_it_cannot_be_kept_what_they_were(tmp_path: Path) -> None:
    machine = loud(tmp_path)
    before = contents(machine.root)
    (tmp_path / "file").write_text("")

    with pytest.raises(SondeError) as error:
        run_tuned(["true"], machine, ChangesFile(machine, tmp_path / "file" / "state"), tell=lambda _: None)

    assert error.value.slug == "cannot-write"
    assert contents(machine.root) == before
