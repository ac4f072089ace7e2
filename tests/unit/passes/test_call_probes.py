"""Functions with probes do what they did, enter in order, and give their callers' contexts back."""

import re

import pytest

from probed_functions import Observed, observe, plain_result, probed_text

_LEAF = """
@sum = global i64 0
define i64 @leaf(i64 %x) noinline {
  %old = load volatile i64, ptr @sum
  %new = add i64 %old, %x
  store volatile i64 %new, ptr @sum
  ret i64 %new
}
"""


def watched(text: str, argument: int = 3, when: str = "late", *, libraries: tuple[str, ...] = ()) -> Observed:
    """What the functions did, which is what they do without probes; all that began has counted itself once."""
    whole = _LEAF + text
    found = observe(whole, argument, when, libraries=libraries)
    assert found.result == plain_result(whole, argument, libraries=libraries)
    assert found.calls == [1] * len(found.entered)
    assert found.is_caller_back
    return found


@pytest.mark.parametrize("when", ["late", "early"])
def test_a_call_enters_below_its_caller(when: str) -> None:
    found = watched(
        """
define i64 @test(i64 %x) {
  %a = call i64 @middle(i64 %x)
  %b = call i64 @leaf(i64 %a)
  ret i64 %b
}
define i64 @middle(i64 %x) {
  %a = call i64 @leaf(i64 %x)
  %b = call i64 @leaf(i64 %a)
  %c = add i64 %a, %b
  ret i64 %c
}""",
        when=when,
    )
    assert found.entered == [("@test", None), ("@middle", 0), ("@leaf", 1), ("@leaf", 1), ("@leaf", 0)]
    if when == "late":
        assert len(set(found.sites)) == 5 and all(found.sites)
    else:
        assert found.sites == [0] * 5


@pytest.mark.parametrize("when", ["late", "early"])
def test_arguments_of_all_kinds_arrive(when: str) -> None:
    # More than registers hold, of both kinds, by value and by a place for the result.
    found = watched(
        """
%large = type { i64, [9 x i64] }
define void @fills(ptr sret(%large) %out, ptr byval(%large) %in, i64 %a, double %d, i64 %b, i64 %c, float %e,
                   i64 %f, i64 %g, i64 %h, double %i, double %j, double %k, double %l, double %m,
                   double %n, double %o, double %p)
    noinline {
  %v = load i64, ptr %in
  %t = fptosi double %p to i64
  %u = fptosi float %e to i64
  %s1 = add i64 %v, %t
  %s2 = add i64 %s1, %u
  %s3 = add i64 %s2, %h
  %s4 = sub i64 %s3, %a
  store i64 %s4, ptr %out
  ret void
}
define i64 @test(i64 %x) {
  %in = alloca %large
  %out = alloca %large
  store i64 %x, ptr %in
  %d = sitofp i64 %x to double
  call void @fills(ptr sret(%large) %out, ptr byval(%large) %in, i64 1, double %d, i64 2, i64 3, float 4.0,
                   i64 5, i64 6, i64 70, double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0,
                   double 7.0, double %d)
  %result = load i64, ptr %out
  ret i64 %result
}""",
        when=when,
    )
    assert found.result == 3 + 3 + 4 + 70 - 1


@pytest.mark.parametrize("when", ["late", "early"])
def test_variable_arguments_arrive(when: str) -> None:
    found = watched(
        """
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
define i64 @sums(i64 %count, ...) noinline {
entry:
  %list = alloca [3 x i64]
  call void @llvm.va_start.p0(ptr %list)
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %more, %again ]
  %sum = phi i64 [ 0, %entry ], [ %added, %again ]
  %each = va_arg ptr %list, i64
  %added = add i64 %sum, %each
  %more = add i64 %i, 1
  %go = icmp ult i64 %more, %count
  br i1 %go, label %again, label %out
out:
  call void @llvm.va_end.p0(ptr %list)
  ret i64 %added
}
define i64 @test(i64 %x) {
  %a = call i64 (i64, ...) @sums(i64 8, i64 1, i64 %x, i64 3, i64 4, i64 5, i64 6, i64 7, i64 800)
  ret i64 %a
}""",
        when=when,
    )
    assert found.result == 826 + 3
    assert found.entered == [("@test", None), ("@sums", 0)]


@pytest.mark.parametrize("when", ["late", "early"])
def test_storage_of_a_size_that_is_computed_stays_what_it_was(when: str) -> None:
    watched(
        """
define i64 @test(i64 %x) {
  %fixed = alloca i64
  %twice = mul i64 %x, 2
  %dynamic = alloca i64, i64 %twice
  %late = alloca [4 x i64], align 64
  store i64 %x, ptr %fixed
  store i64 5, ptr %dynamic
  store i64 7, ptr %late
  %address = ptrtoint ptr %late to i64
  %odd = and i64 %address, 63
  %a = call i64 @leaf(i64 %odd)
  %b = load i64, ptr %dynamic
  %c = load i64, ptr %late
  %d = load i64, ptr %fixed
  %e = mul i64 %b, %c
  %f = mul i64 %e, %d
  %g = add i64 %f, %a
  ret i64 %g
}""",
        when=when,
    )


@pytest.mark.parametrize("when", ["late", "early"])
def test_a_call_that_must_take_its_callers_place_does(when: str) -> None:
    found = watched(
        """
define i64 @counts(i64 %n, i64 %sum) noinline {
entry:
  %done = icmp eq i64 %n, 0
  br i1 %done, label %out, label %on
out:
  ret i64 %sum
on:
  %less = sub i64 %n, 1
  %more = add i64 %sum, %n
  %result = musttail call i64 @counts(i64 %less, i64 %more)
  ret i64 %result
}
define i64 @test(i64 %x) {
  %a = call i64 @counts(i64 %x, i64 0)
  ret i64 %a
}""",
        argument=5,
        when=when,
    )
    # Each hangs below the first one's caller.
    assert found.entered == [("@test", None), *[("@counts", 0)] * 6]


_LAST = """
define i64 @last(i64 %x) noinline {{
  %a = call i64 @leaf(i64 %x)
  {call}
}}
define i64 @test(i64 %x) {{
  %a = call i64 @last(i64 %x)
  ret i64 %a
}}{rest}"""


@pytest.mark.parametrize(
    ("call", "rest", "caller"),
    [
        ("%b = tail call i64 @leaf(i64 %a)\n  ret i64 %b", "", 0),
        ("%b = call i64 @leaf(i64 %a)\n  ret i64 %b", "", 1),
        ("%b = notail call i64 @leaf(i64 %a)\n  ret i64 %b", "", 1),
        ("%b = tail call i64 @leaf(i64 %a)\n  %c = add i64 %b, 1\n  ret i64 %c", "", 1),
        (
            "%b = tail call i64 @leaf(i64 %a)\n  call void @llvm.assume(i1 true)\n  ret i64 %b",
            "\ndeclare void @llvm.assume(i1)",
            0,
        ),
    ],
)
def test_what_may_be_jumped_to_hangs_below_its_callers_caller(call: str, rest: str, caller: int) -> None:
    found = watched(_LAST.format(call=call, rest=rest))
    assert found.entered == [("@test", None), ("@last", 0), ("@leaf", 1), ("@leaf", caller)]


def test_nothing_is_jumped_to_where_a_function_forbids_it() -> None:
    text = _LAST.format(call="%b = tail call i64 @leaf(i64 %a)\n  ret i64 %b", rest="")
    found = watched(text.replace("noinline {", 'noinline "disable-tail-calls"="true" {', 1))
    assert found.entered[-1] == ("@leaf", 1)


def test_early_probes_are_around_calls_that_could_have_been_jumped_to() -> None:
    found = watched(_LAST.format(call="%b = tail call i64 @leaf(i64 %a)\n  ret i64 %b", rest=""), when="early")
    assert found.entered[-1] == ("@leaf", 1)


_THROWING = """
@_ZTIl = external constant ptr
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @__gxx_personality_v0(...)
define i64 @throws(i64 %x) noinline {
entry:
  %many = icmp sgt i64 %x, 2
  br i1 %many, label %bad, label %good
good:
  ret i64 %x
bad:
  %thing = call ptr @__cxa_allocate_exception(i64 8)
  store i64 %x, ptr %thing
  call void @__cxa_throw(ptr %thing, ptr @_ZTIl, ptr null)
  unreachable
}
define i64 @passes(i64 %x) noinline {
  %a = call i64 @throws(i64 %x)
  %b = call i64 @leaf(i64 %a)
  ret i64 %b
}
define i64 @cleans(i64 %x) noinline personality ptr @__gxx_personality_v0 {
entry:
  %a = invoke i64 @passes(i64 %x) to label %good unwind label %bad
good:
  ret i64 %a
bad:
  %what = landingpad { ptr, i32 } cleanup
  %b = call i64 @leaf(i64 1000)
  resume { ptr, i32 } %what
}
define i64 @test(i64 %x) personality ptr @__gxx_personality_v0 {
entry:
  %a = invoke i64 @cleans(i64 %x) to label %good unwind label %bad
good:
  %b = call i64 @leaf(i64 %a)
  ret i64 %b
bad:
  %what = landingpad { ptr, i32 } catch ptr @_ZTIl
  %thing = extractvalue { ptr, i32 } %what, 0
  %at = call ptr @__cxa_begin_catch(ptr %thing)
  %value = load i64, ptr %at
  call void @__cxa_end_catch()
  %c = call i64 @leaf(i64 %value)
  ret i64 %c
}"""


@pytest.mark.parametrize("when", ["late", "early"])
def test_an_exception_leaves_the_context_of_who_catches_it(when: str) -> None:
    thrown = watched(_THROWING, 3, when, libraries=("stdc++",))
    begun = [("@test", None), ("@cleans", 0), ("@passes", 1), ("@throws", 2)]
    assert thrown.entered == [*begun, ("@leaf", 1), ("@leaf", 0)]
    returned = watched(_THROWING, 2, when, libraries=("stdc++",))
    assert returned.entered == [*begun, ("@leaf", 2), ("@leaf", 0)]


_JUMPING = """
@buffer = global [64 x i64] zeroinitializer, align 16
declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
define void @jumps(i64 %x) noinline noreturn {
  %a = call i64 @leaf(i64 %x)
  call void @longjmp(ptr @buffer, i32 1)
  unreachable
}
define void @deep(i64 %x) noinline noreturn {
  call void @jumps(i64 %x)
  unreachable
}
define i64 @test(i64 %x) {
  %how = call i32 @_setjmp(ptr @buffer) returns_twice
  %first = icmp eq i32 %how, 0
  br i1 %first, label %go, label %back
go:
  call void @deep(i64 %x)
  unreachable
back:
  %a = call i64 @leaf(i64 7)
  ret i64 %a
}"""


@pytest.mark.parametrize("when", ["late", "early"])
def test_a_long_jump_leaves_the_context_of_who_set_it(when: str) -> None:
    found = watched(_JUMPING, when=when)
    assert found.entered == [("@test", None), ("@deep", 0), ("@jumps", 1), ("@leaf", 2), ("@leaf", 0)]


@pytest.mark.parametrize("when", ["late", "early"])
def test_blocks_are_still_where_their_addresses_say(when: str) -> None:
    found = watched(
        """
@places = constant [2 x ptr] [ptr blockaddress(@picks, %one), ptr blockaddress(@picks, %two)]
define i64 @picks(i64 %x) noinline {
entry:
  %which = and i64 %x, 1
  %at = getelementptr [2 x ptr], ptr @places, i64 0, i64 %which
  %place = load ptr, ptr %at
  indirectbr ptr %place, [label %one, label %two]
one:
  %a = phi i64 [ %x, %entry ], [ 50, %two ]
  %b = call i64 @leaf(i64 %a)
  ret i64 %b
two:
  %c = call i64 @leaf(i64 %x)
  %more = icmp sgt i64 %c, 4
  br i1 %more, label %one, label %out
out:
  ret i64 %c
}
define i64 @test(i64 %x) {
  %a = call i64 @picks(i64 %x)
  %next = add i64 %x, 1
  %b = call i64 @picks(i64 %next)
  %c = add i64 %a, %b
  ret i64 %c
}""",
        when=when,
    )
    assert found.entered == [("@test", None), ("@picks", 0), ("@leaf", 1), ("@picks", 0), ("@leaf", 3)]


@pytest.mark.parametrize("when", ["late", "early"])
def test_functions_without_a_body_of_their_own_have_no_probes(when: str) -> None:
    text = """
define void @bare() naked noinline {
  call void asm sideeffect "ret", ""()
  unreachable
}
define available_externally i64 @elsewhere(i64 %x) {
  ret i64 %x
}
define i64 @test(i64 %x) {
  call void @bare()
  %a = call i64 @leaf(i64 %x)
  ret i64 %a
}"""
    assert probed_text(_LEAF + text, when)[1] == ["@leaf", "@test"]
    assert watched(text, when=when).entered == [("@test", None), ("@leaf", 0)]


_PURE = """
define i64 @pure(i64 %x) memory(none) willreturn nounwind speculatable noinline {
  %y = mul i64 %x, %x
  ret i64 %y
}
define i64 @test(i64 %x) {
  %a = call i64 @pure(i64 %x)
  %b = call i64 @pure(i64 %x)
  %unused = call i64 @pure(i64 7) memory(none) willreturn nounwind
  %c = add i64 %a, %b
  ret i64 %c
}"""


def test_early_probes_see_calls_that_the_optimiser_would_remove() -> None:
    assert watched(_PURE, when="early").entered == [("@test", None), *[("@pure", 0)] * 3]


def test_early_probes_go_where_their_functions_are_inlined() -> None:
    text = _PURE.replace("noinline", "alwaysinline")
    assert watched(text, when="early").entered == [("@test", None), *[("@pure", 0)] * 3]


@pytest.mark.parametrize("when", ["late", "early"])
def test_a_function_with_one_instruction_has_probes_too(when: str) -> None:
    found = watched(
        "define void @nothing() noinline { ret void } define i64 @test(i64 %x) { call void @nothing() ret i64 %x }"
    )
    assert found.entered == [("@test", None), ("@nothing", 0)]


@pytest.mark.parametrize("when", ["late", "early"])
def test_recursion_enters_below_itself(when: str) -> None:
    found = watched(
        """
define i64 @test(i64 %x) {
entry:
  %small = icmp slt i64 %x, 2
  br i1 %small, label %out, label %on
out:
  ret i64 %x
on:
  %p = sub i64 %x, 1
  %q = sub i64 %x, 2
  %a = call i64 @test(i64 %p)
  %b = call i64 @test(i64 %q)
  %c = add i64 %a, %b
  ret i64 %c
}""",
        argument=4,
        when=when,
    )
    assert [caller for _, caller in found.entered] == [None, 0, 1, 2, 2, 1, 0, 6, 6]


def test_a_switch_of_stacks_is_not_jumped_to_and_its_frame_is_the_current_one_afterwards() -> None:
    text, _ = probed_text(
        """
declare i32 @swapcontext(ptr, ptr)
define i32 @yields(ptr %a, ptr %b) {
  %r = tail call i32 @swapcontext(ptr %a, ptr %b)
  ret i32 %r
}"""
    )
    after = text.partition("@swapcontext(ptr %a")[2].partition("}")[0]
    assert re.findall(r"store ptr (%sonde\.\w+), ", after) == ["%sonde.context", "%sonde.caller"]


@pytest.mark.parametrize("how", ["fork", "vfork", "getcontext", "sigsetjmp", "__sigsetjmp", "_setjmp"])
def test_what_may_return_twice_is_followed_by_the_context(how: str) -> None:
    text, _ = probed_text(
        f"declare i32 @{how}(ptr)\ndefine i32 @f(ptr %a) {{\n  %r = call i32 @{how}(ptr %a)\n  ret i32 %r\n}}"
    )
    after = text.partition(f"call i32 @{how}(")[2].partition("}")[0]
    assert re.findall(r"store ptr (%sonde\.\w+), ", after)[0] == "%sonde.context"


def test_a_module_without_functions_stays_as_it_is() -> None:
    text = "@x = global i64 5\n"
    after, names = probed_text(text)
    assert names == [] and "sonde" not in after and "sn_probes" not in after
