/* Direct calls of allocators that VEX has followed: it goes on at the target of a jump or call, in the same block. In the
 * middle of a block it is not known what the arguments are, so such a block is translated anew, and nothing followed.
 * Nor is anything outside of a window: what most code there costs is its translation, and following it makes more.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "allocators.h"

#include "libvex_guest_amd64.h"

#include <stddef.h>

/* What VEX puts into a block: whether it goes on at the target of a jump or call. */
extern VexControl vex_control;

/* The function of malloc's kind that begins somewhere in a block, because a direct call of it was followed there. */
static enum allocator followed_allocator(const IRSB *in) {
    Addr next = 0;
    for (Int i = 0; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag != Ist_IMark) continue;
        Addr ip = in->stmts[i]->Ist.IMark.addr;
        enum allocator kind = next && ip != next ? allocator_at(ip) : NO_ALLOCATOR;
        if (kind) return kind;
        next = ip + in->stmts[i]->Ist.IMark.len;
    }
    return NO_ALLOCATOR;
}

/* A block that has itself translated anew. */
static IRSB *anew(const IRSB *in, Addr start) {
    IRSB *out = deepCopyIRSBExceptStmts(in);
    addStmtToIRSB(out, IRStmt_IMark(start, 1, 0));
    addStmtToIRSB(out, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), IRExpr_Const(IRConst_U64(start))));
    addStmtToIRSB(out, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), IRExpr_Const(IRConst_U64(1))));
    out->next = IRExpr_Const(IRConst_U64(start));
    out->jumpkind = Ijk_InvalICache;
    return out;
}

IRSB *followed_call_anew(const IRSB *in, Addr start) {
    Bool again = options.objects && vex_control.guest_chase && followed_allocator(in);
    vex_control.guest_chase = window_open && !again; /* in the next block */
    return again ? anew(in, start) : NULL;
}
