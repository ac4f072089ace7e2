"""IR with calls that tell each block that runs (oracles/block_paths.c), put into its text by no parser of ours."""

import re

from shadow_edit import is_left_before

_NAME = re.compile(r'@("(?:[^"])*"|[-\w$.]+)\(')
_GROUP = re.compile(r"^attributes #([0-9]+) = \{(.*)\}$")
_LABEL = re.compile(r'^(?:"[^"]*"|[-\w$.]+):')
_PHI = re.compile(r"\s+%\S+ = phi ")
_CALL = re.compile(r"^\s+(?:%\S+ = )?(?:(musttail|tail|notail) )?call ")
_TWICE = re.compile(r"@_*(?:sig)?setjmp\(|@v?fork\(|@getcontext\(")
_NO_CODE = re.compile(r"@llvm\.(?:assume|lifetime\.end|experimental\.noalias\.scope\.decl)")


def with_block_log(text: str, *, late: bool) -> tuple[str, list[str]]:
    """A module as LLVM prints it, and the names of its functions by the numbers that the log knows.

    Blocks are numbered in the order of the text; what follows a call that may return twice is a block of its own, which
    begins with the call.

    Args:
        late: a function ends before what it calls last, where LLVM may jump there; else only where LLVM must.
    """
    groups = {found[1]: found[2] for line in text.splitlines() if (found := _GROUP.match(line))}
    lines: list[str] = []
    names: list[str] = []
    is_inside = may_jump = wants_log = is_pad = False
    block = -1
    for line in text.splitlines():
        if line.startswith("define "):
            found = _NAME.search(line)
            assert found is not None, line
            attributes = line + " ".join(groups.get(each, "") for each in re.findall(r"#([0-9]+)", line))
            is_inside = " available_externally " not in line and not re.search(r"\bnaked\b", attributes)
            may_jump = late and '"disable-tail-calls"="true"' not in attributes
            names += ["@" + found[1]] if is_inside else []
            block = -1
            lines.append(line)
            continue
        if line == "}":
            is_inside = False
        if not is_inside:
            lines.append(line)
            continue
        is_label = _LABEL.match(line) is not None
        if is_label or block < 0:
            block += 1
            wants_log = True
        if is_label:
            lines.append(line)
            continue
        if wants_log and line.strip() and not _PHI.match(line) and not (is_pad and line.startswith("          ")):
            is_pad = " = landingpad " in line
            if not is_pad:
                if block == 0:
                    lines.append(f"  %blocks.run = call ptr @blocks_begin(i32 {len(names) - 1})")
                lines.append(_told(block))
                wants_log = False
        if _CALL.match(line) and _returns_twice(line, groups):
            block += 1
            lines += [_told(block), line, f"  call void @blocks_again(ptr %blocks.run, i32 {block})"]
            continue
        end = "  call void @blocks_end(ptr %blocks.run)"
        if re.match(r"\s+resume\b", line):
            lines.append(end)
        elif re.match(r"\s+ret\b", line):
            at = len(lines)
            while may_jump and _NO_CODE.search(lines[at - 1]):
                at -= 1
            last = _CALL.match(lines[at - 1])
            is_before = (
                last is not None
                and last[1] in ("tail", "musttail")
                and is_left_before(last[1], lines[at - 1], line, may_jump)
            )
            lines.insert(at - 1 if is_before else len(lines), end)
        elif re.match(r"\s+unreachable\b", line):
            is_call = _CALL.match(lines[-1]) and "@blocks_" not in lines[-1]
            lines.insert(len(lines) - 1 if is_call else len(lines), end)
        lines.append(line)
    lines += [
        "declare ptr @blocks_begin(i32)",
        "declare void @blocks_at(ptr, i32)",
        "declare void @blocks_again(ptr, i32)",
        "declare void @blocks_end(ptr)",
    ]
    return "\n".join(lines) + "\n", names


def _told(block: int) -> str:
    return f"  call void @blocks_at(ptr %blocks.run, i32 {block})"


def _returns_twice(line: str, groups: dict[str, str]) -> bool:
    return bool(_TWICE.search(line)) or any(
        "returns_twice" in groups.get(each, "") for each in re.findall(r"#([0-9]+)", line)
    )
