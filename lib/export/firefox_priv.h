/* firefox_priv.h - what the files of firefox.h share. */
#ifndef PT_EXPORT_FIREFOX_PRIV_H
#define PT_EXPORT_FIREFOX_PRIV_H

#include "base/map.h"
#include "export/firefox.h"

enum firefox_category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

/* In the order of the file. */
enum firefox_table {
	TABLE_MARKERS, TABLE_STACKS, TABLE_FRAMES, TABLE_FUNCTIONS, TABLE_RESOURCES, TABLE_SYMBOLS,
	NR_TABLES
};

/* Each thread of the format has tables of its own, of what its samples use. The numbers of their
 * rows are remembered by `seen`, for the thread at hand. */
struct firefox_seen { uint32_t thread, number; };

struct firefox {
	struct pt_samples *s;
	struct pt_sink *sink;
	uint32_t thread;		/* from 1 on */
	struct pt_map libs;		/* module -> number in libs, plus 1 */
	struct firefox_seen *nodes, *place_frames, *functions;
	/* of the thread at hand: */
	uint32_t *used_nodes;
	size_t nr_used_nodes, cap_used_nodes;
	struct firefox_rows {
		int64_t *cells;		/* row behind row */
		size_t nr_cells, cap;
	} rows[NR_TABLES];
	const char **strings;
	size_t nr_strings, cap_strings;
	struct pt_map string_numbers, resource_numbers;		/* plus 1 */
};

/* firefox_tables.c: makes the tables of a thread, whose samples are the items in `order`. */
void firefox_tables(struct firefox *f, const struct pt_samples_order *order, size_t nr);
/* Writes them, as members of the thread's object. */
void firefox_write_tables(struct firefox *f);

#endif
