"""A plug-in for sonde: one analysis, one format, one source."""
