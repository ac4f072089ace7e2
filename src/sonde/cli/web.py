"""Show all profiles of a folder in a browser: a list, a search, each as a page, two of them compared.

  sonde web                        this folder and its subfolders
  sonde web results/               another folder
  sonde web --port 8000 --no-open  print the address, open no browser

The server is reachable from this machine only, at 127.0.0.1, until Ctrl-C ends it. It changes nothing in the
folder. Pages are those of `sonde view --html` and `sonde diff --html`; of two that are ticked, the older one is
'before'. Other users of this machine can read them while it runs.
"""

import argparse
import signal
import sys
import webbrowser
from pathlib import Path

from sonde.base.errors import EXIT_OK, InputError, SondeError
from sonde.options.numbers import natural


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the folder, and where to serve it."""
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="where profiles are (default: here)")
    parser.add_argument("--port", type=natural, default=0, metavar="N", help="port (default: one that is free)")
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="open a browser, where there is a terminal (default: yes)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until somebody presses Ctrl-C.

    Raises:
        InputError: `no-folder`.
        SondeError: `cannot-serve`.
    """
    from sonde.cli.browse import Pages, local_server  # the options alone need no server

    folder: Path = arguments.folder
    if not folder.is_dir():
        hint = f"sonde view {folder}" if folder.is_file() else "name a folder that has profiles in it"
        raise InputError(f"cannot list '{folder}': there is no such folder", slug="no-folder", hint=hint)
    with Pages(folder) as pages:
        try:
            server = local_server(folder, pages, arguments.port)
        except (OSError, OverflowError) as error:
            raise SondeError(
                f"cannot serve on port {arguments.port}: {getattr(error, 'strerror', None) or error}",
                slug="cannot-serve",
                hint="leave out --port",
            ) from error
        with server:
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                print(f"sonde: profiles of '{folder}' until Ctrl-C: {address}", file=sys.stderr, flush=True)
                if arguments.open and sys.stderr.isatty():
                    webbrowser.open(address)
                server.serve_forever()
            except KeyboardInterrupt:
                print(file=sys.stderr)
    return EXIT_OK
