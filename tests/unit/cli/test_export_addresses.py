"""`sonde export` of address traces: files, streams, refusals."""

import json
from array import array
from pathlib import Path

import pytest

import sonde._native
from sonde.cli import main


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trace of three loads and a store, in the working folder."""
    monkeypatch.chdir(tmp_path)
    path = Path("t.addr")
    writer = sonde._native.AddressTraceWriter(bytes(path))
    load = writer.segment(array("Q", [0x400]), array("H", [8]), array("B", [0]))
    store = writer.segment(array("Q", [0x404]), array("H", [8]), array("B", [1]))
    writer.feed(array("I", [load, load, load, store]), array("Q", [0x10, 0x18, 0x20, 0x30]))
    writer.finish()
    return path


def test_a_file_is_named_after_the_trace(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "t.addr", "--to", "din"]) == 0

    assert Path("t.din").read_text() == "0 10\n0 18\n0 20\n1 30\n"
    out, err = capsys.readouterr()
    assert out == ""
    assert "wrote t.din: 4 accesses" in err
    assert main(["export", "t.addr", "--to", "din"]) == 2
    assert "it exists already" in capsys.readouterr().err


def test_a_dash_means_stdout(trace: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", "t.addr", "--to", "lackey", "-o", "-"]) == 0

    assert capfdbinary.readouterr().out.startswith(b" L 00000010,8\n L 00000018,8\n")


def test_json_says_how_many_there_are(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "t.addr", "--to", "addresses-raw", "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    assert said == {
        "schema": "sonde.export-addresses/1",
        "format": "addresses-raw",
        "path": "t.raw",
        "size_bytes": 4 * 24,
        "accesses": 4,
        "complete": True,
    }


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["t.addr", "--to", "speedscope"], 2, "it is an address trace"),
        (["t.addr", "--to", "din", "--metric", "calls"], 2, "has no weights"),
        (["t.addr", "--to", "din", "-o", "-", "--json"], 2, "already sends the export itself"),
        (["none.addr", "--to", "din"], 1, "no such file"),
        (["text", "--to", "din"], 1, "it is not an address trace"),
    ],
)
def test_what_cannot_be_is_refused(
    options: list[str], code: int, said: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("text").write_text("hello")

    assert main(["export", *options]) == code

    assert said in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["t.addr", "text"]


def test_a_damaged_trace_leaves_no_file(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = bytearray(trace.read_bytes())
    content[40] ^= 1
    trace.write_bytes(content)

    assert main(["export", "t.addr", "--to", "din"]) == 1

    assert "a block" in capsys.readouterr().err
    assert not Path("t.din").exists()


def test_a_cut_trace_is_exported_up_to_there(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace.write_bytes(trace.read_bytes()[:-1])

    assert main(["export", "t.addr", "--to", "din"]) == 0

    assert "the trace was cut off" in capsys.readouterr().err
    assert Path("t.din").read_text() == ""
