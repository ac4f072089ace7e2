"""The verb: `sonde phases`."""
