/* firefox_priv.h - what the files of firefox.h share. */
#ifndef PT_EXPORT_FIREFOX_PRIV_H
#define PT_EXPORT_FIREFOX_PRIV_H

#include "base/map.h"
#include "export/firefox.h"

enum firefox_category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

/* Each thread of the format has tables of its own, of what its samples use. The numbers in them
 * are remembered by `seen`, for the thread at hand. */
struct firefox_seen { uint32_t thread, number; };

struct firefox_stack { uint32_t frame; int64_t prefix; };	/* prefix -1: none */
struct firefox_frame { uint32_t place, place_frame, function, depth; };

struct firefox {
	struct pt_samples *s;
	struct pt_sink *sink;
	uint32_t thread;		/* from 1 on */
	struct firefox_seen *nodes, *place_frames, *functions;
	uint32_t *used_nodes;
	struct firefox_stack *stacks;
	struct firefox_frame *frames;
	uint32_t *used_functions;
	const char **strings, **modules;
	size_t nr_used_nodes, nr_stacks, nr_frames, nr_used_functions, nr_strings, nr_modules;
	size_t cap_used_nodes, cap_stacks, cap_frames, cap_used_functions, cap_strings, cap_modules;
	struct pt_map string_numbers, module_numbers;	/* of the thread; plus 1 */
	struct pt_map libs;				/* of the file; plus 1 */
};

/* Makes the tables of the next thread, which has these items. */
void firefox_tables(struct firefox *f, const struct pt_samples_order *order, size_t nr);
/* Writes them, as members of the thread's object. */
void firefox_write_tables(struct firefox *f);
/* As an element of an array; below 0: null. */
void firefox_number(struct pt_buf *b, int64_t v);

#endif
