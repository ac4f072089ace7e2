"""`sonde web`: profiles of a folder in a browser, and who is refused."""

import http.client
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from changed_profiles import change_profile
from headless_chromium import HeadlessChromium, find_chromium
from measuring import SONDE, environment, run_sonde, run_sonde_here
from sonde.cli.browse import Pages, listed_profiles, local_server

APP = "def work(n): return sum(range(n))\nfor _ in range({}): work(10)\n"


class Site:
    """A server in this process, and what it answers."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port

    def get(self, path: str, *, host: str = "", method: str = "GET") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request(method, path, headers={"Host": host or f"127.0.0.1:{self.port}"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    outside = tmp_path_factory.mktemp("web")
    folder = outside / "profiles"
    (folder / "inner").mkdir(parents=True)
    for name, count in (("before.sonde", 3), ("inner/after <&'.sonde", 9)):
        (outside / "app.py").write_text(APP.format(count))
        assert run_sonde("contexts", "--quiet", "-o", folder / name, "app.py", cwd=outside).returncode == 0
    shutil.copy(folder / "before.sonde", outside / "secret.sonde")
    shutil.copy(folder / "before.sonde", folder / "newer.sonde")
    change_profile(folder / "newer.sonde", "PRAGMA user_version = 9999")
    (folder / "broken.sonde").write_bytes((folder / "before.sonde").read_bytes()[:700])
    (folder / "lost.sonde").symlink_to(folder / "nowhere")
    with Pages(folder) as pages, local_server(folder, pages, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Site(folder, server.server_address[1])
        server.shutdown()
        thread.join()


def _state(folder: Path) -> dict[str, object]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}


def test_all_profiles_are_listed_and_what_cannot_be_read_says_why(site: Site) -> None:
    status, text = site.get("/")

    assert status == 200
    assert "4 of 4 profiles" in text
    assert "after &lt;&amp;&#x27;.sonde" in text and "after <&" not in text
    assert text.count("type=checkbox") == 2
    assert "it is a file of version 9999, newest known is" in text


def test_a_search_leaves_those_that_have_all_words(site: Site) -> None:
    assert "1 of 4 profiles" in site.get("/?q=APP.py+before")[1]
    assert "None of 4 profiles has “&lt;b&gt;”" in site.get("/?q=%3Cb%3E")[1]


def test_pages_are_those_of_view_and_diff_and_nothing_is_written(site: Site) -> None:
    before = _state(site.folder)

    shown = site.get("/view?p=before.sonde")
    compared = site.get("/compare?p=inner%2Fafter%20%3C%26%27.sonde&p=before.sonde")

    assert shown[0] == 200 and "work" in shown[1]
    assert compared[0] == 200 and "work" in compared[1]
    assert compared[1].index("before.sonde") < compared[1].index("after")
    assert _state(site.folder) == before


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/view?p=../secret.sonde", 404, "no such profile in this folder"),
        ("/view?p=%2e%2e%2fsecret.sonde", 404, "no such profile in this folder"),
        ("/view?p=/etc/passwd", 404, "no such profile in this folder"),
        ("/view?p=before.sonde%00", 404, "no such profile in this folder"),
        ("/view?p=lost.sonde", 404, "no such profile in this folder"),
        ("/view?p=--debug", 404, "no such profile in this folder"),
        ("/../secret.sonde", 404, "no such page"),
        ("/compare?p=before.sonde", 400, "tick two of them"),
        ("/view", 400, "one profile is shown at a time"),
        ("/view?p=newer.sonde", 422, "hint:"),
        ("/view?p=broken.sonde", 422, "cannot read"),
    ],
)
def test_what_is_no_profile_of_the_folder_has_no_page(site: Site, path: str, status: int, said: str) -> None:
    answered = site.get(path)

    assert answered[0] == status
    assert said in answered[1]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil.example"]
)
def test_another_host_is_refused(site: Site, host: str) -> None:
    status, text = site.get("/", host=host.format(port=site.port))

    assert status == 403
    assert "before.sonde" not in text


def test_nothing_but_reading_is_offered(site: Site) -> None:
    assert site.get("/", host=f"localhost:{site.port}", method="HEAD") == (200, "")
    assert site.get("/", method="POST")[0] == site.get("/", method="DELETE")[0] == 501


def test_an_empty_folder_says_how_to_fill_it(tmp_path: Path) -> None:
    assert listed_profiles(tmp_path) == []
    with Pages(tmp_path) as pages, local_server(tmp_path, pages, 0) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        text = Site(tmp_path, server.server_address[1]).get("/")[1]
        thread.join()

    assert "There is no profile here: <code>sonde contexts -o run.sonde app.py</code> makes one" in text


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_when_asked_to(tmp_path: Path, ended_by: signal.Signals) -> None:
    command = [*SONDE, "web", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(TMPDIR=str(tmp_path))) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        port = int(said.rpartition("127.0.0.1:")[2].partition("/")[0])
        assert Site(tmp_path, port).get("/")[0] == 200
        server.send_signal(ended_by)
        assert (server.wait(timeout=600), server.stderr.read().strip()) == (0, "")

    assert said.startswith(f"sonde: profiles of '{tmp_path}' until Ctrl-C: http://127.0.0.1:")
    assert list(tmp_path.iterdir()) == []


def test_a_file_or_a_taken_port_is_refused(site: Site) -> None:
    no_folder = run_sonde_here("web", "before.sonde", cwd=site.folder)
    taken = run_sonde_here("web", "--port", str(site.port), cwd=site.folder)
    no_port = run_sonde_here("web", "--port", "70000", cwd=site.folder)

    assert (no_folder.returncode, taken.returncode, no_port.returncode) == (1, 1, 1)
    assert "hint: sonde view before.sonde" in no_folder.stderr
    assert f"cannot serve on port {site.port}: Address already in use" in taken.stderr
    assert "cannot serve on port 70000" in no_port.stderr


@pytest.mark.skipif(find_chromium() is None, reason="needs a Chromium")
def test_two_profiles_are_compared_by_three_clicks(site: Site) -> None:
    chromium = find_chromium()
    assert chromium is not None
    with HeadlessChromium(chromium) as browser:
        browser.visit(f"http://127.0.0.1:{site.port}/")
        assert browser.evaluate("document.querySelectorAll('tbody tr').length") == 4
        browser.evaluate("document.querySelectorAll('[name=p]').forEach(each => each.click())")
        browser.evaluate("document.querySelector('[action=\"/compare\"] button').click()")
        browser.wait_until("location.pathname === '/compare' && document.readyState === 'complete'")
        browser.wait_until("document.body.innerText.includes('work')")
        assert browser.problems == []
