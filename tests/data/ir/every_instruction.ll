; Every instruction of LLVM's, and every odd way to write one that its printer has.
source_filename = "every \22kind\22.ll"
module asm ".globl from_asm"
module asm "from_asm: .byte 34 # \22%not a name @nor this\22"

$group = comdat any
$"odd group" = comdat largest

%T = type { i32, %"quoted type", [4 x ptr] }
%"quoted type" = type <{ i8, i64 }>
%opaque = type opaque
%opaque.pair = type { ptr, i32 }
%v = type { float, <4 x i32> }
%self = type { ptr, %T, target("spirv.Image", void, 1, 0) }

@plain = global i32 7
@"quoted \22name\22" = internal unnamed_addr constant [10 x i8] c"a\22b\5C%x @y\00", section "odd, section", align 1
@text = private constant [6 x i8] c"[{<(\00\FF"
@thread = thread_local(localexec) global ptr @plain, align 8
@spaced = external addrspace(1) global [2 x { i8, i8 }]
@struct = global %T { i32 1, %"quoted type" <{ i8 2, i64 3 }>, [4 x ptr] zeroinitializer }
@table = internal constant [3 x ptr] [ptr blockaddress(@branches, %two), ptr blockaddress(@branches, %"the third"), ptr @plain]
@expression = global i64 sub (i64 ptrtoint (ptr @plain to i64), i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @struct, i64 4) to i64))
@weak = weak_odr hidden global i8 0, comdat($group)
@other = global ptr @"quoted \22name\22", comdat($"odd group")
@inrange = global ptr getelementptr inbounds inrange(-8, 8) ({ [2 x i32] }, ptr @struct, i32 0, i32 0, i32 1)

@alias = hidden alias i32, ptr @plain
@alias2 = weak alias i8, getelementptr (i8, ptr @plain, i64 1)
@called_by_another_name = internal alias i32 (i32, i32), ptr @arithmetic
@resolved = ifunc i32 (i32), ptr @resolver

declare i32 @printf(ptr noundef, ...)
declare void @takes(ptr byval(%T) align 8, ptr sret({ i8, i8 }), ptr captures(none) dereferenceable(4), i32 range(i32 0, 9), ptr)
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)
declare token @llvm.call.preallocated.setup(i32)
declare void @llvm.assume(i1)
declare i64 @llvm.read_register.i64(metadata)
declare <4 x i32> @vector_of(<4 x i32>, <vscale x 2 x double>)
declare extern_weak i32 @"1 \22odd\22 one"(i32)
declare void @throws()
declare void @f(ptr)
define internal ptr @resolver() {
  ret ptr @called_by_another_name
}

define internal fastcc noundef nonnull align 8 dereferenceable(8) ptr @"many words"(ptr noalias noundef returned %v, i32 %T, %T %"a b") unnamed_addr #0 section "x,y" comdat($group) align 16 gc "shadow-stack" prefix i32 7 prologue i8 -1 personality ptr @__gxx_personality_v0 !prof !9 {
  %a = extractvalue %T %"a b", 1, 1
  %1 = insertvalue %T %"a b", i32 %T, 0
  %2 = insertvalue %T %1, ptr %v, 2, 3
  %slot = alloca %T, align 8
  %slots = alloca %T, i32 %T, align 8
  store %T %2, ptr %slot, align 8
  %back = load %T, ptr %slot, align 8
  %in = getelementptr inbounds nuw %T, ptr %slot, i64 0, i32 2, i64 1
  %in2 = getelementptr %T, ptr %v, i32 %T
  %p = load ptr, ptr %in, align 8, !nonnull !2, !dereferenceable !7
  call void @takes(ptr byval(%T) align 8 %slot, ptr sret({ i8, i8 }) %in2, ptr captures(none) dereferenceable(4) %p, i32 range(i32 0, 9) 4, ptr @text)
  ret ptr %v
}

define i32 @arithmetic(i32 %0, i32 %1) #1 {
  %3 = add nuw nsw i32 %0, %1
  %4 = sub i32 0, %3
  %5 = mul nsw i32 %4, %4
  %6 = sdiv exact i32 %5, 3
  %7 = or disjoint i32 %6, 8
  %8 = xor i32 %7, -1
  %9 = shl nuw i32 1, %8
  %10 = ashr exact i32 %9, 1
  %11 = icmp samesign ult i32 %10, %9
  %12 = select i1 %11, i32 %10, i32 ptrtoint (ptr @plain to i32)
  %13 = zext nneg i32 %12 to i64
  %14 = trunc nuw nsw i64 %13 to i16
  %15 = sext i16 %14 to i32
  %16 = freeze i32 %15
  %17 = inttoptr i32 %16 to ptr
  %18 = ptrtoint ptr %17 to i32
  %19 = addrspacecast ptr %17 to ptr addrspace(1)
  %20 = load i8, ptr addrspace(1) %19, align 1
  %21 = getelementptr i8, ptr addrspace(1) @spaced, i64 3
  %22 = ptrtoaddr ptr %17 to i64
  ret i32 %18
}

define <4 x float> @floats(<4 x float> %x, double %y, x86_fp80 %z, half %h, bfloat %b, fp128 %q) {
  %1 = fadd fast <4 x float> %x, splat (float 2.000000e+00)
  %2 = fmul nnan ninf nsz arcp contract afn reassoc <4 x float> %1, <float 1.000000e+00, float -0.000000e+00, float 0x7FF0000000000000, float undef>
  %3 = fneg <4 x float> %2
  %4 = fcmp fast ogt <4 x float> %3, zeroinitializer
  %5 = select nnan <4 x i1> %4, <4 x float> %3, <4 x float> %2
  %6 = fptosi double %y to i64
  %7 = sitofp i64 %6 to x86_fp80
  %8 = fadd x86_fp80 %7, 0xK3FFF8000000000000000
  %9 = fptrunc x86_fp80 %8 to half
  %10 = uitofp nneg i64 %6 to float
  %11 = fadd fp128 %q, 0xL00000000000000003FFF000000000000
  %12 = insertelement <4 x float> %5, float %10, i64 0
  %13 = extractelement <4 x float> %12, i32 2
  %14 = shufflevector <4 x float> %12, <4 x float> poison, <2 x i32> <i32 3, i32 poison>
  %15 = shufflevector <4 x float> %12, <4 x float> %5, <8 x i32> zeroinitializer
  %16 = bitcast <4 x float> %12 to <2 x i64>
  %17 = call fast float @llvm.fabs.f32(float %13)
  ret <4 x float> %12
}

declare float @llvm.fabs.f32(float)

define <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %x, ptr %p, <4 x ptr> %ps, <4 x i64> %is) {
  %1 = add <vscale x 4 x i32> %x, splat (i32 1)
  %2 = getelementptr i8, <4 x ptr> %ps, <4 x i64> %is
  %3 = getelementptr %T, ptr %p, <4 x i64> %is, i32 1
  %4 = getelementptr %T, <4 x ptr> %ps, i64 1
  %5 = ptrtoint <4 x ptr> %2 to <4 x i64>
  %6 = icmp eq <4 x ptr> %2, %3
  %7 = select i1 true, <4 x i1> %6, <4 x i1> zeroinitializer
  %8 = zext <4 x i1> %6 to <4 x i32>
  %9 = call <4 x i32> @vector_of(<4 x i32> %8, <vscale x 2 x double> zeroinitializer)
  ret <vscale x 4 x i32> %1
}

define i64 @memory(ptr %p, ptr addrspace(1) %far, i64 %n) {
  %1 = load volatile i32, ptr %p, align 4
  %2 = load atomic i64, ptr %p seq_cst, align 8
  %3 = load atomic volatile i32, ptr addrspace(1) %far syncscope("single thread, odd") acquire, align 4
  store volatile i32 %1, ptr %p, align 4
  store atomic i64 %2, ptr %p release, align 8
  store atomic i32 %3, ptr addrspace(1) %far syncscope("agent") monotonic, align 4
  %4 = cmpxchg weak volatile ptr %p, i64 %n, i64 0 syncscope("agent") acq_rel monotonic, align 8
  %5 = cmpxchg ptr %p, ptr null, ptr @plain seq_cst seq_cst, align 8
  %6 = extractvalue { i64, i1 } %4, 0
  %7 = atomicrmw add ptr %p, i64 %6 seq_cst, align 8
  %8 = atomicrmw volatile xchg ptr %p, float 1.000000e+00 syncscope("agent") monotonic, align 4
  %9 = atomicrmw fadd ptr %p, <2 x half> zeroinitializer release, align 4
  fence syncscope("agent") seq_cst
  fence acquire
  %10 = alloca [4 x i8], i64 %n, align 16, addrspace(5)
  %11 = alloca inalloca %T, align 8
  %12 = va_arg ptr %p, %T
  %13 = va_arg ptr %p, i64
  store { i8, [2 x %v] } { i8 1, [2 x %v] [%v { float 1.000000e+00, <4 x i32> <i32 1, i32 2, i32 3, i32 4> }, %v zeroinitializer] }, ptr %p, align 16
  ret i64 %7
}

define i32 @branches(i32 %x, ptr %where) {
  switch i32 %x, label %one [
    i32 2, label %two
    i32 -3, label %"the third"
    i32 4, label %two
  ], !prof !8

one:                                              ; preds = %0
  br i1 true, label %two, label %"the third", !prof !10

two:
  %phi = phi i32 [ 1, %0 ], [ 1, %0 ], [ ptrtoint (ptr getelementptr (%T, ptr null, i32 1) to i32), %one ], [ %x, %"the third" ]
  %phi2 = phi { i8, i8 } [ zeroinitializer, %0 ], [ zeroinitializer, %0 ], [ { i8 1, i8 2 }, %one ], [ poison, %"the third" ]
  %fast = phi nnan float [ 0.000000e+00, %0 ], [ 0.000000e+00, %0 ], [ 1.000000e+00, %one ], [ 0x7FF8000000000000, %"the third" ]
  ret i32 %phi

"the third":
  indirectbr ptr %where, [label %two, label %"the third"]
}

define void @calls(ptr %f, i32 %x, ptr %v) personality ptr @__gxx_personality_v0 {
entry:
  %0 = call i32 (ptr, ...) @printf(ptr noundef @text, i32 noundef %x, double 1.000000e+00)
  %1 = tail call fastcc noundef nonnull ptr @"many words"(ptr noalias noundef %v, i32 %x, %T zeroinitializer) #2 [ "odd bundle"(i32 %x, ptr @plain), "deopt"() ]
  %2 = notail call i32 @"1 \22odd\22 one"(i32 signext %x), !range !11
  %3 = call i32 %f(i32 %x)
  %4 = call i32 (i32, ...) %f(i32 %x, ptr %v)
  %5 = call ptr %f(i32 7)
  %6 = call addrspace(0) i8 %f(ptr addrspace(3) null)
  %7 = call { i32, i32 } asm sideeffect inteldialect "mov $0, %eax; \22@x\22", "={ax},={dx},r,~{memory}"(i32 %x), !srcloc !3
  call void asm "nop", ""()
  %8 = call i32 inttoptr (i64 4096 to ptr)(i32 1)
  %9 = call i64 @llvm.read_register.i64(metadata !4)
  call void @llvm.assume(i1 true) [ "align"(ptr %v, i64 8) ]
  call void @f(ptr @"quoted \22name\22")
  call void @f(ptr blockaddress(@branches, %one))
  call void @f(ptr nonnull getelementptr inbounds ({ i8, %T }, ptr @struct, i64 0, i32 1))
  call void @f(ptr dso_local_equivalent @throws)
  call void @f(ptr no_cfi @throws)
  %10 = call i32 @called_by_another_name(i32 1, i32 2)
  %11 = call i32 @resolved(i32 3)
  %12 = call token @llvm.call.preallocated.setup(i32 1)
  call void @preallocated(ptr preallocated(%T) %v) [ "preallocated"(token %12) ]
  %13 = invoke i32 @called_by_another_name(i32 %x, i32 0) #2
          to label %next unwind label %pad

next:                                             ; preds = %entry
  %from = phi i32 [ %13, %entry ]
  invoke void @throws() [ "deopt"(i32 %from) ]
          to label %done unwind label %pad, !prof !10

pad:                                              ; preds = %next, %entry
  %lp = landingpad { ptr, i32 }
          cleanup
          catch ptr @plain
          catch ptr null
          filter [1 x ptr] [ptr @text]
  resume { ptr, i32 } %lp

done:                                             ; preds = %next
  callbr void asm sideeffect "", "!i,!i"()
          to label %fall [label %away, label %end]

fall:                                             ; preds = %done
  %late = callbr i32 asm "", "=r,!i"()
          to label %away [label %end]

away:                                             ; preds = %fall, %done
  musttail call void @calls(ptr %f, i32 1, ptr %v)
  ret void

end:                                              ; preds = %fall, %done
  unreachable
}

declare void @preallocated(ptr preallocated(%T))

define void @funclets(ptr %p) personality ptr @__CxxFrameHandler3 {
  invoke void @throws()
          to label %done unwind label %dispatch

dispatch:                                         ; preds = %0
  %cs = catchswitch within none [label %handler, label %handler2] unwind label %cleanup

handler:                                          ; preds = %dispatch
  %cp = catchpad within %cs [ptr @plain, i32 64, ptr %p]
  call void @f(ptr %p) [ "funclet"(token %cp) ]
  catchret from %cp to label %done

handler2:                                         ; preds = %dispatch
  %cp2 = catchpad within %cs [ptr null, i32 0, ptr null]
  invoke void @throws() [ "funclet"(token %cp2) ]
          to label %unreached unwind label %dispatch2

unreached:                                        ; preds = %handler2
  unreachable

dispatch2:                                        ; preds = %handler2
  %inner = catchswitch within %cp2 [label %handler3] unwind label %cleanup

handler3:                                         ; preds = %handler2
  %cp3 = catchpad within %inner []
  catchret from %cp3 to label %after3

after3:                                           ; preds = %handler3
  catchret from %cp2 to label %done

cleanup:                                          ; preds = %dispatch, %handler2
  %clean = cleanuppad within none []
  cleanupret from %clean unwind to caller

done:                                             ; preds = %after3, %handler, %0
  ret void
}

define i32 @named_like_types(ptr %T, i32 %v, ptr %self, ptr %f) personality ptr @__gxx_personality_v0 {
  %1 = load atomic i32, ptr %T seq_cst, align 4
  store atomic i32 %v, ptr %T syncscope("agent") release, align 4
  %2 = cmpxchg ptr %T, i32 %1, i32 %v acq_rel monotonic, align 4
  %3 = atomicrmw add ptr %T, i32 %v seq_cst, align 4
  %4 = load %v, ptr %T, align 16
  %5 = load volatile %T, ptr %T, align 8
  %6 = va_arg ptr %self, %T
  %7 = call i32 (%T, %v, ...) %f(%T %6, %v %4, i32 %v)
  %8 = call %T (%v, %T) %f(%v %4, %T zeroinitializer)
  %9 = zext i32 %v to i64
  %10 = alloca %self, align 8
  %11 = getelementptr [3 x %T], ptr %T, i32 %v, i32 %v
  %12 = select i1 true, %T %5, %T %6
  %13 = freeze %T %12
  %14 = insertvalue { %v, %T } poison, %v %4, 0
  %15 = ptrtoint ptr %T to i64
  %16 = insertelement <2 x ptr> poison, ptr %T, i32 %v
  store ptr blockaddress(@named_like_types, %"quoted type"), ptr %self, align 8
  store ptr blockaddress(@branches, %"the third"), ptr %self, align 8
  br label %"quoted type"

"quoted type":                                    ; preds = %0
  %opaque = phi %T [ %13, %0 ]
  %17 = invoke %T %f(ptr byval(%T) %T, %T %opaque)
          to label %18 unwind label %19

18:                                               ; preds = %"quoted type"
  ret i32 %v

19:                                               ; preds = %"quoted type"
  %20 = landingpad %opaque.pair
          cleanup
  resume %opaque.pair %20
}

define void @debugged(i32 %x) !dbg !16 {
    #dbg_value(i32 %x, !19, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !20)
    #dbg_value(!DIArgList(i32 %x, i32 7, i32 %x), !19, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !20)
  %slot = alloca i32, align 4, !DIAssignID !21
    #dbg_declare(ptr %slot, !19, !DIExpression(), !20)
    #dbg_assign(i32 %x, !19, !DIExpression(), !21, ptr %slot, !DIExpression(), !20)
  store i32 %x, ptr %slot, align 4, !dbg !20, !DIAssignID !21
  br label %loop, !dbg !20

loop:                                             ; preds = %loop, %0
  %i = phi i32 [ 0, %0 ], [ %j, %loop ], !dbg !23
    #dbg_label(!22, !20)
    #dbg_value(i32 %i, !19, !DIExpression(), !20)
  %j = add i32 %i, 1, !dbg !20
  br i1 true, label %loop, label %out, !dbg !20, !llvm.loop !24

out:                                              ; preds = %loop
  ret void, !dbg !20
}

attributes #0 = { noinline nounwind "frame-pointer"="all" "odd"="a \22b\22, c" }
attributes #1 = { memory(argmem: readwrite) vscale_range(1,16) allockind("alloc,zeroed") }
attributes #2 = { nounwind }

!llvm.dbg.cu = !{!12}
!llvm.module.flags = !{!0, !1}
!odd.named.node = !{!2, !3, !5}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{}
!3 = !{i64 2, !"a \22quoted\22 !7 %x @plain"}
!4 = !{!"rsp\00"}
!5 = distinct !{!5, !6, ptr @plain, !"x"}
!6 = !{!"llvm.loop.mustprogress"}
!7 = !{i64 8}
!8 = !{!"branch_weights", i32 1, i32 2, i32 3, i32 4}
!9 = !{!"function_entry_count", i64 12}
!10 = !{!"branch_weights", !"expected", i32 2000, i32 1}
!11 = !{i32 0, i32 10}
!12 = distinct !DICompileUnit(language: DW_LANG_C11, file: !13, producer: "odd, (producer)", emissionKind: FullDebug)
!13 = !DIFile(filename: "a \22b\22.c", directory: "/src, dir", checksumkind: CSK_MD5, checksum: "00000000000000000000000000000000")
!14 = !DISubroutineType(types: !15)
!15 = !{null, !18}
!16 = distinct !DISubprogram(name: "debugged", linkageName: "_Z8debuggedi", scope: !13, file: !13, line: 1, type: !14, spFlags: DISPFlagDefinition, unit: !12, retainedNodes: !17)
!17 = !{!19, !22}
!18 = !DIBasicType(name: "int, really", size: 32, encoding: DW_ATE_signed)
!19 = !DILocalVariable(name: "x", arg: 1, scope: !16, file: !13, line: 1, type: !18)
!20 = !DILocation(line: 2, column: 3, scope: !16)
!21 = distinct !DIAssignID()
!22 = !DILabel(scope: !16, name: "here", file: !13, line: 4)
!23 = !DILocation(line: 7, column: 9, scope: !25, inlinedAt: !26)
!24 = distinct !{!24, !20, !6}
!25 = distinct !DISubprogram(name: "inlined", scope: !13, file: !13, line: 5, type: !14, spFlags: DISPFlagDefinition, unit: !12)
!26 = distinct !DILocation(line: 8, scope: !27)
!27 = distinct !DILexicalBlock(scope: !16, file: !13, line: 8)
