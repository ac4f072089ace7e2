"""What the kernel tells about the machine, as values; from its own files or from made-up ones."""

from dataclasses import dataclass
from pathlib import Path

_CPU = "sys/devices/system/cpu"


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, known by its files; what cannot be read is empty or None."""

    root: Path = Path("/")
    """Where `proc` and `sys` are."""

    def text(self, path: str) -> str:
        """What is in a file, without white space around it; empty if it cannot be read."""
        try:
            return (self.root / path).read_text(errors="replace").strip()
        except OSError:
            return ""

    def number(self, path: str) -> int | None:
        """What is in a file, if it is a whole number."""
        try:
            return int(self.text(path))
        except ValueError:
            return None

    def field(self, path: str, name: str) -> str:
        """The first value after `name` and a colon, in a file of such lines; empty if there is none."""
        for line in self.text(path).splitlines():
            found, colon, value = line.partition(":")
            if colon and found.strip() == name:
                return value.strip()
        return ""

    @property
    def processors(self) -> tuple[int, ...]:
        """Those that this process may run on."""
        return read_list(self.field("proc/self/status", "Cpus_allowed_list") or self.text(f"{_CPU}/online"))

    @property
    def online(self) -> tuple[int, ...]:
        return read_list(self.text(f"{_CPU}/online"))

    @property
    def isolated(self) -> tuple[int, ...]:
        """Those that the scheduler leaves alone (`isolcpus=`)."""
        return read_list(self.text(f"{_CPU}/isolated"))

    @property
    def governors(self) -> tuple[str, ...]:
        """Of the processors that may be used, without repetition."""
        found = [self.text(f"{_CPU}/cpu{number}/cpufreq/scaling_governor") for number in self.processors]
        return tuple(sorted({governor for governor in found if governor}))

    @property
    def turbo(self) -> bool | None:
        """Whether processors may run faster than their nominal frequency for a while."""
        forbidden = self.number(f"{_CPU}/intel_pstate/no_turbo")
        if forbidden is not None:
            return forbidden == 0
        allowed = self.number(f"{_CPU}/cpufreq/boost")
        return None if allowed is None else allowed == 1

    @property
    def smt(self) -> bool | None:
        """Whether processors share cores."""
        active = self.number(f"{_CPU}/smt/active")
        return None if active is None else active == 1

    @property
    def frequency_khz(self) -> int | None:
        """Of the processor that runs fastest now, which is the one that was just busy."""
        found = [self.number(f"{_CPU}/cpu{number}/cpufreq/scaling_cur_freq") for number in self.processors]
        known = [frequency for frequency in found if frequency]
        return max(known) if known else None

    @property
    def throttled(self) -> int | None:
        """How often processors were slowed down because of heat."""
        found = [self.number(f"{_CPU}/cpu{number}/thermal_throttle/core_throttle_count") for number in self.processors]
        known = [count for count in found if count is not None]
        return sum(known) if known else None

    @property
    def virtual_machine(self) -> str:
        """Which one this is; empty on real hardware."""
        if "hypervisor" not in self.field("proc/cpuinfo", "flags").split():
            return ""
        return self.text("sys/class/dmi/id/product_name") or self.text("sys/hypervisor/type") or "of unknown kind"

    @property
    def memory_bytes(self) -> tuple[int, int, int] | None:
        """All memory, what programs could have of it now, and what lies in swap."""
        found = [self._meminfo(name) for name in ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree")]
        total, available, swap, swap_free = found
        if total is None or available is None:
            return None
        return total, available, (swap or 0) - (swap_free or 0)

    @property
    def on_battery(self) -> bool:
        """Whether there is a mains adapter, and it gives no power."""
        online = self._mains
        return bool(online) and all(number == 0 for number in online)

    @property
    def tells_power(self) -> bool:
        """Whether it can be known where power comes from."""
        return bool(self._mains)

    @property
    def quota(self) -> float | None:
        """Processors' worth of time that control groups allow us; None if they set no limit."""
        limits = []
        for line in self.text("proc/self/cgroup").splitlines():
            hierarchy, controllers, group = [*line.split(":", 2), "", ""][:3]
            for folder in (Path(group.lstrip("/")), *Path(group.lstrip("/")).parents):
                if hierarchy == "0":
                    quota, _, period = self.text(f"sys/fs/cgroup/{folder}/cpu.max").partition(" ")
                elif "cpu" in controllers.split(","):
                    quota = self.text(f"sys/fs/cgroup/cpu/{folder}/cpu.cfs_quota_us")
                    period = self.text(f"sys/fs/cgroup/cpu/{folder}/cpu.cfs_period_us")
                else:
                    continue
                if quota.isdigit() and period.isdigit() and int(period) > 0:
                    limits.append(int(quota) / int(period))
        return min(limits, default=None)

    @property
    def _mains(self) -> list[int | None]:
        """Of each mains adapter, whether it gives power."""
        try:
            supplies = sorted((self.root / "sys/class/power_supply").iterdir())
        except OSError:
            return []
        mains = [supply for supply in supplies if self.text(f"sys/class/power_supply/{supply.name}/type") == "Mains"]
        return [self.number(f"sys/class/power_supply/{supply.name}/online") for supply in mains]

    def _meminfo(self, name: str) -> int | None:
        number, _, unit = self.field("proc/meminfo", name).partition(" ")
        return int(number) * 1024 if number.isdigit() and unit == "kB" else None


def memory_text(size_bytes: int) -> str:
    """A size of memory in words.

    >>> memory_text(4096), memory_text(8 << 30)
    ('4 KiB', '8 GiB')
    """
    size, unit = float(size_bytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024.0:
            break
        size, unit = size / 1024.0, larger
    return f"{size:.3g} {unit}"


def read_list(text: str) -> tuple[int, ...]:
    """The numbers in a list as the kernel writes them.

    >>> read_list("0-2,7")
    (0, 1, 2, 7)
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit() and (last.isdigit() or not last):
            numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)
