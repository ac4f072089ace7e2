"""Commands that the shell does itself; what they do is in `sonde.instruments.vm.verb.shell.session`."""

from sonde.instruments.vm.verb.shell.command import Command
from sonde.instruments.vm.verb.shell.parameters import Parameter

OWN_COMMANDS = (
    Command(
        "set",
        "the shell",
        "show or change how the shell behaves",
        "set timeout 5s",
        (
            Parameter("setting", "setting", "its name", is_optional=True),
            Parameter("value", "text", "what it should be", is_optional=True),
        ),
    ),
    Command(
        "history",
        "the shell",
        "list what was typed, in this session and before",
        "history 20",
        (Parameter("n", "count", "how many lines; 50 if it is left out", is_optional=True),),
    ),
    Command(
        "source",
        "the shell",
        "do the commands of a file, up to the first that fails",
        "source setup.txt",
        (Parameter("file", "file", "one command a line, # for comments"),),
    ),
    Command(
        "help",
        "the shell",
        "list the commands, or explain one",
        "help opt",
        (Parameter("command", "command", "its name", is_optional=True),),
    ),
    Command("quit", "the shell", "leave; so does Ctrl-D", "quit"),
)
