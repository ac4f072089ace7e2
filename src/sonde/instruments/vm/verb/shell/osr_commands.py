"""The command `osr`: points at which functions are left while they run."""

from sonde.instruments.vm.verb.shell.command import Answer, Command
from sonde.instruments.vm.verb.shell.parameters import Arguments, Parameter
from sonde.instruments.vm.verb.shell.workbench import Workbench


def _osr(bench: Workbench, arguments: Arguments, width: int | None) -> Answer:
    from sonde.instruments.vm.verb.shell.osr_actions import osr  # with LLVM and our passes: only the worker needs them

    return osr(bench, arguments, width)


OSR_COMMANDS = (
    Command(
        "osr",
        "versions",
        "leave a function while it runs, at any point, and go on in other code",
        "osr insert open in isord at for.body when counter 1000 to inline %compare",
        (Parameter("words", "osr", "insert ..., points, show, fire or hold, see below", is_many=True),),
        "osr insert open|resolved in FUNCTION[@VERSION] at PLACE when CONDITION to TARGET [as VERSION] [comp CODE]\n"
        "    makes a version with a point, and lets the program run it. Open: the target is made when it fires.\n"
        "    PLACE: a block, or a value, for right before it is made; +N for N instructions later.\n"
        "    CONDITION: always, never, flag, flag every N, counter N, counter N of all calls,\n"
        '        or "%x > 10".\n'
        "    TARGET: clone [PASSES], inline %pointer [PASSES], a VERSION (the same place), or FUNCTION at PLACE.\n"
        "    CODE: how the target's values are made of the function's: \"%sum = add i64 %total, 1; %n = i64 8\".\n"
        "osr insert shared in FUNCTION[@VERSION] at PLACE when CONDITION [at PLACE when CONDITION ...]\n"
        "        to clone [PASSES] [as VERSION]\n"
        "    makes a version with several points, all of which go on in one continuation.\n"
        "osr points [FUNCTION]    list points: how often each fired, and how many continuations were made\n"
        "osr show FUNCTION        show the versions with points, and the continuations, in LLVM's language\n"
        "osr fire FUNCTION        let its points 'when flag' fire; osr hold FUNCTION: not any more",
        action=_osr,
        changes_state=True,
    ),
)
