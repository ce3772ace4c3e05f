/* cfi.h - call frame information as rows: how to find the frame of a pc (its CFA), and where the
 * caller's registers are.
 *
 * Sources are Go's own table (elf/gotable.h), .eh_frame (by the table of .eh_frame_hdr, or an
 * index made by one scan) and .debug_frame. The instructions of an FDE are run up to the pc. Equal
 * rows are stored once for each object. Registers have DWARF numbers. Formats: DWARF 5 section
 * 6.4; .eh_frame: Linux Standard Base Core, chapter 10.6; pointer encodings: same, 10.5. Versions
 * 1, 3 and 4 of CIEs; augmentations z, R, P, L, S, B (arm64 signed return addresses). */
#ifndef PT_UNWIND_CFI_H
#define PT_UNWIND_CFI_H

#include "elf/object.h"

/* arm64's x0-x30, sp, pc are the most */
enum { PT_CFI_REGS = 34 };

/* The caller's value of a register. */
enum pt_rule {
	/* no rule: unchanged, if the register is callee-saved */
	PT_RULE_SAME,
	PT_RULE_UNDEFINED,		/* lost. For the return address: outermost frame */
	PT_RULE_OFFSET,			/* *(CFA + off) */
	PT_RULE_VAL_OFFSET,		/* CFA + off */
	PT_RULE_REGISTER,		/* register `off` of this frame */
	/* *(expression), with the CFA pushed first. off: index of the expression */
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
	PT_CFA_DEREF,			/* *(reg + off): signal frames and realigned frames */
	PT_CFA_EXPR,			/* off: index into the table of expressions */
};

struct pt_row {
	/* low <= high: the CFA is register + offset, and all rules are PT_RULE_OFFSET from `low` to
	 * `high`. */
	int32_t low, high;
	uint64_t sets;			/* bit n: there is a rule for register n */
	/* Compared as bytes from here on, so padding must be zero. */
	uint8_t cfa_kind, cfa_reg;
	/* the caller was interrupted: its pc is no return address */
	bool signal;
	uint8_t ra_reg;			/* column of the return address */
	int32_t cfa_off;
	uint8_t ra_signed;		/* arm64: the return address is signed here */
	uint8_t nr_rules;
	uint8_t zero[2];
	/* ascending by reg; SAME for registers not listed */
	struct pt_reg_rule rules[PT_CFI_REGS];
};

struct pt_expr { const uint8_t *bytes; uint32_t len_bytes; };

/* NULL: no FDE covers it, or it is bad. The object owns the row. */
const struct pt_row *pt_cfi_row(struct pt_object *o, uint64_t vaddr);
/* The range [*start, *end) of the FDE of a vaddr. False: none. */
bool pt_cfi_range(struct pt_object *o, uint64_t vaddr, uint64_t *start, uint64_t *end);
/* The expression of a rule or CFA, by its off. */
struct pt_expr pt_cfi_expr(const struct pt_object *o, int32_t off);

#endif
