/* loc.h - where a variable is at a place: evaluates its DWARF location with registers as unknowns
 * into a chain of reads, as the kernel can fetch it.
 *
 * A chain begins with a register, an address of the object, or nothing, plus a constant. Any
 * number of steps "read the word there, add a constant" follow. Anything else (the sum of two
 * registers, a product, a branch) cannot be fetched by a probe; its piece has the reason in words
 * for the user.
 *
 * Pieces are in order; a location without pieces has one of size 0 (the whole variable). The debug
 * information is not trusted: operations are counted, stacks are bounded. Sources: DWARF 5
 * sections 2.5, 2.6, 3.3.1, 6.4; each CPU's psABI for numbers of registers, the kernel's
 * regs_query_register_offset() for their names. */
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
	uint8_t reg;			/* DWARF number */
	uint8_t nr_reads;
	/* only so many low bits are valid; 64 (or the CPU's word): all */
	uint8_t bits;
	bool sign_extended; /* the bits above are copies of the sign, else zeros */
	uint16_t user_reads;		/* bit n: read n is from user space */
	/* off[0] is added to the base, off[n] to the result of read n; for PT_BASE_OBJECT off[0] is
	 * a vaddr */
	int64_t off[PT_CHAIN_MAX + 1];
};

enum pt_loc_kind {
	PT_LOC_NOWHERE,			/* optimised out */
	PT_LOC_MEMORY,			/* at the address that the chain gives */
	PT_LOC_REGISTER,		/* in chain.reg */
	PT_LOC_VALUE,			/* the chain's result */
	PT_LOC_BYTES,			/* a constant, as in memory */
	/* a pointer to something without an address: offset target_off in the variable `target` */
	PT_LOC_POINTER,
	PT_LOC_COMPUTED,		/* cannot be fetched: `why` */
};

struct pt_loc_piece {
	enum pt_loc_kind kind;
	struct pt_chain chain;
	const uint8_t *bytes;		/* of PT_LOC_BYTES; owned by libdw */
	uint64_t nr_bytes;
	Dwarf_Die target;
	int64_t target_off;
	char *why;
	uint64_t size_bytes;		/* 0: the whole variable */
	/* memory below the frame's CFA, where the function itself stores a parameter */
	bool on_frame;
};

struct pt_loc {
	struct pt_loc_piece v[PT_LOC_PIECES];
	unsigned nr;
};

/* The place and the machine. `scopes`: the entries that contain the place, from the outermost
 * function inwards; none: only the unit's variables are known. */
struct pt_var_scope {
	Dwarf_Die cu;
	/* all units; NULL: that of cu */
	Dwarf *dw;
	struct pt_target *target;	/* for split units; NULL: they are not used */
	/* false: no debug information */
	bool has_cu;
	const struct pt_btf_func *func;	/* parameters and result by BTF; NULL: none */
	const char *why_no_types;	/* NULL: there is no debug information */
	const Dwarf_Die *scopes;
	unsigned nr_scopes;
	uint64_t vaddr;
	uint64_t file_off;		/* of the probe; for uprobes */
	uint64_t body_vaddr;		/* first address after the prologue; 0: unknown */
	bool entry;			/* at the first instruction of an out-of-line function */
	bool ret;			/* a return probe: only the return value is there */
	bool kernel;			/* a kprobe: addresses by symbols */
	/* a module: the debug information does not place its sections */
	bool module;
	uint16_t machine;		/* EM_* */
	uint8_t word_bytes;		/* of the program */
	bool big_endian;
	struct pt_object *object;	/* has call frame information; NULL: none */
	struct pt_object *debug;	/* may have it, too */
};

/* EM_* of the kernel that runs; EM_NONE: nothing is known of this CPU. */
uint16_t pt_loc_machine_here(void);
/* A register's name in the kernel's syntax, without %; NULL: the kernel does not fetch it (floating
 * point, vectors). */
const char *pt_loc_reg(uint16_t machine, unsigned dwarf_nr);
/* A register by any name that the kernel or assemblers use ("di", "rdi", "edi"; case is ignored).
 * *bytes: how many low bytes the name means, 0: all. */
const char *pt_loc_reg_named(uint16_t machine, const char *name, unsigned *bytes);
/* The place of the n-th (from 1) integer or pointer argument at a function's entry by the calling
 * convention; false: unknown. */
bool pt_loc_argument(const struct pt_var_scope *s, unsigned n, struct pt_loc_piece *p);
/* "%di"; its usual name if the kernel has none: "%xmm0", "register 70" */
void pt_loc_reg_text(uint16_t machine, unsigned dwarf_nr, char *text, size_t text_bytes);

/* The location of an attribute (DW_AT_location). -1: none; e says why. */
int pt_loc_of(struct pt_loc *l, const struct pt_var_scope *s, Dwarf_Attribute *attr,
	      struct pt_err *e);
void pt_loc_deinit(struct pt_loc *l);

/* The entry address. Code in several parts is entered in the first one. False: unknown. */
bool pt_loc_entry_of(Dwarf_Die *func, Dwarf_Addr *entry);

/* Iterates over all units; zeroed at first. For split units `cu` is their own root, else it is the
 * skeleton. */
struct pt_loc_units { Dwarf_CU *at; Dwarf_Die skeleton, cu; };
bool pt_loc_next_unit(const struct pt_var_scope *s, struct pt_loc_units *u);

/* Adds a read of the word at the chain's address. False: the chain is too long. */
bool pt_chain_read(struct pt_chain *c);

#endif
