"""A judgement of measurements as an HTML page: verdicts to sort and filter, and every value behind them."""

from sonde.instruments.bench.report.html.bench_page import write_bench_page

__all__ = ["write_bench_page"]
