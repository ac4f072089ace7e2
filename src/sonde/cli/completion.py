"""Print a script by which a shell completes commands of sonde: verbs, options, their values, profiles.

  source <(sonde completion bash)            for this shell; in ~/.bashrc for all
  source <(sonde completion zsh)             in ~/.zshrc, behind compinit
  sonde completion fish | source             in ~/.config/fish/config.fish

A script in a file saves the time that sonde takes to print it whenever a shell starts:

  sonde completion bash > ~/.local/share/bash-completion/completions/sonde
  sonde completion zsh > ~/.zfunc/_sonde
      with fpath+=(~/.zfunc) before compinit
  sonde completion fish > ~/.config/fish/completions/sonde.fish

The script starts no Python when words are completed. It is made of the options of the sonde that printed it: print it
anew when sonde has been upgraded. Behind `--` another command is completed in that command's own way.
"""

import argparse
import sys

from sonde.base.errors import EXIT_OK
from sonde.cli.commands import all_commands
from sonde.cli.shells import SHELLS


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare for which shell."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    sys.stdout.write(SHELLS[arguments.shell](tuple(all_commands())))
    return EXIT_OK
