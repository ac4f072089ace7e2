"""What stands on PYTHONPATH of a Python program that sonde measures, until the program begins."""
