/* index.h - tables of inlined functions, kept from one run to the next (base/keep.h).
 *
 * One item for each file: "inl-BUILDID-SUM". Its key holds the stamps of the file and of its debug
 * file (struct pt_stamp), so that what was read of one file is never used for another one, whatever
 * their build-ids. It holds what was asked for so far: what a run learns beyond that is put with
 * the rest when the run ends. Objects without build-id are not kept. */
#ifndef PT_DWARF_INDEX_H
#define PT_DWARF_INDEX_H

#include "base/keep.h"
#include "dwarf/inlines.h"

/* Before the first look-up. `object`: whose addresses are asked for; `debug`: whose debug
 * information `in` reads (may be the same). The kept tables are mapped in *kept, which must outlive
 * `in`; zeroed if there are none. `keep` may be NULL. */
void pt_index_load(struct pt_keep *keep, const struct pt_object *object,
		   const struct pt_object *debug, struct pt_inlines *in, struct pt_kept *kept);
/* If enough was learned. */
void pt_index_save(struct pt_keep *keep, const struct pt_object *object,
		   const struct pt_object *debug, struct pt_inlines *in,
		   const struct pt_kept *kept);

#endif
