/* code.h - samples by address, function by function: what pt-annotate shows.
 *
 *     struct pt_codes *c = pt_codes_new();
 *     pt_codes_add(c, places, nr, weight) ...             // of each sample, innermost first
 *     pt_codes_name(c, frames);                           // at the end
 *     while ((x = pt_codes_at(c, i++))) ...               // the hottest function first
 *     pt_codes_free(c);
 *
 * Functions are those of ELF symbols: inlined code belongs to the function that it is in. */
#ifndef PT_PROFILE_CODE_H
#define PT_PROFILE_CODE_H

#include "stack/frames.h"

struct pt_weight { uint64_t period, samples; };

struct pt_code_function {
	const struct pt_place_at *place;	/* one that is in it */
	const char *name, *dso;
	const char *why;		/* why there is no code to show; NULL: `code` has it */
	struct pt_frames_code code;
	struct pt_weight all;
	/* by address, ascending; the file's own numbering. below: of what was called from there */
	struct pt_code_address { uint64_t vaddr; struct pt_weight weight, below; } *v;
	size_t nr, cap;
	size_t id;			/* private */
};

struct pt_codes;
struct pt_codes *pt_codes_new(void);
void pt_codes_free(struct pt_codes *c);
void pt_codes_add(struct pt_codes *c, const struct pt_place_at *const *places, size_t nr,
		  struct pt_weight weight);
/* `frames` must live as long as c. */
void pt_codes_name(struct pt_codes *c, struct pt_frames *frames);
struct pt_weight pt_codes_total(const struct pt_codes *c);
const struct pt_code_function *pt_codes_at(const struct pt_codes *c, size_t i);
/* The function that a place is in, which was added; after pt_codes_name(). */
const struct pt_code_function *pt_codes_of(const struct pt_codes *c,
					   const struct pt_place_at *place);
/* What the addresses from `vaddr` to `end` have. */
struct pt_code_address pt_code_sum(const struct pt_code_function *x, uint64_t vaddr, uint64_t end);

#endif
