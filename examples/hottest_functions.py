"""Read a profile in Python and list its hottest functions.

    sonde contexts -o run.sonde --quiet app.py
    python examples/hottest_functions.py run.sonde

The lines are: share of the exclusive time, that time, calls, name, place.
"""

import sys
from pathlib import Path

from sonde.base.units import format_count, format_duration, format_share
from sonde.instruments.contexts.profile import function_totals, read_profile


def main(path: Path, rows: int = 10) -> None:
    profile = read_profile(path, with_sources=False)
    totals = function_totals(profile)
    # A run with --no-time has no times: there, calls decide.
    own, whole = (totals.self_ns, profile.total_ns) if profile.has_time else (totals.calls, profile.total_calls)
    hottest = sorted(range(len(profile.functions)), key=lambda function: -own[function])[:rows]

    print(f"{' '.join(profile.run.command)}: {profile.run.ended}, {format_count(profile.total_calls)} calls")
    for number in hottest:
        function = profile.functions[number]
        print(
            f"{format_share(own[number], whole):>7}  {format_duration(totals.self_ns[number]):>8}"
            f"  {format_count(totals.calls[number]):>9}  {function.label}  {function.place}"
        )
    for loss in profile.losses:
        print(f"missing: {loss.amount} {loss.kind}: {loss.detail}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
