"""Scripts by which shells complete commands of sonde: a script for each shell, and a table made of the parsers."""

from sonde.cli.shells.bash import bash_script
from sonde.cli.shells.fish import fish_script
from sonde.cli.shells.zsh import zsh_script

SHELLS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
"""Shell -> what writes its script."""

__all__ = ["SHELLS"]
