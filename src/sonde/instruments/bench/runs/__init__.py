"""A run: what is measured (`plan`, `suite`), in which order (`order`), and measuring it until it is known (`run`).

A *round* is every alternative of every benchmark once. The alternatives of a benchmark run next to one another, in
random order, so that whatever drifts on the machine meets all of them alike; the run stops when the intervals are
narrow enough, or when rounds or time are used up. The parts are imported each by its own name: reading a command line
loads `plan` and `quantities` only, which do without NumPy.
"""
