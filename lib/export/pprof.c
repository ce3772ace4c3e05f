#include "export/pprof.h"

#ifdef PT_WITH_PROTOBUF

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "export/message.h"
#include "pprof.pb-c.h"

struct pprof {
	const struct pt_samples *s;
	struct pt_sink *sink;
	struct pt_buf text;		/* of the profile, not packed yet */
	struct pt_buf valid;
	z_stream z;
	struct pt_names *names;
	struct pt_map strings;		/* interned -> number in string_table */
	struct pt_map module_numbers;	/* interned path and build-id -> number, from 1 on */
	struct module {
		const char *path, *build_id;
		uint64_t limit;		/* behind it */
	} *modules;
	size_t nr_modules, cap_modules;
};

/* -- bytes -- */

static void pack_text(struct pprof *p, int flush)
{
	struct pt_buf *out = &p->sink->text;
	int rc;

	p->z.next_in = (Bytef *)p->text.data;
	p->z.avail_in = (uInt)p->text.len;
	do {
		pt_buf_grow(out, PT_SINK_PIECE);
		p->z.next_out = (Bytef *)out->data + out->len;
		p->z.avail_out = PT_SINK_PIECE;
		rc = deflate(&p->z, flush);
		out->len += PT_SINK_PIECE - p->z.avail_out;
		pt_sink_pace(p->sink);
	} while (p->z.avail_in || (flush == Z_FINISH && rc != Z_STREAM_END));
	pt_buf_clear(&p->text);
}

static void pprof_add_piece(struct pprof *p, const Pp__Profile *piece)
{
	pt_message_add(&p->text, &piece->base);
	if (p->text.len >= PT_SINK_PIECE)
		pack_text(p, Z_NO_FLUSH);
}

/* The number of a string, which is written when it is first needed. NULL: of the empty one. */
static int64_t pprof_string(struct pprof *p, const char *text)
{
	Pp__Profile piece = PP__PROFILE__INIT;
	uint64_t *slot;
	char *valid;

	pt_buf_clear(&p->valid);
	pt_text_valid(&p->valid, text ? text : "", text ? strlen(text) : 0);
	valid = (char *)pt_names_add(p->names, pt_buf_str(&p->valid), p->valid.len);
	slot = pt_map_put(&p->strings, pt_word_of(valid));
	if (!*slot) {
		*slot = p->strings.nr;
		piece.string_table = &valid;
		piece.n_string_table = 1;
		pprof_add_piece(p, &piece);
	}
	return (int64_t)*slot - 1;
}

/* -- the parts of a profile -- */

static const char *unit_of(const struct pt_samples_event *ev)
{
	static const char *const units[] = { [PT_SAMPLES_COUNT] = "count",
					     [PT_SAMPLES_NS] = "nanoseconds",
					     [PT_SAMPLES_US] = "microseconds" };

	return units[ev->unit];
}

static void write_type(struct pprof *p, const char *type, const char *unit)
{
	Pp__ValueType t = PP__VALUE_TYPE__INIT, *types = &t;
	Pp__Profile piece = PP__PROFILE__INIT;

	t.type = pprof_string(p, type);
	t.unit = pprof_string(p, unit);
	piece.sample_type = &types;
	piece.n_sample_type = 1;
	pprof_add_piece(p, &piece);
}

/* Each event has two values: its samples, and what these count. */
static void write_types(struct pprof *p)
{
	struct pt_buf type = PT_BUF_INIT;

	for (size_t i = 0; i < p->s->nr_events; i++) {
		const struct pt_samples_event *ev = &p->s->events[i];

		pt_buf_clear(&type);
		pt_buf_puts(&type, "samples");
		if (p->s->nr_events > 1)
			pt_buf_printf(&type, "/%s", ev->name);
		write_type(p, pt_buf_str(&type), "count");
		write_type(p, ev->name, unit_of(ev));
	}
	pt_buf_deinit(&type);
}

static void write_about(struct pprof *p, const struct pt_sink_about *about)
{
	const struct pt_info *info = about->info;
	const struct pt_samples_event *ev = p->s->events;
	Pp__ValueType period = PP__VALUE_TYPE__INIT;
	Pp__Profile piece = PP__PROFILE__INIT;
	struct pt_buf comment = PT_BUF_INIT;
	int64_t number;

	if (p->s->nr_events) {
		piece.default_sample_type = pprof_string(p, ev->name);
		period.type = pprof_string(p, ev->name);
		period.unit = pprof_string(p, unit_of(ev));
		piece.period_type = &period;
		piece.period = (int64_t)ev->period;
	}
	piece.duration_nanos = (int64_t)(p->s->last_ns - p->s->first_ns);
	if (info && info->has_clock_data && p->s->first_ns)
		piece.time_nanos = (int64_t)(info->wall_ns + (p->s->first_ns - info->clock_ns));
	pt_buf_printf(&comment, "pt-convert " PT_VERSION ": %s", about->title);
	for (size_t i = 0; info && i < info->nr_cmdline; i++)
		pt_buf_printf(&comment, "%s%s", i ? " " : ", recorded by ", info->cmdline[i]);
	if (info && info->hostname)
		pt_buf_printf(&comment, ", on %s", info->hostname);
	number = pprof_string(p, pt_buf_str(&comment));
	piece.comment = &number;
	piece.n_comment = 1;
	pprof_add_piece(p, &piece);
	pt_buf_deinit(&comment);
}

static const struct pt_samples_function *function_at(const struct pprof *p, uint32_t frame)
{
	return &p->s->functions[p->s->frames[frame].function];
}

static const char *pprof_module_of(const struct pprof *p, const struct pt_samples_place *place)
{
	return function_at(p, p->s->place_frames[place->first + place->nr - 1])->module;
}

/* The number of the mapping of a place's module; 0: it is unknown. */
static uint64_t pprof_mapping_of(struct pprof *p, const struct pt_samples_place *place)
{
	const char *module = pprof_module_of(p, place);
	uint64_t *slot;

	if (!module)
		return 0;
	pt_buf_clear(&p->valid);
	pt_buf_printf(&p->valid, "%s\n%s", place->build_id, module);
	slot = pt_map_put(&p->module_numbers,
			  pt_word_of(pt_names_add(p->names, p->valid.data, p->valid.len)));
	if (!*slot) {
		PT_GROW(p->modules, p->nr_modules, p->cap_modules);
		p->modules[p->nr_modules] = (struct module){ module, place->build_id, 0 };
		*slot = ++p->nr_modules;
	}
	return *slot;
}

/* The first mapping is to be the program's: a file with the name of a task. */
static void find_program(struct pprof *p)
{
	enum { COMM_BYTES = 15 };	/* the kernel cuts names of tasks */
	struct pt_names *comms = pt_names_new();
	const char *path, *name;
	size_t i;

	for (i = 0; i < p->s->nr_tasks; i++)
		pt_names_add(comms, p->s->tasks[i].comm, COMM_BYTES);
	for (i = 0; i < p->s->nr_places && !p->nr_modules; i++) {
		path = pprof_module_of(p, &p->s->places[i]);
		name = path ? strrchr(path, '/') : NULL;
		if (name && name[1] && pt_names_find(comms, name + 1, COMM_BYTES))
			pprof_mapping_of(p, &p->s->places[i]);
	}
	pt_names_free(comms);
}

/* Addresses are those of the file, so a mapping begins at 0. The flags tell pprof that all names
 * are there: it must not look for the file. */
static void write_mappings(struct pprof *p)
{
	Pp__Mapping m = PP__MAPPING__INIT, *mappings = &m;
	Pp__Profile piece = PP__PROFILE__INIT;
	uint64_t id, *limit;
	size_t i;

	find_program(p);
	for (i = 0; i < p->s->nr_places; i++) {
		id = pprof_mapping_of(p, &p->s->places[i]);
		if (!id)
			continue;
		limit = &p->modules[id - 1].limit;
		*limit = PT_MAX(*limit, p->s->places[i].vaddr + 1);
	}
	m.has_functions = m.has_filenames = m.has_line_numbers = m.has_inline_frames = 1;
	piece.mapping = &mappings;
	piece.n_mapping = 1;
	for (i = 0; i < p->nr_modules; i++) {
		m.id = i + 1;
		m.memory_limit = p->modules[i].limit;
		m.filename = pprof_string(p, p->modules[i].path);
		m.build_id = pprof_string(p, p->modules[i].build_id);
		pprof_add_piece(p, &piece);
	}
}

static void pprof_write_functions(struct pprof *p)
{
	Pp__Function f = PP__FUNCTION__INIT, *functions = &f;
	Pp__Profile piece = PP__PROFILE__INIT;

	piece.function = &functions;
	piece.n_function = 1;
	for (size_t i = 0; i < p->s->nr_functions; i++) {
		f.id = i + 1;
		f.name = f.system_name = pprof_string(p, p->s->functions[i].name);
		f.filename = pprof_string(p, p->s->functions[i].file);
		pprof_add_piece(p, &piece);
	}
}

static void write_locations(struct pprof *p)
{
	Pp__Location l = PP__LOCATION__INIT, *locations = &l;
	Pp__Profile piece = PP__PROFILE__INIT;
	Pp__Line *lines = NULL, **pointers = NULL;
	size_t cap = 0, k;

	piece.location = &locations;
	piece.n_location = 1;
	for (size_t i = 0; i < p->s->nr_places; i++) {
		const struct pt_samples_place *place = &p->s->places[i];

		if (cap < place->nr) {
			cap = place->nr;
			lines = pt_realloc(lines, cap, sizeof(*lines));
			pointers = pt_realloc(pointers, cap, sizeof(*pointers));
		}
		for (k = 0; k < place->nr; k++) {
			uint32_t frame = p->s->place_frames[place->first + k];

			pp__line__init(&lines[k]);
			lines[k].function_id = p->s->frames[frame].function + 1;
			lines[k].line = p->s->frames[frame].line;
			pointers[k] = &lines[k];
		}
		l.id = i + 1;
		l.mapping_id = pprof_mapping_of(p, place);
		l.address = place->vaddr;
		l.line = pointers;
		l.n_line = place->nr;
		pprof_add_piece(p, &piece);
	}
	free(lines);
	free(pointers);
}

static size_t label_all(struct pprof *p, const struct pt_samples_task *t, Pp__Label v[3])
{
	const struct { const char *key; uint32_t number; } numbers[] = { { "pid", t->pid },
									 { "tid", t->tid } };
	size_t nr = 1;

	pp__label__init(&v[0]);
	v[0].key = pprof_string(p, "comm");
	v[0].str = pprof_string(p, t->comm);
	for (size_t i = 0; i < PT_NR(numbers); i++) {
		if (numbers[i].number == PT_SAMPLES_UNKNOWN)
			continue;
		pp__label__init(&v[nr]);
		v[nr].key = pprof_string(p, numbers[i].key);
		v[nr++].num = numbers[i].number;
	}
	return nr;
}

static void pprof_write_samples(struct pprof *p)
{
	const struct pt_samples *s = p->s;
	Pp__Sample x = PP__SAMPLE__INIT, *samples = &x;
	Pp__Profile piece = PP__PROFILE__INIT;
	Pp__Label labels[3], *pointers[3] = { &labels[0], &labels[1], &labels[2] };
	int64_t *values = pt_alloc_array(2 * s->nr_events, sizeof(*values));
	uint64_t *ids = NULL;
	size_t cap = 0;
	uint32_t node;

	x.value = values;
	x.n_value = 2 * s->nr_events;
	x.label = pointers;
	piece.sample = &samples;
	piece.n_sample = 1;
	for (size_t i = 0; i < s->nr_items; i++) {
		const struct pt_samples_series *series = &s->series[s->items[i].series];

		values[2 * series->event] = (int64_t)s->items[i].samples;
		values[2 * series->event + 1] = (int64_t)s->items[i].weight;
		x.n_label = label_all(p, &s->tasks[series->task], labels);
		x.n_location_id = 0;
		for (node = s->items[i].node; node; node = s->nodes[node].parent) {
			PT_GROW(ids, x.n_location_id, cap);
			ids[x.n_location_id++] = s->nodes[node].place + 1;
		}
		x.location_id = ids;
		pprof_add_piece(p, &piece);
		values[2 * series->event] = values[2 * series->event + 1] = 0;
	}
	free(ids);
	free(values);
}

int pt_pprof_write(const struct pt_samples *s, const struct pt_sink_about *about,
		   struct pt_sink *sink, struct pt_err *e)
{
	struct pprof p = { .s = s, .sink = sink, .names = pt_names_new() };

	/* 16: with the header of gzip, which has no time in it. */
	if (deflateInit2(&p.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return pt_err_set(e, "zlib: out of memory");
	pprof_string(&p, "");			/* it must be the first */
	write_types(&p);
	write_about(&p, about);
	write_mappings(&p);
	pprof_write_functions(&p);
	write_locations(&p);
	pprof_write_samples(&p);
	pack_text(&p, Z_FINISH);
	deflateEnd(&p.z);
	pt_buf_deinit(&p.text);
	pt_buf_deinit(&p.valid);
	pt_map_deinit(&p.strings);
	pt_map_deinit(&p.module_numbers);
	pt_names_free(p.names);
	free(p.modules);
	return pt_sink_end(sink, e);
}

#endif
