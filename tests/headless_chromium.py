"""A real browser for tests: headless Chromium, driven over a pipe with the DevTools protocol.

No package is needed: Chromium reads NUL-terminated JSON commands from descriptor 3 and answers
on descriptor 4. One page at a time, no threads.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PAGE_GOES = "Inspected target navigated"
"""What Chromium says of an expression whose page goes before there is an answer."""
PATIENCE_S = 120.0
"""How long one command may take; generous, because test machines are small and busy."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """Path of a Chromium on PATH, or None."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


class BrowserError(Exception):
    """The browser did not do what a test asked of it."""


class HeadlessChromium:
    """One browser with one page; use it as a context manager.

    Attributes:
        problems: console errors and warnings, uncaught exceptions and policy violations so far.
        requests: every address that the page asked for.
    """

    def __init__(self, executable: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        self._unread = b""
        self._session: str | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="sonde-chromium-", ignore_cleanup_errors=True)
        command_out, self._commands = os.pipe()
        self._answers, answer_in = os.pipe()

        def place_pipes() -> None:
            # Out of the way first: a pipe may itself have got descriptor 3 or 4.
            sources = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (command_out, answer_in)]
            os.dup2(sources[0], 3)
            os.dup2(sources[1], 4)

        self._process = subprocess.Popen(
            [executable, *_FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=place_pipes,
        )
        os.close(command_out)
        os.close(answer_in)
        try:
            self._open_page()
            self.resize(width, height)
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            still = {"name": "prefers-reduced-motion", "value": "reduce"}
            self._send("Emulation.setEmulatedMedia", features=[scheme, still])
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self, path: Path) -> None:
        """Load a file and wait until it is loaded."""
        self.problems.clear()
        self.requests.clear()
        self._send("Page.navigate", url=path.resolve().as_uri())
        self.wait_until("document.readyState === 'complete' && location.protocol === 'file:'")

    def visit(self, address: str) -> None:
        """Load what a server on this machine has, and wait until it is loaded."""
        self.problems.clear()
        self.requests.clear()
        self._send("Page.navigate", url=address)
        self.wait_until("document.readyState === 'complete' && location.protocol === 'http:'")

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window's contents, in pixels."""
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression, as JSON gives it."""
        answer = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(f"{expression}: {details.get('exception', details).get('description', details)}")
        return answer["result"].get("value")

    def text_of(self, selector: str) -> str:
        """What a reader sees of the first element that a selector finds."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))

    def press_button(self, place: str, label: str) -> None:
        """Press the first button in a place whose label begins so."""
        pressed = self.evaluate(
            f"(() => {{ const one = [...document.querySelectorAll({json.dumps(place + ' button')})]"
            f".find(b => b.textContent.startsWith({json.dumps(label)})); one?.click(); return Boolean(one); }})()"
        )
        if not pressed:
            raise BrowserError(f"no button {label!r} in {place}")

    def wait_until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true, of this page or of the one that is being loaded in its place."""
        deadline = time.monotonic() + PATIENCE_S
        while not self._is_true(condition):
            if time.monotonic() > deadline:
                raise BrowserError(f"not true within {PATIENCE_S} s: {condition}")
            time.sleep(0.02)

    def _is_true(self, condition: str) -> bool:
        try:
            return bool(self.evaluate(condition))
        except BrowserError as error:
            if PAGE_GOES in str(error):
                return False
            raise

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a place in the window."""
        self._send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        """Move the mouse there and click."""
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector: str) -> None:
        """Click in the middle of the first element that a CSS selector finds."""
        quoted = json.dumps(selector)
        box = self.evaluate(
            f"(() => {{ const box = document.querySelector({quoted}).getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; })()"
        )
        self.click(*box)

    def press(self, key: str) -> None:
        """Press one key, named as JavaScript names it; one-character keys also type themselves."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self._send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self._send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        """Insert text where the focus is."""
        self._send("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """Save what the window shows as PNG."""
        answer = self._send("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(answer["data"]))

    def close(self) -> None:
        """End the browser and remove its profile folder."""
        try:
            if self._process.poll() is None:
                self._session = None
                self._send("Browser.close")
                self._process.wait(timeout=10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
        finally:
            self._process.wait()
            for end in (self._commands, self._answers):
                os.close(end)
            self._folder.cleanup()

    def _open_page(self) -> None:
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            message = self._receive(deadline, method)
            if message.get("id") == self._number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']}")
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _receive(self, deadline: float, method: str) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError(f"{method}: no answer within {PATIENCE_S} s")
            more = os.read(self._answers, 1 << 20)
            if not more:
                raise BrowserError(f"{method}: the browser has ended with {self._process.poll()}")
            self._unread += more
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.problems.append(json.dumps(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                self.problems.append(json.dumps(parameters["entry"]))
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case _:
                pass
