"""What stands on PYTHONPATH of a program whose Numba is watched."""
