"""`python -m sonde` is `sonde`."""

import sys

from sonde.cli import main

sys.exit(main())
