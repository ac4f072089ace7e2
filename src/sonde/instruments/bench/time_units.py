"""Units of time as tools write them, in seconds."""

SECONDS_PER = {
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "us": 1e-6,
    "usec": 1e-6,
    "μs": 1e-6,
    "µs": 1e-6,
    "ns": 1e-9,
    "nsec": 1e-9,
    "min": 60.0,
    "hr": 3600.0,
    "day": 86400.0,
}
"""Name -> seconds; both letters that look like a mu."""
