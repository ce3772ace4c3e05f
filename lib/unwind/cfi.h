/* cfi.h - call frame information as rows: at a pc, how to find the frame (CFA) and where the
 * caller's registers are.
 *
 * From .eh_frame (by the binary search table of .eh_frame_hdr where it is usable, else an index
 * made by one scan) and from .debug_frame. An FDE's instructions are run up to the pc that is asked
 * for (those of a long one once, into all its rows, which are kept): equal rows are stored once for
 * each object. Frame pointers yield the same kind of row (unwind/unwind.c), so one executor runs
 * both. Registers have DWARF's numbers of the CPU. Formats: DWARF 5 section 6.4; .eh_frame: Linux
 * Standard Base Core, chapter 10.6; pointer encodings: same, 10.5. Versions 1, 3 and 4 of CIEs;
 * augmentations z, R, P, L, S, B (arm64 signed return addresses). */
#ifndef PT_UNWIND_CFI_H
#define PT_UNWIND_CFI_H

#include "elf/object.h"

/* arm64's x0-x30, sp, pc are the most that any CPU here tracks */
enum { PT_CFI_REGS = 34 };

/* value of the caller's register, CFA + the frame's registers known */
enum pt_rule {
	/* not said: the same value, for registers that a call keeps */
	PT_RULE_SAME,
	PT_RULE_UNDEFINED,		/* lost; of the return address: the outermost frame */
	PT_RULE_OFFSET,			/* *(CFA + off) */
	PT_RULE_VAL_OFFSET,		/* CFA + off */
	PT_RULE_REGISTER,		/* register `off` of this frame */
	/* *(expression), CFA pushed first; off: place in the table of expressions */
	PT_RULE_EXPR,
	PT_RULE_VAL_EXPR,		/* expression */
};

struct pt_reg_rule {
	uint8_t reg, rule;		/* enum pt_rule */
	uint8_t zero[2];
	int32_t off;
};

enum pt_cfa_kind {
	PT_CFA_REG,			/* reg + off */
	PT_CFA_DEREF,			/* *(reg + off): of signal and realigned frames */
	PT_CFA_EXPR,			/* off: place in the table of expressions */
};

struct pt_row {
	/* Worked out from the rest. All rules are PT_RULE_OFFSET, from `low` to `high`, and the CFA
	 * is register + offset; high < low: they are of other kinds, too. */
	int32_t low, high;
	uint64_t sets;			/* bit n: there is a rule for register n */
	/* From here on compared and stored as bytes: no holes but zeros. */
	uint8_t cfa_kind, cfa_reg;
	/* the caller was interrupted: its pc is exact, not a return address */
	bool signal;
	uint8_t ra_reg;			/* the column of the return address */
	int32_t cfa_off;
	uint8_t ra_signed;		/* arm64: the return address is signed here */
	uint8_t nr_rules;
	uint8_t zero[2];
	struct pt_reg_rule rules[PT_CFI_REGS];	/* ascending by reg; those not listed: SAME */
};

struct pt_expr { const uint8_t *bytes; uint32_t len_bytes; };

/* The row at a vaddr; NULL: no FDE covers it (or it cannot be read). The object's, for its life. */
const struct pt_row *pt_cfi_row(struct pt_object *o, uint64_t vaddr);
/* The function that an FDE covers: [*start, *end). False: none. */
bool pt_cfi_range(struct pt_object *o, uint64_t vaddr, uint64_t *start, uint64_t *end);
/* Expression of a rule or CFA, by its off. */
struct pt_expr pt_cfi_expr(const struct pt_object *o, int32_t off);

struct pt_cfi_counts { uint64_t fdes_compiled, rows, unique_rows, bad; };
struct pt_cfi_counts pt_cfi_counts(const struct pt_object *o);

#endif
