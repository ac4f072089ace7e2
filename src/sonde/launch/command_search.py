"""The file that a command executes, or what stands in its way."""

from pathlib import Path
from shlex import quote

from sonde.base.errors import UsageError


def find_command(word: str) -> Path:
    """Find the file that `word` executes, as a shell would.

    Raises:
        UsageError: `no-program`: there is none, or it cannot be executed.
    """
    from shutil import which  # slow to import, and only commands are looked up

    found = which(word)
    if found is not None:
        return Path(found)
    if "/" in word and Path(word).is_dir():
        raise UsageError(f"cannot run '{word}': it is a folder", slug="no-program", hint="name a program in it")
    if "/" in word and Path(word).exists():
        raise UsageError(
            f"cannot run '{word}': it may not be executed", slug="no-program", hint=f"chmod +x {quote(word)}"
        )
    fact = "no such file" if "/" in word else "no such command on PATH"
    raise UsageError(f"cannot run '{word}': {fact}", slug="no-program", hint="check the spelling")
