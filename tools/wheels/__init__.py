"""How wheels and the source distribution are built and checked: `make wheels`; `PYTHONPATH=tools python -m wheels`."""
