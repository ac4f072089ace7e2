"""The server: answers on this machine only, asks for nothing to be changed, and knows no files but listed profiles."""

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

from sonde.cli.browse.list_page import list_page, problem_page
from sonde.cli.browse.pages import Pages
from sonde.cli.browse.profiles import listed_profiles

ADDRESS = "127.0.0.1"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Type": "text/html; charset=utf-8",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_POLICY_OF_LIST = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'"
"""No script at all. Pages of profiles bring a policy of their own, which names their script."""


def local_server(folder: Path, pages: Pages, port: int) -> ThreadingHTTPServer:
    """A server of a folder's profiles on 127.0.0.1.

    Args:
        port: 0: one that is free.
    Guarantee: a request whose Host is not this machine's name and port is refused, so that a page of another site,
        whose name was made to lead here, reads nothing; a name that is not in the list leads to no file.
    Raises:
        OSError: the port is taken.
    """

    class Handler(_Handler):
        served, made = folder, pages

    return _Server((ADDRESS, port), Handler)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Of a browser that does not wait for its answer nothing is said."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # passed on as it came


class _Handler(BaseHTTPRequestHandler):
    served: Path
    made: Pages
    server_version, sys_version = "sonde", ""

    def do_GET(self) -> None:
        """Answer with a page, or why there is none."""
        port = cast("ThreadingHTTPServer", self.server).server_port
        if self.headers.get("Host", "") not in (f"{ADDRESS}:{port}", f"localhost:{port}"):
            self._answer(HTTPStatus.FORBIDDEN, problem_page("cannot answer: the request is for another host"))
            return
        address = urlsplit(self.path)
        asked = parse_qs(address.query)
        names = asked.get("p", [])
        match address.path:
            case "/":
                folder = self.served.resolve()
                text = list_page(folder.name or str(folder), listed_profiles(folder), asked.get("q", [""])[0])
                self._answer(HTTPStatus.OK, text)
            case "/view":
                self._page("view", names, 1, "cannot show this: one profile is shown at a time")
            case "/compare":
                self._page("diff", names, 2, f"cannot compare {len(names)} profiles: tick two of them")
            case _:
                self._answer(HTTPStatus.NOT_FOUND, problem_page(f"cannot find '{address.path}': no such page"))

    def do_HEAD(self) -> None:
        """The same without a body."""
        self.do_GET()

    def _page(self, verb: str, names: list[str], count: int, otherwise: str) -> None:
        if len(names) != count:
            self._answer(HTTPStatus.BAD_REQUEST, problem_page(otherwise))
            return
        known = {each.name: each.written for each in listed_profiles(self.served.resolve())}
        missing = next((name for name in names if name not in known), None)
        if missing is not None:
            self._answer(HTTPStatus.NOT_FOUND, problem_page(f"cannot find '{missing}': no such profile in this folder"))
            return
        page = self.made.page(verb, sorted(names, key=known.__getitem__))  # what is older is what was before
        if page.problem:
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, problem_page(page.problem))
        else:
            self._answer(HTTPStatus.OK, page.html, policy="")

    def _answer(self, status: HTTPStatus, body: str | bytes, *, policy: str = _POLICY_OF_LIST) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if policy:
            self.send_header("Content-Security-Policy", policy)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Say nothing of each request."""
