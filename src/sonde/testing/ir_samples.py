"""Small programs in LLVM IR to try passes on: each has something that a pass may get wrong.

All define `i64 @start(i64, i64)`, use nothing from outside, and end for every argument.
"""

SAMPLES: dict[str, str] = {
    "nested-loops": """
define i64 @start(i64 %n, i64 %k) {
entry:
  %most = and i64 %n, 15
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %sum.inner, %latch ]
  %more = icmp slt i64 %i, %most
  br i1 %more, label %prepare, label %out
prepare:
  %scaled = mul i64 %k, 7
  %again = mul i64 %k, 7
  br label %inner
inner:
  %j = phi i64 [ 0, %prepare ], [ %j.next, %inner ]
  %sum.inner = phi i64 [ %sum, %prepare ], [ %sum.next, %inner ]
  %same = mul i64 %k, 7
  %both = add i64 %scaled, %same
  %mixed = xor i64 %both, %i
  %other = xor i64 %i, %both
  %t = add i64 %mixed, %other
  %sum.next = add i64 %sum.inner, %t
  %unused = mul i64 %sum.next, %again
  %j.next = add nuw nsw i64 %j, 1
  %go = icmp ult i64 %j.next, 3
  br i1 %go, label %inner, label %latch
latch:
  %i.next = add i64 %i, 1
  br label %outer
out:
  ret i64 %sum
}
""",
    "promises": """
; What promises not to wrap must not stand for what may.
define i64 @start(i64 %n, i64 %k) {
  %may = add i64 %n, %k
  %low = and i64 %n, 255
  %small = and i64 %k, 255
  %careful = add nuw nsw i64 %low, %small
  %careless = add i64 %low, %small
  %x = mul i64 %careful, 4
  %y = mul nsw i64 %careless, 4
  %z = sub i64 %x, %y
  %again = add i64 %k, %n
  %r = xor i64 %may, %again
  %s = add i64 %r, %z
  %w = add i64 %s, %careless
  ret i64 %w
}
""",
    "guarded-division": """
; A division may stop the program where its divisor is 0: it stays behind its guard.
define i64 @start(i64 %n, i64 %k) {
entry:
  %most = and i64 %n, 7
  %none = icmp eq i64 %k, 0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %latch ]
  br i1 %none, label %latch, label %divide
divide:
  %q = udiv i64 1000, %k
  %by.seven = udiv i64 %n, 7
  %d = add i64 %q, %by.seven
  br label %latch
latch:
  %part = phi i64 [ 1, %loop ], [ %d, %divide ]
  %sum.next = add i64 %sum, %part
  %next = add i64 %i, 1
  %go = icmp ule i64 %next, %most
  br i1 %go, label %loop, label %out
out:
  ret i64 %sum.next
}
""",
    "memory": """
@table = internal global [4 x i64] [i64 3, i64 5, i64 8, i64 13]
define i64 @start(i64 %n, i64 %k) {
entry:
  %slot = alloca i64
  %unused = alloca [16 x i8]
  store i64 %n, ptr %slot
  %which = and i64 %k, 3
  %place = getelementptr [4 x i64], ptr @table, i64 0, i64 %which
  %before = load i64, ptr %place
  %new = add i64 %before, %n
  store i64 %new, ptr %place
  %same.place = getelementptr [4 x i64], ptr @table, i64 0, i64 %which
  %after = load i64, ptr %same.place
  %dead = load i64, ptr %slot
  %kept = load volatile i64, ptr %slot
  store i64 %before, ptr %place
  %r = sub i64 %after, %before
  %s = add i64 %r, %kept
  ret i64 %s
}
""",
    "dead-circle": """
; Phis that only feed one another.
define i64 @start(i64 %n, i64 %k) {
entry:
  %most = and i64 %n, 31
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi i64 [ %k, %entry ], [ %b.next, %loop ]
  %b = phi i64 [ 1, %entry ], [ %a.next, %loop ]
  %a.next = add i64 %a, %b
  %b.next = mul i64 %b, %i
  %next = add i64 %i, 1
  %go = icmp ule i64 %next, %most
  br i1 %go, label %loop, label %out
out:
  %last = phi i64 [ %i, %loop ]
  ret i64 %last
}
""",
    "calls-and-floats": """
define internal i64 @helper(i64 %x) {
  %sign = icmp slt i64 %x, 0
  %minus = sub i64 0, %x
  %r = select i1 %sign, i64 %minus, i64 %x
  ret i64 %r
}
define i64 @start(i64 %n, i64 %k) {
entry:
  %a = call i64 @helper(i64 %n)
  %b = call i64 @helper(i64 %n)
  %low = and i64 %a, 65535
  %f = uitofp i64 %low to double
  %g = uitofp i64 %low to double
  %h = fmul double %f, 2.500000e-01
  %i = fmul double 2.500000e-01, %g
  %j = fsub double %h, %i
  %v = insertelement <2 x double> poison, double %j, i64 0
  %w = insertelement <2 x double> %v, double %h, i64 1
  %x = extractelement <2 x double> %w, i64 0
  %y = fptosi double %x to i64
  %lows = trunc i64 %k to i8
  %wide = sext i8 %lows to i64
  switch i64 %wide, label %other [ i64 0, label %zero
                                   i64 1, label %zero ]
zero:
  %again = sext i8 %lows to i64
  %z = add i64 %again, %b
  ret i64 %z
other:
  %s = add i64 %y, %wide
  ret i64 %s
}
""",
}

ARGUMENTS = ((0, 0), (1, 1), (5, 3), (12345, 2**63), (2**64 - 1, 2**64 - 7))
"""What `@start` is called with."""
