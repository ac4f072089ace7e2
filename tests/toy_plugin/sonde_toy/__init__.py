"""A plug-in for sonde: one analysis, one format, one pass, one reader of measurements, one source."""
