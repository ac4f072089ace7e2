"""Are the audit's verdicts right? Planted profilers, run for real: an honest sampler, one that drops every tenth
sample, one that charges callers, one that counts calls; twenty audits, each with runs of its own.

    python benches/bench_audit.py [--audits N] [--rounds N] [--turns N]
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from planted_profilers import PLANTED
from sonde.instruments.audit.analysis import audit_of
from sonde.instruments.audit.profile import Profiler
from sonde.instruments.audit.sources import AuditedPython, Rounds

PROGRAM = Path(__file__).parents[1] / "examples" / "answers" / "trivial_actions" / "actions.py"


def main() -> None:
    """Audit again and again; exits with 1 if a verdict was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--turns", type=int, default=100, help="of the program, some 10 ms each")
    given = parser.parse_args()
    drivers = [driver for driver, _ in PLANTED.values()]
    profilers = tuple(Profiler(each.name, clock=each.clock) for each in drivers)
    right = dict.fromkeys(PLANTED, 0)
    for at in range(given.audits):
        program = AuditedPython(sys.executable, (str(PROGRAM), str(given.turns)))
        rounds = Rounds(program, drivers, profilers, seed=at)
        rounds.check_program()
        rounds.count_calls()
        for _ in rounds.run(given.rounds):
            pass
        audit = audit_of(rounds.profile(python=sys.version.split()[0], turned_off="", losses=()))
        for verdict in audit.verdicts:
            name, kinds = verdict.profiler.name, [fault.kind for fault in verdict.faults]
            right[name] += kinds == PLANTED[name][1]
            if kinds != PLANTED[name][1]:
                print(f"audit {at}: {name} is said to have {kinds}: {verdict}", flush=True)
        print(f"after {at + 1} audits: " + ", ".join(f"{name} {count}" for name, count in right.items()), flush=True)
    sys.exit(min(right.values()) < given.audits)


if __name__ == "__main__":
    main()
