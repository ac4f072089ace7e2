"""The verb: `sonde paths`."""
