"""The ground: errors, units, text that fits, whole files, caches. Its modules are imported by their own names."""
