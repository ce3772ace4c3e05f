/* index.h - tables of inlined functions, kept from one run to the next (base/keep.h).
 *
 * One item a file, "inl-BUILDID-SUM", keyed by the stamps of the file and its debug file (struct
 * pt_stamp): equal build-ids do not share it. It holds what runs have asked for so far. Objects
 * without build-id are not kept. */
#ifndef PT_DWARF_INDEX_H
#define PT_DWARF_INDEX_H

#include "base/keep.h"
#include "dwarf/inlines.h"

/* Before the first look-up. `object`: whose addresses are asked for; `debug`: what `in` reads (may
 * be the same). *kept, zeroed if there is none, must outlive `in`. `keep` may be NULL. */
void pt_index_load(struct pt_keep *keep, const struct pt_object *object,
		   const struct pt_object *debug, struct pt_inlines *in, struct pt_kept *kept);
/* If enough was learned. */
void pt_index_save(struct pt_keep *keep, const struct pt_object *object,
		   const struct pt_object *debug, struct pt_inlines *in,
		   const struct pt_kept *kept);

#endif
