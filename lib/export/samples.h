/* samples.h - samples with their stacks, put together for the files of other profilers.
 *
 *     struct pt_samples *s = pt_samples_new(true);
 *     series = pt_samples_series(s, &(struct pt_samples_task){ pid, tid, comm }, &event);
 *     item = (struct pt_samples_item){ .series = series, .time_ns = t, ... };
 *     pt_samples_add(s, &item, places, nr);
 *     pt_samples_name(s, name_place, ctx);            // once, at the end: nothing is named before
 *     pt_speedscope_write(s, ...);
 *     pt_samples_free(s);
 *
 * Stacks are kept as a tree of places, so that what several have in common is there once. Without
 * an order, equal samples are one item, and memory is bounded by the number of different stacks; in
 * order, each sample is an item of its own (40 bytes).
 *
 * A place is a pointer, for example of pt_frames_places(); it must live until pt_samples_name().
 * Strings are copied. The members are for writers to read; pt_samples owns all of them. */
#ifndef PT_EXPORT_SAMPLES_H
#define PT_EXPORT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "stack/frames.h"

#define PT_SAMPLES_UNKNOWN UINT32_MAX	/* a pid, a tid, a CPU */

struct pt_samples_task {
	uint32_t pid, tid;
	const char *comm;
};

enum pt_samples_unit { PT_SAMPLES_COUNT, PT_SAMPLES_NS, PT_SAMPLES_US };

struct pt_samples_event {
	const char *name;
	enum pt_samples_unit unit;	/* of weights */
	uint64_t period;		/* between two samples; 0: not known, or it varies */
};

/* The samples of one task and one event. */
struct pt_samples_series { uint32_t task, event; };

struct pt_samples_item {
	uint64_t time_ns;		/* 0: not known */
	uint64_t samples, weight;	/* weight: of all of them */
	uint32_t series;
	uint32_t node;			/* the innermost frame; 0: there is no stack */
	uint32_t cpu;
};

/* Node 0 is the root of all stacks, without a place. A parent has a lower number. */
struct pt_samples_node { uint32_t parent, place; };

struct pt_samples_function {
	const char *name;		/* never NULL */
	const char *module;		/* path, "[kernel.kallsyms]"; NULL: unknown */
	const char *file;		/* of the source; NULL: unknown */
	bool kernel;
};

struct pt_samples_frame {
	uint32_t function;
	uint32_t line;			/* 0: unknown */
};

struct pt_samples_place {
	const void *place;
	uint64_t samples;		/* that have it on their stack */
	uint64_t vaddr;			/* in the module; 0: unknown */
	const char *build_id;		/* of the module, hexadecimal; "": unknown */
	/* of place_frames: inlined functions first, the one they are inlined into last */
	uint32_t first, nr;
};

struct pt_samples {
	bool in_order;
	struct pt_samples_task *tasks;
	struct pt_samples_event *events;
	struct pt_samples_series *series;
	struct pt_samples_item *items;
	struct pt_samples_node *nodes;
	struct pt_samples_place *places;
	struct pt_samples_function *functions;	/* each once */
	struct pt_samples_frame *frames;	/* each once */
	uint32_t *place_frames;			/* numbers of frames */
	size_t nr_tasks, nr_events, nr_series, nr_items, nr_nodes;
	size_t nr_places, nr_functions, nr_frames, nr_place_frames;
	uint64_t first_ns, last_ns;		/* 0: no sample has a time */

	/* private */
	size_t cap_tasks, cap_events, cap_series, cap_items, cap_nodes, cap_places, cap_functions;
	size_t cap_frames, cap_place_frames;
	struct pt_map items_by_key, nodes_by_key, places_by_pointer, series_by_key;
	/* interned text of what is there once -> its number plus 1 */
	struct pt_map by_text;
	struct pt_names *names;
	struct pt_buf text;
	uint32_t *stack;
	size_t cap_stack;
};

struct pt_samples *pt_samples_new(bool in_order);
void pt_samples_free(struct pt_samples *s);

uint32_t pt_samples_series(struct pt_samples *s, const struct pt_samples_task *task,
			const struct pt_samples_event *event);
/* item->node is set by this. Places: innermost first. */
void pt_samples_add(struct pt_samples *s, const struct pt_samples_item *item,
		    const void *const *places, size_t nr);

/* A place's name: its frames, inlined functions first; at least one. `times`: samples that have
 * it. */
struct pt_samples_named {
	const char *name, *module, *file;	/* as in struct pt_samples_function */
	uint32_t line;
	bool kernel;
};
struct pt_samples_names {
	const struct pt_samples_named *frames;
	size_t nr;
	uint64_t vaddr;
	char build_id[PT_BUILD_ID_TEXT];
};
typedef struct pt_samples_names pt_samples_namer(void *ctx, const void *place, uint64_t times);
void pt_samples_name(struct pt_samples *s, pt_samples_namer *name, void *ctx);

/* The frames of a stack, by number, outermost first. Good until the next call. */
size_t pt_samples_stack(struct pt_samples *s, uint32_t node, const uint32_t **frames);
/* Items by their series, those of one in their order: (*order)[i].series, .item; the caller's. */
struct pt_samples_order { uint64_t series, item; };
struct pt_samples_order *pt_samples_by_series(const struct pt_samples *s);

#endif
