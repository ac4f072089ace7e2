"""docs/api.md is one program, and does what it says; importing sonde costs next to nothing."""

import json
import re
import subprocess
import sys
from pathlib import Path

import sonde
from measuring import environment

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PROMISED = re.findall(r"^prints `([^`]+)`", PAGE, re.MULTILINE)


def test_the_page_runs(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text("\n".join(BLOCKS), encoding="utf-8")

    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, env=environment())

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    (of_tree,) = re.findall(r"^```\n {3}(fib.*?)\n```", PAGE, re.MULTILINE)
    assert any(of_tree in line for line in lines)
    assert [line for line in lines if line in PROMISED] == PROMISED
    assert sorted(each.name for each in tmp_path.iterdir()) == ["page.py", "run.sonde"]


def test_importing_sonde_loads_importlib_and_nothing_else() -> None:
    program = "import sys, json; old = set(sys.modules); import sonde; print(json.dumps([*set(sys.modules) - old]))"
    found_at = environment(PYTHONPATH=str(Path(sonde.__file__).parents[1]))
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, env=found_at)

    loaded = json.loads(done.stdout)
    assert {name.partition(".")[0] for name in loaded} - {
        "importlib",
        "_frozen_importlib_external",
        "_imp",
        "warnings",
    } == {"sonde"}
