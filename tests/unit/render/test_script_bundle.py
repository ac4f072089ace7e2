"""Modules put together: order, one scope, and what the language does not have."""

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

import sonde.render.html
from sonde.base.errors import InternalError
from sonde.render.html.script_bundle import bundled, one_module

PAGE = Path(sonde.render.html.__file__).with_name("components")


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


def test_a_module_stands_behind_those_that_it_imports(tmp_path: Path) -> None:
    main = 'import { b } from "./b.js";\nimport {\n  A,\n  aa,\n} from "./a.js";\nb(A, aa);\n'
    entry = write(tmp_path, main=main, b='import { A } from "./a.js";\nexport function b() { return A; }\n',
                  a="export const A = 1;\nexport const aa = 2;\nconst own = 3;\n")  # fmt: skip
    text = bundled(entry)
    assert text.index("const A = 1") < text.index("function b()") < text.index("b(A, aa)")
    assert text.count("const A = 1") == 1
    assert not re.search(r"^(import|export)\b", text, re.M)
    assert text.startswith('"use strict";\n(() => {\n') and text.endswith("})();\n")


EXPORTS_A = "const own = 1;\nexport const A = own;\n"


@pytest.mark.parametrize(
    ("observed", "main", "a"),
    [
        ("'own' is declared in 'a.js', too", 'import { A } from "./a.js";\nfunction own() {}\n', EXPORTS_A),
        ("'a.js' does not export 'own'", 'import { own } from "./a.js";\n', EXPORTS_A),
        ("it imports itself", 'import { A } from "./a.js";\n', 'import { b } from "./main.js";\nconst A = 1;\n'),
        ("not understood: import { A as B }", 'import { A as B } from "./a.js";\n', EXPORTS_A),
        ("not understood: import * as", 'import * as all from "./a.js";\n', ""),
        ('not understood: import "./a.js"', 'import "./a.js";\n', ""),
        ('not understood: import { A } from "node:fs"', 'import { A } from "node:fs";\n', ""),
        ("not understood: export default", "export default 1;\n", ""),
        ("not understood: export { a }", "const a = 1;\nexport { a };\n", ""),
        ("not understood: const { a }", "const { a } = window;\n", ""),
        ("not understood: var a", "var a = 1;\n", ""),
        ("not understood: const a = `", "const a = `\n// a line of it`;\n", ""),
    ],
)
def test_what_the_language_does_not_have_is_refused(tmp_path: Path, observed: str, main: str, a: str) -> None:
    with pytest.raises(InternalError, match="cannot put page script") as caught:
        bundled(write(tmp_path, main=main, a=a))
    assert observed in str(caught.value)


def _is_code(line: str) -> bool:
    return not line.startswith(("import", "//", "/*", "*"))


def test_the_modules_of_the_page_are_all_used_and_no_two_declare_a_name() -> None:
    lines = {line.strip() for line in bundled(PAGE / "main.js").splitlines()}
    assert all(map(_is_code, lines)), "comments with lines of their own"
    for path in PAGE.glob("*.js"):
        own = [line.strip().removeprefix("export ") for line in path.read_text(encoding="ascii").splitlines()]
        assert {line for line in own if _is_code(line)} <= lines, path.name


def test_what_was_put_together_once_gives_the_same_page(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text(one_module(PAGE / "main.js"))
    assert bundled(tmp_path / "main.js") == bundled(PAGE / "main.js")


@pytest.mark.skipif(which("node") is None, reason="no node on PATH")
def test_what_is_put_together_runs_as_the_modules_would(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        main='import { twice } from "./a.js";\nconsole.log(twice(21));\n',
        a='import { TWO } from "./b.js";\nexport function twice(n) {\n  return n * TWO;\n}\n',
        b="export const TWO = 2;\n",
    )
    bundle = tmp_path / "bundle.cjs"
    bundle.write_text(bundled(entry))
    node = which("node")
    assert node is not None
    assert subprocess.run([node, str(bundle)], capture_output=True, text=True, check=True).stdout == "42\n"
