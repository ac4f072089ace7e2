/* Superblocks as they are translated: what each accesses is written down once, and code is put in that leaves the
 * addresses where helpers find them.
 *
 * One call of a helper for each execution of a superblock, not for each access: at a side exit the call is made only if
 * the exit is taken.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

#include "allocators.h"
#include "block_trace.h"
#include "environment.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

#include <stddef.h>

enum { MOST_FETCHES = 1024, MOST_WAYS = 512, MOST_CALLS = 2048, MOST_OWN = 16 };

Addr addresses[MOST_SLOTS];
uint64_t values[MOST_SLOTS];
uint64_t befores[MOST_SLOTS], afters[MOST_SLOTS];
struct block *blocks;

static struct { Addr start, end; } own_code[MOST_OWN];
static UInt own_count;

void own_code_add(Addr start, Addr end) {
    if (own_count < MOST_OWN) own_code[own_count].start = start, own_code[own_count++].end = end;
}

static Bool is_own(Addr ip) {
    for (UInt i = 0; i < own_count; i++)
        if (ip >= own_code[i].start && ip < own_code[i].end) return True;
    return False;
}

/* The block that is being translated. */
static struct {
    IRSB *out;
    struct block *block;
    struct slot slots[MOST_SLOTS];
    struct fetch fetches[MOST_FETCHES];
    struct stretch stretches[MOST_FETCHES];
    struct way_out ways[MOST_WAYS];
    struct chunk *chunks[MOST_CALLS];
    IRDirty *calls[MOST_CALLS]; /* for each chunk; what to call is known when the block is complete */
    UInt chunk_of_way[MOST_WAYS];
    UInt chunk_count, told_slots, told_fetches; /* slots and fetches that are in chunks already */
    UInt told_loads, told_stores;
    UInt slot_count, fetch_count, stretch_count, way_count;
    UInt instructions, loads, stores;
    Addr ip;
    UInt place;
    Bool own;
    Bool crossing; /* the fetch that waits is from two lines */
    Addr line; /* the last one that instructions were read from */
    struct store { IRExpr *address, *guard; UInt slot, size; } stores_at; /* the statement; address NULL: it does not */
    IRExpr *last_address; /* of the last slot, as long as its instruction goes on; else NULL */
} now;

static void add(IRStmt *statement) { addStmtToIRSB(now.out, statement); }

static void store_constant_address(void *where, IRExpr *value) {
    add(IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)where), value));
}

static IRExpr *temporary(IRType type, IRExpr *value) {
    IRTemp t = newIRTemp(now.out->tyenv, type);
    add(IRStmt_WrTmp(t, value));
    return IRExpr_RdTmp(t);
}

/* counter += amount, an expression of 64 bits. */
static void bump(uint64_t *counter, IRExpr *amount) {
    IRExpr *address = mkIRExpr_HWord((HWord)counter);
    IRExpr *before = temporary(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address));
    add(IRStmt_Store(Iend_LE, address, temporary(Ity_I64, IRExpr_Binop(Iop_Add64, before, amount))));
}

static VG_REGPARM(1) void count_way(uint64_t *runs) { ++*runs; }

static void *room_for(SizeT bytes) {
    static HChar *room, *room_end;
    enum { LINE = 64 }; /* what is used all the time shares no line with others */
    bytes = (bytes + LINE - 1) & ~(SizeT)(LINE - 1);
    if (bytes > (SizeT)(room_end - room)) room = need_pages(4 << 20), room_end = room + (4 << 20);
    room += bytes;
    return room - bytes;
}

/* A call for what was not told of yet. `guard`: only on a condition, so that it has to be told of again; NULL: surely.
 * `leaves`: the block is left behind it, by the way that is made next. */
static void tell(IRExpr *guard, Bool leaves) {
    tl_assert(now.chunk_count < MOST_CALLS);
    UInt fetches = now.fetch_count - now.told_fetches;
    if (fetches && now.crossing) fetches = CROSSING;
    struct chunk *chunk = room_for(chunk_bytes(now.slot_count - now.told_slots, fetches));
    *chunk = (struct chunk){.block = now.block,
                            .slot = now.told_slots,
                            .fetch = now.told_fetches,
                            .fetches = options.mode == SN_FULL ? fetches : 0,
                            .way = leaves ? now.way_count + 1 : 0,
                            .loads = now.loads - now.told_loads,
                            .stores = now.stores - now.told_stores,
                            .instructions = leaves ? now.instructions : 0};
    IRDirty *call = unsafeIRDirty_0_N(1, "chunk", VG_(fnptr_to_fnentry)((void *)count_way),
                                      mkIRExprVec_1(mkIRExpr_HWord((HWord)chunk)));
    if (guard) call->guard = guard;
    add(IRStmt_Dirty(call));
    if (leaves) now.chunk_of_way[now.way_count] = now.chunk_count;
    now.chunks[now.chunk_count] = chunk;
    now.calls[now.chunk_count++] = call;
    if (guard) return;
    now.told_slots = now.slot_count, now.told_fetches = now.fetch_count;
    now.told_loads = now.loads, now.told_stores = now.stores;
}

static void begin_instruction(Addr ip, UInt length) {
    now.ip = ip;
    now.last_address = NULL;
    now.own = is_own(ip);
    if (now.own) return;
    now.place = native_place(ip);
    now.instructions++;
    if (now.stretch_count && now.stretches[now.stretch_count - 1].place == now.place)
        now.stretches[now.stretch_count - 1].instructions++;
    else if (now.stretch_count < MOST_FETCHES)
        now.stretches[now.stretch_count++] = (struct stretch){now.place, 1};
    /* Instructions in the line that was read last cannot miss: nothing else is read in between. */
    UInt line = 1u << cache->instruction.line_bits;
    Addr last = (ip + (length ? length : 1) - 1) & ~(Addr)(line - 1);
    if ((ip & ~(Addr)(line - 1)) != now.line || last != now.line) {
        Bool crosses = (ip & ~(Addr)(line - 1)) != last;
        UInt waiting = now.fetch_count - now.told_fetches;
        if (options.mode == SN_FULL && (waiting == CHUNK_FETCHES || (waiting && (crosses || now.crossing))))
            tell(NULL, False);
        now.crossing = crosses;
        tl_assert(now.fetch_count < MOST_FETCHES);
        now.fetches[now.fetch_count++] = (struct fetch){ip, now.place, length ? length : 1};
        now.line = last;
    }
}

static Bool same_atom(const IRExpr *a, const IRExpr *b) { return a && eqIRAtom(a, b); }

/* Leave what lies at an address, its first 8 bytes, where helpers find it. The access itself comes right before or
 * right behind: what cannot be read cannot be accessed. */
static void note_value(uint64_t *where, IRExpr *address, UInt size, IRExpr *guard) {
    const UInt bits = size >= 8 ? 3 : size >= 4 ? 2 : size >= 2 ? 1 : 0;
    static const IRType widths[] = {Ity_I8, Ity_I16, Ity_I32, Ity_I64};
    static const IROp widen[] = {Iop_8Uto64, Iop_16Uto64, Iop_32Uto64};
    static const IRLoadGOp guarded[] = {ILGop_8Uto32, ILGop_16Uto32, ILGop_Ident32, ILGop_Ident64};
    IRExpr *value;
    if (guard) {
        IRTemp loaded = newIRTemp(now.out->tyenv, bits == 3 ? Ity_I64 : Ity_I32);
        IRExpr *none = IRExpr_Const(bits == 3 ? IRConst_U64(0) : IRConst_U32(0));
        add(IRStmt_LoadG(Iend_LE, guarded[bits], loaded, address, none, guard));
        value = IRExpr_RdTmp(loaded);
        if (bits < 3) value = temporary(Ity_I64, IRExpr_Unop(Iop_32Uto64, value));
    } else {
        value = temporary(widths[bits], IRExpr_Load(Iend_LE, widths[bits], address));
        if (bits < 3) value = temporary(Ity_I64, IRExpr_Unop(widen[bits], value));
    }
    store_constant_address(where, value);
}

static void note_stored(void) {
    if (now.stores_at.address)
        note_value(&afters[now.stores_at.slot], now.stores_at.address, now.stores_at.size, now.stores_at.guard);
    now.stores_at.address = NULL;
}

/* An access of the current instruction. `guard`: a condition on which it takes place, or NULL. `value`: what is stored,
 * if that is an atom of 64 bits and may say something of an object. */
static void access(IRExpr *address, UInt size, enum slot_kind kind, IRExpr *guard, IRExpr *value) {
    if (now.own) return;
    UInt smallest = 1u << cache->level[0].line_bits;
    if (size > smallest) size = smallest; /* state saved as a whole, for one: counted as one access of a line */
    struct slot *last = now.slot_count ? &now.slots[now.slot_count - 1] : NULL;
    if (kind == SLOT_STORE && last && last->kind == SLOT_LOAD && !last->guarded && !guard && last->size == size &&
        same_atom(now.last_address, address)) {
        last->kind = SLOT_MODIFY;
        if (sn_advice.uses_value)
            now.stores_at = (struct store){.address = address, .slot = now.slot_count - 1, .size = size};
        if (value) store_constant_address(&values[now.slot_count - 1], value);
        return;
    }
    if (options.mode == SN_FULL && now.slot_count - now.told_slots == CHUNK_SLOTS) tell(NULL, False);
    tl_assert(now.slot_count < MOST_SLOTS);
    now.slots[now.slot_count] =
        (struct slot){.ip = now.ip, .place = now.place, .size = size, .kind = kind, .guarded = guard != NULL};
    if (guard && options.mode == SN_COUNT) {
        /* not_taken is made when the block is complete: its place in memory is chosen now */
        if (!now.block->not_taken) now.block->not_taken = need_pages(MOST_SLOTS * sizeof(uint64_t));
        IRExpr *not = temporary(Ity_I1, IRExpr_Unop(Iop_Not1, guard));
        bump(&now.block->not_taken[now.slot_count], temporary(Ity_I64, IRExpr_Unop(Iop_1Uto64, not)));
    }
    if (options.mode == SN_FULL) {
        if (guard) address = temporary(Ity_I64, IRExpr_ITE(guard, address, IRExpr_Const(IRConst_U64(0))));
        store_constant_address(&addresses[now.slot_count], address);
        if (value) store_constant_address(&values[now.slot_count], value);
        if (sn_advice.uses_value) {
            note_value(&befores[now.slot_count], address, size, guard);
            if (kind == SLOT_STORE)
                now.stores_at = (struct store){.address = address, .guard = guard, .slot = now.slot_count, .size = size};
        }
    }
    now.slot_count++;
    now.last_address = guard ? NULL : address;
    if (kind == SLOT_STORE)
        now.stores++;
    else
        now.loads++;
}

/* The block may be left here, if `guard` (NULL: surely). */
static void way_out(IRExpr *guard) {
    tl_assert(now.way_count < MOST_WAYS);
    now.ways[now.way_count] = (struct way_out){
        .slots = now.slot_count,
        .fetches = now.fetch_count,
        .stretches = now.stretch_count,
        .last_instructions = now.stretch_count ? now.stretches[now.stretch_count - 1].instructions : 0,
        .instructions = now.instructions,
        .loads = now.loads,
        .stores = now.stores,
    };
    /* Counting only: what is entered and not left at the side is left at the end. */
    if (guard || options.mode == SN_FULL) tell(guard, True);
    now.way_count++;
}

static UInt size_of(IRType type) { return sizeofIRType(type); }

/* What is stored, if it may say something of an object: eight bytes, or a count of references. */
static IRExpr *telling(IRExpr *data) {
    IRType type = typeOfIRExpr(now.out->tyenv, data);
    if (type == Ity_I32 && options.mode == SN_FULL && python_has_short_counts())
        return temporary(Ity_I64, IRExpr_Unop(Iop_32Uto64, data));
    return type == Ity_I64 ? data : NULL;
}

static void statement(IRStmt *s) {
    switch (s->tag) {
    case Ist_IMark:
        begin_instruction(s->Ist.IMark.addr + s->Ist.IMark.delta, s->Ist.IMark.len);
        add(s);
        return;
    case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load) {
            const IRExpr *load = s->Ist.WrTmp.data;
            access(load->Iex.Load.addr, size_of(load->Iex.Load.ty), SLOT_LOAD, NULL, NULL);
        }
        add(s);
        return;
    case Ist_Store: {
        IRExpr *data = s->Ist.Store.data;
        access(s->Ist.Store.addr, size_of(typeOfIRExpr(now.out->tyenv, data)), SLOT_STORE, NULL, telling(data));
        add(s);
        return;
    }
    case Ist_StoreG: {
        const IRStoreG *store = s->Ist.StoreG.details;
        access(store->addr, size_of(typeOfIRExpr(now.out->tyenv, store->data)), SLOT_STORE, store->guard,
               telling(store->data));
        add(s);
        return;
    }
    case Ist_LoadG: {
        const IRLoadG *load = s->Ist.LoadG.details;
        IRType result, loaded;
        typeOfIRLoadGOp(load->cvt, &result, &loaded);
        access(load->addr, size_of(loaded), SLOT_LOAD, load->guard, NULL);
        add(s);
        return;
    }
    case Ist_CAS: {
        const IRCAS *swap = s->Ist.CAS.details;
        UInt size = size_of(typeOfIRExpr(now.out->tyenv, swap->dataLo)) * (swap->dataHi ? 2 : 1);
        access(swap->addr, size, SLOT_LOAD, NULL, NULL);
        access(swap->addr, size, SLOT_STORE, NULL, NULL);
        add(s);
        return;
    }
    case Ist_LLSC: {
        IRType type = s->Ist.LLSC.storedata ? typeOfIRExpr(now.out->tyenv, s->Ist.LLSC.storedata)
                                            : typeOfIRTemp(now.out->tyenv, s->Ist.LLSC.result);
        access(s->Ist.LLSC.addr, size_of(type), s->Ist.LLSC.storedata ? SLOT_STORE : SLOT_LOAD, NULL, NULL);
        add(s);
        return;
    }
    case Ist_Dirty: {
        const IRDirty *call = s->Ist.Dirty.details;
        if (call->mFx == Ifx_Read || call->mFx == Ifx_Modify)
            access(call->mAddr, call->mSize, SLOT_LOAD, NULL, NULL);
        if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
            access(call->mAddr, call->mSize, SLOT_STORE, NULL, NULL);
        add(s);
        return;
    }
    case Ist_Exit:
        if (options.branches && s->Ist.Exit.jk == Ijk_Boring && !now.own) {
            IRExpr *taken = temporary(Ity_I64, IRExpr_Unop(Iop_1Uto64, s->Ist.Exit.guard));
            add(IRStmt_Dirty(unsafeIRDirty_0_N(2, "branch_runs", VG_(fnptr_to_fnentry)((void *)branch_runs),
                                               mkIRExprVec_2(mkIRExpr_HWord(now.ip), taken))));
        }
        way_out(s->Ist.Exit.guard);
        add(s);
        return;
    default:
        add(s);
    }
}

/* Now it is known how much of everything the block has. */
static void settle(void) {
    struct block *block = now.block;
    block->ways = room_for(now.way_count * sizeof *block->ways);
    block->slots = room_for(now.slot_count * sizeof *block->slots);
    block->fetches = room_for(now.fetch_count * sizeof *block->fetches);
    block->stretches = room_for(now.stretch_count * sizeof *block->stretches);
    for (UInt i = 0; i < now.slot_count; i++) {
        block->slots[i] = now.slots[i];
        if (now.slots[i].guarded && !block->not_taken) block->not_taken = need_pages(MOST_SLOTS * sizeof(uint64_t));
    }
    for (UInt i = 0; i < now.fetch_count; i++) block->fetches[i] = now.fetches[i];
    for (UInt i = 0; i < now.stretch_count; i++) block->stretches[i] = now.stretches[i];
    block->way_count = now.way_count;
    for (UInt i = 0; i < now.way_count; i++) {
        block->ways[i] = now.ways[i];
        block->ways[i].block = block;
        block->ways[i].runs = options.mode == SN_FULL ? &now.chunks[now.chunk_of_way[i]]->runs : &block->ways[i].counted;
    }
    for (UInt i = 0; i < now.chunk_count; i++) {
        if (options.mode == SN_COUNT) {
            now.calls[i]->args[0] = mkIRExpr_HWord((HWord)&block->ways[now.chunks[i]->way - 1].counted);
        } else {
            now.calls[i]->cee->addr = VG_(fnptr_to_fnentry)(chunk_helper(now.chunks[i]));
        }
    }
    block_trace_define(block);
    block->next = blocks;
    blocks = block;
}

static struct block *new_block(void) {
    static struct block *room, *room_end;
    if (room == room_end) room = need_pages(1 << 20), room_end = room + (1 << 20) / sizeof *room;
    return room++;
}

/* ---- calls of allocators ---- */

static IRExpr *guest_register(Int offset) { return temporary(Ity_I64, IRExpr_Get(offset, Ity_I64)); }

#define REGISTER(name) guest_register(offsetof(VexGuestAMD64State, guest_##name))

/* At the beginning of a block, where all registers of the program are in their places. */
static void call_of_allocator(enum allocator kind) {
    IRExpr **arguments = mkIRExprVec_5(mkIRExpr_HWord(kind), REGISTER(RSP), REGISTER(RDI), REGISTER(RSI), REGISTER(RDX));
    add(IRStmt_Dirty(unsafeIRDirty_0_N(0, "allocator_called", VG_(fnptr_to_fnentry)(allocator_called), arguments)));
}

/* At the end of a block that ends with a return instruction. */
static void return_of_allocator(void) {
    IRExpr *awaited = temporary(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, mkIRExpr_HWord((HWord)&allocator_returns)));
    IRDirty *call = unsafeIRDirty_0_N(0, "allocator_returned", VG_(fnptr_to_fnentry)(allocator_returned),
                                      mkIRExprVec_1(REGISTER(RAX)));
    call->guard = temporary(Ity_I1, IRExpr_Binop(Iop_CmpEQ64, awaited, REGISTER(RSP)));
    add(IRStmt_Dirty(call));
}

/* A block outside of a window: as it is, but for calls of allocators. */
static IRSB *only_allocators(IRSB *in, enum allocator kind) {
    if (!kind && in->jumpkind != Ijk_Ret) return in;
    now.out = deepCopyIRSBExceptStmts(in);
    Int i = 0;
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark) add(in->stmts[i++]);
    if (kind) call_of_allocator(kind);
    while (i < in->stmts_used) add(in->stmts[i++]);
    if (in->jumpkind == Ijk_Ret) return_of_allocator();
    return now.out;
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                 const VexArchInfo *arch, IRType guest_word, IRType host_word) {
    (void)layout, (void)extents, (void)arch, (void)guest_word, (void)host_word;
    enum allocator kind = NO_ALLOCATOR;
    environment_clean(closure->readdr);
    IRSB *anew = followed_call_anew(in, closure->readdr);
    if (anew) return anew;
    if (options.objects) {
        kind = allocator_at(closure->readdr);
        if (!window_open) return only_allocators(in, kind);
    }
    if (!window_open) return in;
    Int i = 0;
    now.out = deepCopyIRSBExceptStmts(in);
    now.block = new_block();
    now.slot_count = now.fetch_count = now.stretch_count = now.way_count = 0;
    now.chunk_count = now.told_slots = now.told_fetches = now.told_loads = now.told_stores = 0;
    now.instructions = now.loads = now.stores = 0;
    now.line = ~(Addr)0;
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark) add(in->stmts[i++]);
    if (kind) call_of_allocator(kind);
    /* Counting only: one counter at the entry, of the way out at the end. Which one that is, is known in the end. */
    Int entry = now.out->stmts_used;
    if (options.mode == SN_COUNT) {
        bump((uint64_t *)0, IRExpr_Const(IRConst_U64(1)));
    }
    for (; i < in->stmts_used; i++)
        if (in->stmts[i] && in->stmts[i]->tag != Ist_NoOp) {
            statement(in->stmts[i]);
            note_stored();
        }
    way_out(NULL);
    if (options.objects && in->jumpkind == Ijk_Ret) return_of_allocator();
    settle();
    if (options.mode == SN_COUNT) {
        IRExpr *counter = mkIRExpr_HWord((HWord)&now.block->ways[now.way_count - 1].counted);
        now.out->stmts[entry]->Ist.WrTmp.data->Iex.Load.addr = counter;
        now.out->stmts[entry + 2]->Ist.Store.addr = counter;
    }
    return now.out;
}
