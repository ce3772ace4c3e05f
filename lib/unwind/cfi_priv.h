/* cfi_priv.h - shared by cfi.c (finds FDEs, keeps their rows) and cfi_rows.c (runs instructions) */
#ifndef PT_UNWIND_CFI_PRIV_H
#define PT_UNWIND_CFI_PRIV_H

#include "base/bytes.h"
#include "base/map.h"
#include "elf/gotable.h"
#include "elf/packed.h"
#include "unwind/cfi.h"

struct frame_section {			/* .eh_frame or .debug_frame */
	const uint8_t *data;
	uint64_t len_bytes, vaddr;
	/* .debug_frame: CIE pointers are offsets in the section, not relative to themselves */
	bool debug;
};

struct cie {
	uint64_t key;			/* offset in its section * 2 + debug */
	uint64_t code_align;
	int64_t data_align;
	uint32_t ra_reg;
	uint8_t fde_encoding, address_bytes;
	bool has_z, signal;
	bool bad;			/* unreadable, and so are its FDEs */
	const uint8_t *code;		/* initial instructions */
	uint64_t code_bytes;
};

struct fde {
	const struct cie *cie;
	uint64_t start, end;
	const uint8_t *code;
	uint64_t code_bytes;
	uint64_t code_vaddr;		/* address of the instructions, for pc-relative set_loc */
};

struct index_entry { uint64_t start, end, off; bool debug; };

struct pt_cfi {
	struct pt_object *object;	/* not a reference: it owns us */
	const struct pt_gotable *go;	/* NULL: it is no Go program */
	struct frame_section eh, debug;
	/* still compressed .debug_frame (Go's linker); data NULL: none */
	struct pt_packed packed;
	uint8_t *unpacked;		/* backs debug.data then */
	/* .eh_frame_hdr's table: pairs of s32, relative to hdr_vaddr; NULL: not usable */
	const uint8_t *table;
	uint64_t nr_table, hdr_vaddr;
	struct index_entry *index;	/* FDEs of scanned sections, by start */
	size_t nr_index;
	bool scanned_eh, scanned_debug;
	struct pt_map cies;		/* offset * 2 + debug: struct cie */
	const struct cie *last_cie;	/* used last */
	/* unique; next: 1 + index of the next row with the same hash */
	struct { struct pt_row *row; uint32_t next; } *rows;
	size_t nr_rows, cap_rows;
	struct pt_map row_hash;		/* hash -> 1 + index of the first row */
	struct pt_expr *exprs;
	size_t nr_exprs, cap_exprs;
	struct cfi_state *remembered;	/* room for remember_state */
	size_t cap_remembered;
	uint64_t long_bytes;		/* of long instructions that were run */
};

/* The FDE of a vaddr, and its row there. */
struct covered {
	uint64_t start, end;
	const struct pt_row *row;
};

/* A pointer in a DW_EH_PE_* encoding from `b`, whose next byte is at `vaddr`. False: the data ends,
 * or an unknown encoding. */
bool pt_cfi_pointer(const struct pt_object *o, struct pt_bytes *b, uint8_t encoding, uint64_t vaddr,
		    uint64_t data_vaddr, uint64_t func_vaddr, uint64_t *v);
/* The row at a vaddr that the FDE covers. NULL: the instructions up to there are bad. */
const struct pt_row *pt_cfi_run(struct pt_cfi *c, const struct fde *f, uint64_t vaddr);
/* By Go's own table. False: it does not have the function. Row NULL: it has none. */
bool pt_cfi_go(struct pt_cfi *c, uint64_t vaddr, struct covered *is);

#endif
