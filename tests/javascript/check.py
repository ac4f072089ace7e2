"""Check the scripts of the page: types with TypeScript's compiler, what they compute with Node's own test runner.

    python tests/javascript/check.py

Says what is skipped where `node` or `npm` is missing, or the compiler cannot be had. Works in `build/javascript`.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "javascript"
PAGE = ROOT / "src" / "sonde" / "render" / "html" / "components"
COMPILER = BUILD / "node_modules" / "typescript" / "bin" / "tsc"


def main() -> int:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        print("scripts of the page: skipped, no node on PATH")
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    return max(check_types(node, npm), run_tests(node))


def check_types(node: str, npm: str | None) -> int:
    """Types of all modules, strictly; the compiler is installed once for each lock file."""
    lock = (HERE / "package-lock.json").read_bytes()
    installed = BUILD / "package-lock.json"
    if not COMPILER.exists() or not installed.exists() or installed.read_bytes() != lock:
        if npm is None:
            print("types of the page's scripts: skipped, no npm on PATH")
            return 0
        shutil.copy(HERE / "package.json", BUILD)
        installed.write_bytes(lock)
        words = [npm, "ci", "--prefix", str(BUILD), "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        if subprocess.run(words).returncode:
            shutil.rmtree(BUILD / "node_modules", ignore_errors=True)
            print("types of the page's scripts: skipped, npm could not install the compiler")
            return 0
    return subprocess.run([node, str(COMPILER), "--project", str(HERE / "tsconfig.json")]).returncode


def run_tests(node: str) -> int:
    """Tests of what needs no browser, beside a copy of the modules: there Node is told that they are modules."""
    copy = BUILD / "tested"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(PAGE, copy / "components")
    shutil.copy(HERE / "package.json", copy)
    for script in HERE.glob("*.js"):
        shutil.copy(script, copy)
    words = [node, "--test", "--test-reporter=tap", *map(str, sorted(copy.glob("*.test.js")))]
    done = subprocess.run(words, capture_output=True, text=True)
    told = ("not ok", "# tests", "# fail") if done.returncode == 0 else ("",)
    print("\n".join(line for line in done.stdout.splitlines() if line.lstrip().startswith(told)))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
