/* cfi_priv.h - shared by cfi.c (which FDE covers a vaddr, what was compiled) and cfi_rows.c (an
 * FDE's instructions to rows). */
#ifndef PT_UNWIND_CFI_PRIV_H
#define PT_UNWIND_CFI_PRIV_H

#include "base/bytes.h"
#include "base/map.h"
#include "unwind/cfi.h"

struct frame_section {			/* .eh_frame or .debug_frame */
	const uint8_t *data;
	uint64_t len_bytes, vaddr;
	/* .debug_frame: CIE pointers count from the section's start, no pcrel */
	bool debug;
};

struct cie {
	uint64_t off;			/* of its length field in the section; the key */
	uint64_t code_align;
	int64_t data_align;
	uint32_t ra_reg;
	uint8_t fde_encoding, address_bytes;
	bool has_z, signal, b_key;
	bool bad;			/* cannot be read: its FDEs neither */
	const uint8_t *code;		/* initial instructions */
	uint64_t code_bytes;
};

struct fde {
	const struct cie *cie;
	uint64_t start, end;
	const uint8_t *code;
	uint64_t code_bytes;
	uint64_t code_vaddr;		/* where the instructions stand, for pcrel set_loc */
};

/* from start + delta on: unique row number */
struct row_at { uint32_t delta; uint32_t row; };

struct compiled {			/* an FDE's rows, ascending */
	uint64_t start, end;
	uint32_t nr;
	struct row_at at[];
};

struct index_entry { uint64_t start, end, off; bool debug; };

struct pt_cfi {
	struct pt_object *object;	/* not a reference: it owns us */
	struct frame_section eh, debug;
	/* .debug_frame while it is compressed (Go's linker leaves it so); data NULL: none */
	struct pt_section packed;
	uint8_t *unpacked;		/* what debug.data is then */
	/* of .eh_frame_hdr: pairs of s32, counted from hdr_vaddr; NULL: not usable */
	const uint8_t *table;
	uint64_t nr_table, hdr_vaddr;
	struct index_entry *index;	/* of scanned sections, by start */
	size_t nr_index;
	bool scanned_eh, scanned_debug;
	struct pt_map cies[2];		/* by offset, for .eh_frame and .debug_frame: struct cie */
	/* long ones: offset * 2 + debug: struct compiled, 0 when it is bad */
	struct pt_map fdes;
	const struct cie *last_cie[2];	/* asked for last */
	struct pt_row **rows;		/* unique */
	size_t nr_rows, cap_rows;
	struct pt_map row_hash;		/* hash: first of `next` chain + 1 */
	uint32_t *row_next;
	struct pt_expr *exprs;
	size_t nr_exprs, cap_exprs;
	struct cfi_state *remembered;	/* room for remember_state */
	size_t cap_remembered;
	struct pt_cfi_counts counts;
};

/* A pointer in one of the DW_EH_PE encodings at `b`, whose next byte stands at `vaddr`. False: cut
 * short, or an encoding that there is not. */
bool pt_cfi_pointer(const struct pt_object *o, struct pt_bytes *b, uint8_t encoding, uint64_t vaddr,
		    uint64_t data_vaddr, uint64_t func_vaddr, uint64_t *v);
/* Runs the instructions of a CIE and its FDE, into all its rows. NULL: they cannot be run. */
struct compiled *pt_cfi_compile(struct pt_cfi *c, const struct fde *f);
/* Runs them up to a vaddr that the FDE covers. NULL: what leads there cannot be run. */
const struct pt_row *pt_cfi_run(struct pt_cfi *c, const struct fde *f, uint64_t vaddr);

#endif
