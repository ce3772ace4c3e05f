/* perfetto_stacks.c - samples with stacks, at the end. Names and stacks are interned: each is
 * described once, in front of the first sample that has it. */
#ifdef PT_WITH_PROTOBUF

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "export/perfetto_priv.h"

static void write_interned(struct pt_perfetto *p, Pf__InternedData *data)
{
	Pf__TracePacket t = PF__TRACE_PACKET__INIT;

	t.interned_data = data;
	perfetto_packet(p, &t, 0);
}

static void set_string(struct pt_perfetto *p, Pf__InternedString *x, uint64_t iid, const char *s)
{
	x->iid = iid;
	x->str.data = (uint8_t *)perfetto_text(&p->text, s, strlen(s));
	x->str.len = p->text.len;
}

static void perfetto_stacks_write_functions(struct pt_perfetto *p, const struct pt_samples *s)
{
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__InternedString name = PF__INTERNED_STRING__INIT, *names = &name;

	data.function_names = &names;
	data.n_function_names = 1;
	for (size_t i = 0; i < s->nr_functions; i++) {
		set_string(p, &name, i + 1, s->functions[i].name);
		write_interned(p, &data);
	}
}

/* `hex` as bytes: the build-id of the mapping of the same number. */
static void set_build_id(struct pt_perfetto *p, Pf__InternedString *x, Pf__Mapping *mapping,
			 const char *hex)
{
	pt_buf_clear(&p->text2);
	for (; hex[0] && hex[1]; hex += 2)
		pt_buf_putc(&p->text2,
			    (char)(pt_hex_digit(hex[0]) << 4 | pt_hex_digit(hex[1])));
	x->iid = mapping->build_id = mapping->iid;
	x->str.data = (uint8_t *)p->text2.data;
	x->str.len = p->text2.len;
	mapping->has_build_id = true;
}

/* `build_id`: hexadecimal; "": unknown. */
static uint64_t perfetto_stacks_mapping_of(struct pt_perfetto *p, const char *module,
					   const char *build_id)
{
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__InternedString path = PF__INTERNED_STRING__INIT, *paths = &path;
	Pf__InternedString id = PF__INTERNED_STRING__INIT, *ids = &id;
	Pf__Mapping mapping = PF__MAPPING__INIT, *mappings = &mapping;
	uint64_t *slot = pt_map_put(&p->mappings,
				    pt_hash64(pt_word_of(module)) ^ pt_word_of(build_id));

	if (*slot)
		return *slot;
	*slot = p->mappings.nr;
	set_string(p, &path, *slot, module ? module : "[unknown]");
	mapping.iid = *slot;
	mapping.path_string_ids = &path.iid;
	mapping.n_path_string_ids = 1;
	if (*build_id) {
		set_build_id(p, &id, &mapping, build_id);
		data.build_ids = &ids;
		data.n_build_ids = 1;
	}
	data.mapping_paths = &paths;
	data.n_mapping_paths = 1;
	data.mappings = &mappings;
	data.n_mappings = 1;
	write_interned(p, &data);
	return mapping.iid;
}

/* A frame's number is that of its place in s->place_frames, plus 1. */
static void perfetto_stacks_write_frames(struct pt_perfetto *p, const struct pt_samples *s)
{
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__Frame frame = PF__FRAME__INIT, *frames = &frame;

	data.frames = &frames;
	data.n_frames = 1;
	for (size_t i = 0; i < s->nr_places; i++) {
		const struct pt_samples_place *place = &s->places[i];

		for (uint32_t k = place->first; k < place->first + place->nr; k++) {
			uint32_t function = s->frames[s->place_frames[k]].function;

			frame.iid = k + 1;
			frame.function_name_id = function + 1;
			frame.mapping_id = perfetto_stacks_mapping_of(
				p, s->functions[function].module, place->build_id);
			frame.rel_pc = place->vaddr;
			write_interned(p, &data);
		}
	}
}

/* A stack's number is that of its innermost node. */
static void write_stack(struct pt_perfetto *p, const struct pt_samples *s, uint32_t node)
{
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__Callstack stack = PF__CALLSTACK__INIT, *stacks = &stack;
	uint64_t *ids = NULL;
	size_t cap = 0, nr = 0, i;
	uint32_t at;

	PT_GROW_TO(p->stacks_done, p->nr_stacks_done, s->nr_nodes);
	if (p->stacks_done[node])
		return;
	p->stacks_done[node] = true;
	for (at = node; at; at = s->nodes[at].parent) {
		const struct pt_samples_place *place = &s->places[s->nodes[at].place];

		for (i = 0; i < place->nr; i++) {
			PT_GROW(ids, nr, cap);
			ids[nr++] = place->first + i + 1;
		}
	}
	for (i = 0; i < nr / 2; i++) {		/* outermost first */
		uint64_t id = ids[i];

		ids[i] = ids[nr - 1 - i];
		ids[nr - 1 - i] = id;
	}
	stack.iid = node;
	stack.frame_ids = ids;
	stack.n_frame_ids = nr;
	data.callstacks = &stacks;
	data.n_callstacks = 1;
	write_interned(p, &data);
	free(ids);
}

bool pt_perfetto_stacks(struct pt_perfetto *p, struct pt_samples *s, size_t *i)
{
	enum { AT_ONCE = 1000 };
	size_t end = PT_MIN(*i + AT_ONCE, s->nr_items);

	if (*i == 0 && s->nr_items) {
		perfetto_stacks_write_functions(p, s);
		perfetto_stacks_write_frames(p, s);
	}
	for (; *i < end; ++*i) {
		const struct pt_samples_item *item = &s->items[*i];
		const struct pt_samples_task *task = &s->tasks[s->series[item->series].task];
		Pf__TracePacket t = PF__TRACE_PACKET__INIT;
		Pf__PerfSample sample = PF__PERF_SAMPLE__INIT;

		if (item->node)
			write_stack(p, s, item->node);
		sample.cpu = item->cpu == PT_SAMPLES_UNKNOWN ? 0 : item->cpu;
		sample.pid = task->pid;
		sample.tid = task->tid;
		sample.has_callstack_iid = item->node != 0;
		sample.callstack_iid = item->node;
		t.perf_sample = &sample;
		perfetto_packet(p, &t, item->time_ns);
	}
	return *i < s->nr_items;
}

#endif
