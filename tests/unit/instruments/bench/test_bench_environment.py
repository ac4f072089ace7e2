"""What is said of made-up machines."""

from pathlib import Path
from random import Random

import pytest

from fake_machine import CPU, change_machine, make_machine, stat
from sonde.base.errors import UsageError
from sonde.instruments.bench.environment import LoadWatch, Machine, choose_pin, describe, doubts, draw_padding
from sonde.instruments.bench.environment.machine import read_list
from sonde.instruments.bench.environment.pinning import check_pin


def no_pause(seconds: float) -> None:
    pass


@pytest.fixture(autouse=True)
def _without_hash_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)


def slugs(machine: Machine) -> list[str]:
    return [doubt.kind for doubt in doubts(machine, pause=no_pause)]


def test_a_machine_is_described(tmp_path: Path) -> None:
    facts = describe(make_machine(tmp_path, {f"{CPU}/cpufreq/boost": "1"}), counters=())

    assert facts.pop("environment size").endswith("B")
    assert facts == {
        "cpu": "Example 3000",
        "cores": "4",
        "turbo": "on",
        "smt": "off",
        "load": "0.25",
        "aslr": "on",
        "virtual machine": "no",
        "kernel": "6.1.0",
        "clock source": "tsc",
        "counters": "none",
        "hash seed": "random for each invocation",
        "memory": "977 MiB",
        "swapped": "0 B",
    }


def test_a_machine_that_tells_nothing_is_described_and_not_doubted(tmp_path: Path) -> None:
    machine = Machine(tmp_path)

    assert set(describe(machine)) == {"hash seed", "environment size"}
    assert doubts(machine, pause=no_pause) == ()
    assert LoadWatch(machine).look(0) == ()


def test_fewer_processors_than_there_are_are_told(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, {"proc/self/status": "Cpus_allowed_list:\t1,3\n"})

    assert describe(machine)["cores"] == "2 of 4"


def test_there_is_nothing_to_doubt_about_a_quiet_machine(tmp_path: Path) -> None:
    assert slugs(make_machine(tmp_path)) == []


@pytest.mark.parametrize(
    ("files", "slug"),
    [
        ({f"{CPU}/cpu2/cpufreq/scaling_governor": "powersave\n"}, "varying-frequency"),
        ({f"{CPU}/intel_pstate/no_turbo": "0\n"}, "turbo"),
        ({f"{CPU}/cpufreq/boost": "1\n"}, "turbo"),
        ({"sys/class/power_supply/AC/type": "Mains\n", "sys/class/power_supply/AC/online": "0\n"}, "on-battery"),
        ({"proc/cpuinfo": "model name: x\nflags: fpu hypervisor\n"}, "virtual-machine"),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n"}, "cpu-quota"),
        (
            {
                "proc/self/cgroup": "3:cpu,cpuacct:/a\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "50000\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
            },
            "cpu-quota",
        ),
        ({"proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: 9000 kB\n"}, "little-memory"),
        ({"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n"}, "slow-clock"),
        ({"proc/sys/kernel/randomize_va_space": "0\n"}, "layout-fixed"),
    ],
)
def test_each_doubt_has_its_cause(tmp_path: Path, files: dict[str, str], slug: str) -> None:
    assert slugs(make_machine(tmp_path, files)) == [slug]


@pytest.mark.parametrize(
    "files",
    [
        {f"{CPU}/cpu0/cpufreq/scaling_governor": "performance\n"},
        {f"{CPU}/intel_pstate/no_turbo": "1\n"},
        {"sys/class/power_supply/AC/type": "Mains\n", "sys/class/power_supply/AC/online": "1\n"},
        {"sys/class/power_supply/mouse/type": "Battery\n"},
        {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"},
        {f"{CPU}/smt/active": "1\n"},
    ],
)
def test_what_is_as_it_should_be_is_not_doubted(tmp_path: Path, files: dict[str, str]) -> None:
    assert slugs(make_machine(tmp_path, files)) == []


def test_chance_that_is_held_fixed_is_doubted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make_machine(tmp_path)

    assert [doubt.kind for doubt in doubts(machine, aslr=False, pause=no_pause)] == ["layout-fixed"]
    assert [doubt.kind for doubt in doubts(machine, hash_seed=0, pause=no_pause)] == ["hash-seed-fixed"]
    monkeypatch.setenv("PYTHONHASHSEED", "17")
    (doubt,) = doubts(machine, pause=no_pause)
    assert (doubt.kind, doubt.hint) == ("hash-seed-fixed", "unset PYTHONHASHSEED")
    assert describe(machine)["hash seed"] == "17"


def test_a_processor_that_shares_its_core_is_doubted_when_it_is_chosen(tmp_path: Path) -> None:
    files = {f"{CPU}/smt/active": "1\n", f"{CPU}/cpu1/topology/thread_siblings_list": "1,3\n"}

    (doubt,) = doubts(make_machine(tmp_path, files), pin=1, pause=no_pause)

    assert doubt.kind == "shared-core"
    assert "1,3" in doubt.detail


def test_who_keeps_the_machine_busy_is_named(tmp_path: Path) -> None:
    process = "proc/{}/stat"
    line = "{0} ({1}) S 1 1 1 0 -1 0 0 0 0 0 {2} 0 0 0 20 0 1 0 100\n"
    machine = make_machine(
        tmp_path, {process.format(70): line.format(70, "a (b) c", 0), process.format(71): line.format(71, "x", 900)}
    )

    def pause(seconds: float) -> None:
        change_machine(tmp_path, {"proc/stat": stat(busy_s=0.6), process.format(70): line.format(70, "a (b) c", 50)})

    (doubt,) = doubts(machine, pause=pause)

    assert doubt.kind == "busy-machine"
    assert doubt.detail == "other processes keep 2.0 processors busy, most of all 'a (b) c'"


class Clock:
    """A clock that goes when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("files", "slug", "text"),
    [
        ({"proc/stat": stat(busy_s=5.0, idle_s=3.0)}, "busy-machine", "other processes kept 2.5 processors busy"),
        ({"proc/stat": stat(idle_s=6.0, stolen_s=2.0)}, "stolen-time", "took 25% of the processors' time"),
        ({f"{CPU}/cpu1/thermal_throttle/core_throttle_count": "9"}, "throttled", "slowed down 4 times"),
        ({f"{CPU}/cpu1/cpufreq/scaling_cur_freq": "1500000"}, "frequency-changed", "was 25% off"),
    ],
)
def test_what_changes_between_rounds_is_noticed(tmp_path: Path, files: dict[str, str], slug: str, text: str) -> None:
    clock = Clock()
    before = {
        f"{CPU}/cpu1/thermal_throttle/core_throttle_count": "5",
        f"{CPU}/cpu1/cpufreq/scaling_cur_freq": "2000000",
    }
    watch = LoadWatch(make_machine(tmp_path, before), clock=clock)
    clock.now += 2.0
    assert watch.look(0) == ()
    change_machine(tmp_path, files)
    clock.now += 2.0

    (doubt,) = watch.look(1)

    assert doubt.kind == slug
    assert text in doubt.detail
    assert doubt.detail.endswith("in round 1")
    assert watch.summary() == (doubt,)


def test_short_rounds_are_looked_at_together(tmp_path: Path) -> None:
    clock = Clock()
    watch = LoadWatch(make_machine(tmp_path), clock=clock)
    for number in range(3):
        clock.now += 0.4
        change_machine(tmp_path, {"proc/stat": stat(busy_s=number)})
        found = watch.look(number)
        assert found == () or number == 2

    assert [doubt.detail.partition(" in ")[2] for doubt in found] == ["rounds 0 to 2"]


def test_the_summary_has_all_rounds_and_the_worst(tmp_path: Path) -> None:
    clock = Clock()
    watch = LoadWatch(make_machine(tmp_path), clock=clock)
    busy = 0.0
    for number, more in enumerate([1.0, 3.0, 0.0, 1.0, 0.0, 0.0, 2.0]):
        busy += more
        clock.now += 2.0
        change_machine(tmp_path, {"proc/stat": stat(busy_s=busy)})
        watch.look(number)

    (doubt,) = watch.summary()

    assert doubt.detail == "other processes kept 1.5 processors busy in rounds 0 to 1, 3 and 6"


def test_a_processor_set_apart_is_chosen(tmp_path: Path) -> None:
    assert choose_pin(make_machine(tmp_path)) is None
    assert choose_pin(make_machine(tmp_path, {f"{CPU}/isolated": "2-3\n"})) == 3


def test_a_processor_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    check_pin(3, machine)

    with pytest.raises(UsageError, match="0-3") as refused:
        check_pin(4, machine)

    assert refused.value.slug == "no-such-cpu"


def test_padding_is_drawn_evenly_from_a_page() -> None:
    random = Random(1)
    drawn = [draw_padding(random) for _ in range(2000)]

    assert 0 <= min(drawn) < 50
    assert 4046 < max(drawn) <= 4096
    assert abs(sum(drawn) / len(drawn) - 2048) < 100


@pytest.mark.parametrize(("text", "numbers"), [("", ()), ("3", (3,)), ("0-2,5", (0, 1, 2, 5)), ("x,-1,4-", (4,))])
def test_lists_of_processors_are_read(text: str, numbers: tuple[int, ...]) -> None:
    assert read_list(text) == numbers
