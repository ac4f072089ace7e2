"""IR with calls of a shadow stack (oracles/shadow_stack.c), put into its text without any parser of ours."""

import re

_NAME = re.compile(r'@("(?:[^"])*"|[-\w$.]+)\(')
_GROUP = re.compile(r"^attributes #([0-9]+) = \{(.*)\}$")
_LAST_CALL = re.compile(r"^\s+(?:%\S+ = )?(musttail|tail) call ")
_NO_CODE = re.compile(r"@llvm\.(?:assume|lifetime\.end|experimental\.noalias\.scope\.decl)")
_NO_CALL = re.compile(r"@llvm\.|\basm\b")


def with_shadow_stack(text: str, *, late: bool) -> tuple[str, list[str]]:
    """A module as LLVM prints it, and the names of its functions by the numbers that the shadow stack knows.

    Args:
        late: what a function calls last, and LLVM may jump to, is called by its caller; else only what LLVM must
            jump to.
    """
    groups = {found[1]: found[2] for line in text.splitlines() if (found := _GROUP.match(line))}
    lines: list[str] = []
    names: list[str] = []
    wants_entry = is_inside = may_jump = has_caught = False
    for line in text.splitlines():
        if line.startswith("define "):
            found = _NAME.search(line)
            assert found is not None, line
            attributes = line + " ".join(groups.get(each, "") for each in re.findall(r"#([0-9]+)", line))
            is_inside = " available_externally " not in line and not re.search(r"\bnaked\b", attributes)
            may_jump = late and '"disable-tail-calls"="true"' not in attributes
            wants_entry = is_inside
            if is_inside:
                names.append("@" + found[1])
        elif line == "}":
            is_inside = False
        elif is_inside and line.startswith("  "):
            if wants_entry and " = alloca " not in line:
                lines.append("  %shadow.slot = call ptr @llvm.addressofreturnaddress.p0()")
                lines.append(f"  call void @shadow_enter(i32 {len(names) - 1}, ptr %shadow.slot)")
                wants_entry = False
            if has_caught and not re.match(r"\s+(?:cleanup|catch|filter)\b", line):
                lines.append("  call void @shadow_catch(ptr %shadow.slot)")
                has_caught = False
            has_caught = has_caught or " = landingpad " in line
            if re.match(r"\s+(?:ret|resume)\b", line):
                leave = "  call void @shadow_leave(ptr %shadow.slot)"
                at = len(lines)
                while may_jump and _NO_CODE.search(lines[at - 1]):
                    at -= 1
                last = _LAST_CALL.match(lines[at - 1])
                if (
                    last is None
                    or line.lstrip().startswith("resume")
                    or not is_left_before(last[1], lines[at - 1], line, may_jump)
                ):
                    lines.append(leave)
                else:
                    lines.insert(at - 1, leave)
        lines.append(line)
    lines += [
        "declare void @shadow_enter(i32, ptr)",
        "declare void @shadow_leave(ptr)",
        "declare void @shadow_catch(ptr)",
    ]
    if not any("declare ptr @llvm.addressofreturnaddress.p0()" in line for line in lines):
        lines.append("declare ptr @llvm.addressofreturnaddress.p0()")
    return "\n".join(lines) + "\n", names


def is_left_before(kind: str, call: str, ret: str, may_jump: bool) -> bool:
    """Whether a function ends before a call, `kind` of its marks, that stands before its return."""
    if kind == "musttail":
        return True
    result = re.match(r"\s+(%\S+) = ", call)
    returned = re.match(r"\s+ret (?:void|.* (%[-\w$.]+|%\"[^\"]*\"))(?:,|$)", ret)
    is_result = returned is not None and (returned[1] is None or (result is not None and result[1] == returned[1]))
    return may_jump and is_result and not _NO_CALL.search(call.partition("(")[0])
