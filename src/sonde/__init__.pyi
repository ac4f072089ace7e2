from sonde.api import Block as Block
from sonde.api import block_of as block_of
from sonde.api import profile as profile
from sonde.api import profiled as profiled
from sonde.api import start as start
from sonde.api import start_if_asked as start_if_asked
from sonde.api import stop as stop

__version__: str
