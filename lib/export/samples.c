#include "export/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort16.h"

struct pt_samples *pt_samples_new(bool in_order)
{
	struct pt_samples *s = pt_alloc(sizeof(*s));

	s->in_order = in_order;
	s->names = pt_names_new();
	PT_GROW(s->nodes, s->nr_nodes, s->cap_nodes);
	s->nodes[s->nr_nodes++] = (struct pt_samples_node){ 0, 0 };
	return s;
}

void pt_samples_free(struct pt_samples *s)
{
	if (!s)
		return;
	pt_map_deinit(&s->items_by_key);
	pt_map_deinit(&s->nodes_by_key);
	pt_map_deinit(&s->places_by_pointer);
	pt_map_deinit(&s->series_by_key);
	pt_map_deinit(&s->by_text);
	pt_names_free(s->names);
	pt_buf_deinit(&s->text);
	free(s->tasks);
	free(s->events);
	free(s->series);
	free(s->items);
	free(s->nodes);
	free(s->places);
	free(s->functions);
	free(s->frames);
	free(s->place_frames);
	free(s->stack);
	free(s);
}

static const char *samples_intern(struct pt_samples *s, const char *text)
{
	return text ? pt_names_add(s->names, text, strlen(text)) : NULL;
}

/* The slot of what s->text describes; 0: it is new. */
static uint64_t *slot_of_text(struct pt_samples *s)
{
	return pt_map_put(&s->by_text,
			  pt_word_of(pt_names_add(s->names, s->text.data, s->text.len)));
}

static uint32_t samples_task_of(struct pt_samples *s, const struct pt_samples_task *task)
{
	const char *comm = samples_intern(s, task->comm);
	uint64_t *slot;

	pt_buf_clear(&s->text);
	pt_buf_printf(&s->text, "task %u %u %p", task->pid, task->tid, (const void *)comm);
	slot = slot_of_text(s);
	if (!*slot) {
		PT_GROW(s->tasks, s->nr_tasks, s->cap_tasks);
		s->tasks[s->nr_tasks] = *task;
		s->tasks[s->nr_tasks].comm = comm;
		*slot = ++s->nr_tasks;
	}
	return (uint32_t)(*slot - 1);
}

static uint32_t samples_event_of(struct pt_samples *s, const struct pt_samples_event *event)
{
	const char *name = samples_intern(s, event->name);
	uint64_t *slot;

	pt_buf_clear(&s->text);
	pt_buf_printf(&s->text, "event %p", (const void *)name);
	slot = slot_of_text(s);
	if (!*slot) {
		PT_GROW(s->events, s->nr_events, s->cap_events);
		s->events[s->nr_events] = *event;
		s->events[s->nr_events].name = name;
		*slot = ++s->nr_events;
	}
	return (uint32_t)(*slot - 1);
}

uint32_t pt_samples_series(struct pt_samples *s, const struct pt_samples_task *task,
			const struct pt_samples_event *event)
{
	struct pt_samples_series series = { samples_task_of(s, task), samples_event_of(s, event) };
	uint64_t *slot = pt_map_put(&s->series_by_key, (uint64_t)series.task << 32 | series.event);

	if (!*slot) {
		PT_GROW(s->series, s->nr_series, s->cap_series);
		s->series[s->nr_series] = series;
		*slot = ++s->nr_series;
	}
	return (uint32_t)(*slot - 1);
}

static uint32_t samples_place_of(struct pt_samples *s, const void *place)
{
	uint64_t *slot = pt_map_put(&s->places_by_pointer, pt_word_of(place));

	if (!*slot) {
		PT_GROW(s->places, s->nr_places, s->cap_places);
		s->places[s->nr_places] = (struct pt_samples_place){ .place = place };
		*slot = ++s->nr_places;
	}
	return (uint32_t)(*slot - 1);
}

static uint32_t samples_node_below(struct pt_samples *s, uint32_t parent, uint32_t place)
{
	uint64_t *slot = pt_map_put(&s->nodes_by_key, (uint64_t)parent << 32 | place);

	if (!*slot) {
		PT_GROW(s->nodes, s->nr_nodes, s->cap_nodes);
		*slot = s->nr_nodes;
		s->nodes[s->nr_nodes++] = (struct pt_samples_node){ parent, place };
	}
	return (uint32_t)*slot;
}

static struct pt_samples_item *new_item(struct pt_samples *s, const struct pt_samples_item *item,
					uint32_t node)
{
	struct pt_samples_item *x;

	PT_GROW(s->items, s->nr_items, s->cap_items);
	x = &s->items[s->nr_items++];
	*x = *item;
	x->node = node;
	return x;
}

void pt_samples_add(struct pt_samples *s, const struct pt_samples_item *item,
		    const void *const *places, size_t nr)
{
	uint32_t node = 0, place;
	uint64_t *slot;

	while (nr) {
		place = samples_place_of(s, places[--nr]);
		s->places[place].samples += item->samples;
		node = samples_node_below(s, node, place);
	}
	if (item->time_ns && (!s->first_ns || item->time_ns < s->first_ns))
		s->first_ns = item->time_ns;
	if (item->time_ns > s->last_ns)
		s->last_ns = item->time_ns;
	if (s->in_order) {
		new_item(s, item, node);
		return;
	}
	slot = pt_map_put(&s->items_by_key, (uint64_t)item->series << 32 | node);
	if (*slot) {
		s->items[*slot - 1].samples += item->samples;
		s->items[*slot - 1].weight += item->weight;
	} else {
		new_item(s, item, node);
		*slot = s->nr_items;
	}
}

/* -- names -- */

static uint32_t samples_function_of(struct pt_samples *s, const struct pt_samples_named *x)
{
	struct pt_samples_function f = { samples_intern(s, x->name), samples_intern(s, x->module),
					 samples_intern(s, x->file), x->kernel };
	uint64_t *slot;

	pt_buf_clear(&s->text);
	pt_buf_printf(&s->text, "function %p %p %p %d", (const void *)f.name,
		      (const void *)f.module, (const void *)f.file, f.kernel);
	slot = slot_of_text(s);
	if (!*slot) {
		PT_GROW(s->functions, s->nr_functions, s->cap_functions);
		s->functions[s->nr_functions] = f;
		*slot = ++s->nr_functions;
	}
	return (uint32_t)(*slot - 1);
}

static uint32_t frame_of(struct pt_samples *s, const struct pt_samples_named *x)
{
	struct pt_samples_frame f = { samples_function_of(s, x), x->line };
	uint64_t *slot;

	pt_buf_clear(&s->text);
	pt_buf_printf(&s->text, "frame %u %u", f.function, f.line);
	slot = slot_of_text(s);
	if (!*slot) {
		PT_GROW(s->frames, s->nr_frames, s->cap_frames);
		s->frames[s->nr_frames] = f;
		*slot = ++s->nr_frames;
	}
	return (uint32_t)(*slot - 1);
}

void pt_samples_name(struct pt_samples *s, pt_samples_namer *name, void *ctx)
{
	for (size_t i = 0; i < s->nr_places; i++) {
		struct pt_samples_place *p = &s->places[i];
		struct pt_samples_names n = name(ctx, p->place, p->samples);

		p->vaddr = n.vaddr;
		p->build_id = pt_names_add(s->names, n.build_id, SIZE_MAX);
		p->first = (uint32_t)s->nr_place_frames;
		p->nr = (uint32_t)n.nr;
		for (size_t k = 0; k < n.nr; k++) {
			PT_GROW(s->place_frames, s->nr_place_frames, s->cap_place_frames);
			s->place_frames[s->nr_place_frames++] = frame_of(s, &n.frames[k]);
		}
	}
}

/* -- for writers -- */

size_t pt_samples_stack(struct pt_samples *s, uint32_t node, const uint32_t **frames)
{
	size_t nr = 0, i;

	for (; node; node = s->nodes[node].parent) {
		const struct pt_samples_place *p = &s->places[s->nodes[node].place];

		for (i = 0; i < p->nr; i++) {
			PT_GROW(s->stack, nr, s->cap_stack);
			s->stack[nr++] = s->place_frames[p->first + i];
		}
	}
	for (i = 0; i < nr / 2; i++) {
		uint32_t frame = s->stack[i];

		s->stack[i] = s->stack[nr - 1 - i];
		s->stack[nr - 1 - i] = frame;
	}
	*frames = s->stack;
	return nr;
}

struct pt_samples_order *pt_samples_by_series(const struct pt_samples *s)
{
	struct pt_samples_order *order = pt_alloc_array(s->nr_items, sizeof(*order));

	for (size_t i = 0; i < s->nr_items; i++)
		order[i] = (struct pt_samples_order){ s->items[i].series, i };
	pt_sort16(order, s->nr_items);
	return order;
}
