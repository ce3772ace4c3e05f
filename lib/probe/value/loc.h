/* loc.h - where a variable is at a place: DWARF's location, worked out with registers as unknowns,
 * into what a chain of reads can reach.
 *
 * A chain is a register, an address of the object, or nothing, plus a constant, then any number of
 * "read the word there, add a constant". Everything else (two registers added, a product, a branch)
 * is a value that no probe can fetch; what is known of it is kept as a reason, in words for the
 * user.
 *
 *     struct pt_loc l;
 *     if (pt_loc_of(&l, &scope, &attr, &e) < 0) ... e says why there is none
 *     l.v[0].kind ...
 *     pt_loc_deinit(&l);
 *
 * Pieces are all in one list, in order; a location without pieces has one, of size 0 (the whole).
 * Nothing is trusted: operations are counted, stacks are bounded. Sources: DWARF 5 sections 2.5,
 * 2.6, 3.3.1, 6.4; numbers of registers: each CPU's psABI; their names: the kernel's
 * regs_query_register_offset(). */
#ifndef PT_PROBE_VALUE_LOC_H
#define PT_PROBE_VALUE_LOC_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/object.h"
#include "probe/target/target.h"

enum pt_loc_base { PT_BASE_NONE, PT_BASE_REG, PT_BASE_OBJECT, PT_BASE_RETVAL };

enum { PT_CHAIN_MAX = 8, PT_LOC_PIECES = 32 };

struct pt_chain {
	enum pt_loc_base base;
	uint8_t reg;			/* DWARF's number */
	uint8_t nr_reads;
	/* so many low bits are those of the chain; 64 (or the CPU's word): all */
	uint8_t bits;
	bool sign_extended;		/* with bits: what is above them; else zeros */
	uint16_t user_reads;		/* bit n: read n is of a kernel's user space */
	/* off[0] is added to the base, off[n] to what read n gave; of PT_BASE_OBJECT off[0] is a
	 * vaddr */
	int64_t off[PT_CHAIN_MAX + 1];
};

enum pt_loc_kind {
	PT_LOC_NOWHERE,			/* optimised out */
	PT_LOC_MEMORY,			/* at the address that the chain is */
	PT_LOC_REGISTER,		/* in chain.reg */
	PT_LOC_VALUE,			/* it is the chain itself */
	PT_LOC_BYTES,			/* a constant, as it would stand in memory */
	/* a pointer to something that has no address: `target` (where that is) plus target_off */
	PT_LOC_POINTER,
	PT_LOC_COMPUTED,		/* `why`: it cannot be fetched */
};

struct pt_loc_piece {
	enum pt_loc_kind kind;
	struct pt_chain chain;
	const uint8_t *bytes;		/* libdw's */
	uint64_t nr_bytes;
	Dwarf_Die target;
	int64_t target_off;
	char *why;
	uint64_t size_bytes;		/* 0: the whole variable */
	/* memory below the frame's CFA: a parameter that the function itself stores there */
	bool on_frame;
};

struct pt_loc {
	struct pt_loc_piece v[PT_LOC_PIECES];
	unsigned nr;
};

/* The place and the machine. `scopes`: entries that hold the place, from the function out of line
 * inwards (lexical blocks, inlined functions); none: only what the unit has. */
struct pt_var_scope {
	Dwarf_Die cu;
	/* with all units, for what others define; NULL: that of cu */
	Dwarf *dw;
	struct pt_target *target;	/* that opens split units; NULL: none are */
	/* else there is no debug information: `func`, registers and raw syntax only */
	bool has_cu;
	const struct pt_btf_func *func;	/* parameters and result by BTF; NULL: none */
	const char *why_no_types;	/* why there is neither; NULL: no debug information */
	const Dwarf_Die *scopes;
	unsigned nr_scopes;
	uint64_t vaddr;
	uint64_t file_off;		/* of the probe, for uprobes */
	uint64_t body_vaddr;		/* first behind the function's prologue; 0: not known */
	bool entry;			/* at the first instruction of the function out of line */
	bool ret;			/* a return probe: the return value only */
	bool kernel;			/* a kprobe: addresses by symbols */
	/* of a module, whose sections the debug information does not place */
	bool module;
	uint16_t machine;		/* EM_* */
	uint8_t word_bytes;		/* of the program */
	uint8_t kernel_word_bytes;	/* 0: 8 */
	bool big_endian;
	struct pt_object *object;	/* for call frame information; NULL: none */
	struct pt_object *debug;	/* also looked at for it; NULL: none */
};

/* The name of a register in the kernel's syntax, without %; NULL: it has none there (floating
 * point, vectors). */
const char *pt_loc_reg(uint16_t machine, unsigned dwarf_nr);
/* Any name of one, as the kernel or as assemblers have it ("di", "rdi", "edi"; case is ignored).
 * *bytes: how many of its low bytes are meant, 0: all. */
const char *pt_loc_reg_named(uint16_t machine, const char *name, unsigned *bytes);
/* Where the calling convention has the n-th (from 1) argument of integer or pointer type at a
 * function's entry; false: not known. */
bool pt_loc_argument(const struct pt_var_scope *s, unsigned n, struct pt_loc_piece *p);
/* "%di", or what it is called by people when the kernel has no name for it: "%xmm0", "register
 * 70" */
void pt_loc_reg_text(uint16_t machine, unsigned dwarf_nr, char *text, size_t text_bytes);

/* Of a variable's DW_AT_location (or an expression's attribute). -1: it is nowhere, and e says
 * why */
int pt_loc_of(struct pt_loc *l, const struct pt_var_scope *s, Dwarf_Attribute *attr,
	      struct pt_err *e);
void pt_loc_deinit(struct pt_loc *l);

/* Units of `dw` one after another (*at: NULL at first): of split ones their own root and the
 * skeleton's, else the same twice. */
bool pt_loc_next_unit(const struct pt_var_scope *s, Dwarf *dw, Dwarf_CU **at, Dwarf_Die *skeleton,
		      Dwarf_Die *cu);

/* Another read: what stands at the chain's address. False: it is too long. */
bool pt_chain_read(struct pt_chain *c);

#endif
