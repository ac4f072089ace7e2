"""Which function of mine is slow? Sums up sales by region; most of the time goes into one function.

    sonde contexts report.py

Known answer: `nearest_region` compares each sale with all regions, where a dictionary would do.
"""

import json
from decimal import Decimal

REGIONS = [f"region-{number:03d}" for number in range(120)]


def make_sales(count: int) -> list[dict[str, str]]:
    """Sales as they come from a file: JSON, amounts as texts."""
    text = json.dumps([{"region": REGIONS[i * 7 % len(REGIONS)], "amount": f"{i % 97}.50"} for i in range(count)])
    sales: list[dict[str, str]] = json.loads(text)
    return sales


def nearest_region(name: str) -> str:
    """The region with the name that is most alike: the slow function."""
    best, least = REGIONS[0], len(name)
    for region in REGIONS:
        differing = 0
        for one, other in zip(region, name, strict=False):
            if one != other:
                differing += 1
        if differing < least:
            best, least = region, differing
    return best


def sums_by_region(sales: list[dict[str, str]]) -> dict[str, Decimal]:
    """What was sold in each region."""
    sums: dict[str, Decimal] = {}
    for sale in sales:
        region = nearest_region(sale["region"])
        sums[region] = sums.get(region, Decimal(0)) + Decimal(sale["amount"])
    return sums


def main() -> None:
    """Print the best region."""
    sums = sums_by_region(make_sales(4_000))
    best = max(sums, key=lambda region: (sums[region], region))
    print(best, sums[best])


main()
