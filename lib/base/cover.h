/* cover.h - which ranges, as mappings of memory, later ones cover. */
#ifndef PT_BASE_COVER_H
#define PT_BASE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_range {
	uint64_t start, end;		/* end: behind it */
	/* set by pt_cover(): later ones cover all of it, or it is empty */
	bool covered;
};

/* `r` in the order in which they came. Takes time for sorting, not for each pair. */
void pt_cover(struct pt_range *r, size_t nr);

#endif
