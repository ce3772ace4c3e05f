/* make.h - a point and arguments, as the user wrote them, made into definitions: places (place.h,
 * kernel.h, SDT markers) joined with what is fetched there; and the definitions made into events.
 *
 *     struct pt_made m = { 0 };
 *     if (pt_make_user(&m, &req, &target, &dyn, &e) < 0) ...
 *     pt_events_of_made(&es, &m, &dyn, NULL, false, &e);      // takes the definitions
 *     pt_made_deinit(&m);
 *
 * Of several places those where an argument cannot be had are left out and noted; it is an error
 * when none is left. */
#ifndef PT_PROBE_MAKE_H
#define PT_PROBE_MAKE_H

#include "base/arena.h"
#include "probe/tracefs/event.h"
#include "probe/where/place.h"

struct pt_make_req {
	struct pt_point point;
	/* "PROVIDER:NAME" of SDT markers, in place of the point; NULL: none */
	const char *marker;
	const char *const *args;
	size_t nr_args;
	/* every row of a line; only the first piece of its code in each instance */
	bool all, first;
	uint32_t maxactive;		/* of kretprobes; 0: the kernel's choice */
	const char *module;		/* of the kernel; NULL: any */
	/* for messages: why the kernel's debug information is missing; NULL: it is there, but lacks
	 * the point */
	const char *no_image;
};

/* Where a definition was made from. Strings may be NULL. */
struct pt_made_place {
	uint64_t vaddr;
	const char *func, *outer, *file;
	uint32_t line;
	bool inlined;
};

struct pt_made {
	struct pt_def *defs;
	size_t nr, cap;
	struct pt_arena places;		/* struct pt_made_place, with their strings */
	char **notes;			/* lines for the user */
	size_t nr_notes, cap_notes;
};

/* Of a program, a library, or a kernel's image. `dyn` may be NULL: a dry run. */
int pt_make_user(struct pt_made *m, const struct pt_make_req *r, struct pt_target *t,
		 struct pt_dyn *dyn, struct pt_err *e);
/* Of the running kernel, by its symbols and BTF. */
int pt_make_kernel(struct pt_made *m, const struct pt_make_req *r, struct pt_err *e);
/* SDT markers of a file. */
int pt_make_sdt(struct pt_made *m, const struct pt_make_req *r, struct pt_target *t,
		struct pt_dyn *dyn, struct pt_err *e);
/* Of the places from `first` on: without the inlined ones, and at most `max` (0: any number). -1:
 * none is left, or they are too many. */
int pt_made_choose(struct pt_made *m, size_t first, bool no_inlines, uint64_t max,
		   struct pt_err *e);
void pt_made_deinit(struct pt_made *m);

/* Takes m's definitions; their places stay m's. `dyn` NULL: nothing is made. `group`: put all
 * events there, and remove them with this process; NULL: leave them in their groups. `force`: see
 * pt_events_plan(). -1: nothing was made. */
int pt_events_of_made(struct pt_events *es, struct pt_made *m, struct pt_dyn *dyn,
		      const char *group, bool force, struct pt_err *e);
/* Tells which events have other names than asked for. */
void pt_events_say_names(const struct pt_events *es, void (*say)(void *, const char *), void *ctx);
/* Removes them again. */
void pt_events_remove(const struct pt_events *es, struct pt_dyn *dyn);

#endif
