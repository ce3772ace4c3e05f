#include "export/firefox.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "export/firefox_priv.h"

enum { FORMAT_VERSION = 47, GECKO_VERSION = 28 };

/* -- samples -- */

/* Folded lines have no times: their stacks stand one behind the other, a millisecond each. */
static void firefox_write_samples(struct firefox *f, const struct pt_samples_order *order,
				  size_t nr, enum pt_samples_unit unit)
{
	const struct pt_samples *s = f->s;
	struct pt_buf *b = &f->sink->text;
	size_t i;

	pt_json_open(b, "samples", '{');
	pt_json_open(b, "stack", '[');
	for (i = 0; i < nr; i++) {
		uint32_t node = s->items[order[i].item].node;

		if (node)
			pt_json_u64(b, NULL, f->nodes[node].number);
		else
			pt_json_null(b, NULL);
		pt_sink_pace(f->sink);
	}
	pt_json_close(b, ']');
	pt_json_open(b, "time", '[');
	for (i = 0; i < nr; i++) {
		uint64_t time_ns = s->items[order[i].item].time_ns;

		if (s->last_ns)
			pt_json_ms(b, NULL, PT_MAX(time_ns, s->first_ns) - s->first_ns);
		else
			pt_json_u64(b, NULL, i);
		pt_sink_pace(f->sink);
	}
	pt_json_close(b, ']');
	pt_json_open(b, "weight", '[');
	for (i = 0; i < nr; i++) {
		const struct pt_samples_item *x = &s->items[order[i].item];

		if (unit == PT_SAMPLES_US)
			pt_json_ms(b, NULL, x->weight * 1000);
		else
			pt_json_u64(b, NULL, x->samples);
		pt_sink_pace(f->sink);
	}
	pt_json_close(b, ']');
	pt_json_str(b, "weightType", unit == PT_SAMPLES_US ? "tracing-ms" : "samples");
	pt_json_u64(b, "length", nr);
	pt_json_close(b, '}');
}

static void firefox_write_task(struct firefox *f, const struct pt_samples_series *series,
			       struct pt_buf *b)
{
	const struct pt_samples_task *t = &f->s->tasks[series->task];
	struct pt_buf text = PT_BUF_INIT;
	bool known = t->tid != PT_SAMPLES_UNKNOWN;

	pt_buf_puts(&text, t->comm);
	if (f->s->nr_events > 1)
		pt_buf_printf(&text, " (%s)", f->s->events[series->event].name);
	pt_json_str(b, "name", pt_buf_str(&text));
	pt_json_str(b, "processName", t->comm);
	pt_json_str(b, "processType", "default");
	pt_buf_clear(&text);
	pt_buf_dec(&text, known ? t->pid : f->thread);
	pt_json_str(b, "pid", pt_buf_str(&text));
	pt_json_u64(b, "tid", known ? t->tid : f->thread);
	pt_json_bool(b, "isMainThread", !known || t->tid == t->pid);
	pt_buf_deinit(&text);
}

static void write_thread(struct firefox *f, const struct pt_samples_order *order, size_t nr)
{
	const struct pt_samples_series *series = &f->s->series[order->series];
	struct pt_buf *b = &f->sink->text;

	firefox_tables(f, order, nr);
	pt_json_open(b, NULL, '{');
	firefox_write_task(f, series, b);
	pt_json_u64(b, "processStartupTime", 0);
	pt_json_null(b, "processShutdownTime");
	pt_json_u64(b, "registerTime", 0);
	pt_json_null(b, "unregisterTime");
	pt_json_open(b, "pausedRanges", '[');
	pt_json_close(b, ']');
	firefox_write_samples(f, order, nr, f->s->events[series->event].unit);
	firefox_write_tables(f);
	pt_json_close(b, '}');
}

/* -- the file -- */

static void write_categories(struct pt_buf *b)
{
	static const struct { const char *name, *colour; } categories[] = {
		[CATEGORY_OTHER] = { "Other", "grey" },
		[CATEGORY_USER] = { "User", "yellow" },
		[CATEGORY_KERNEL] = { "Kernel", "orange" },
	};

	pt_json_open(b, "categories", '[');
	for (size_t i = 0; i < PT_NR(categories); i++) {
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "name", categories[i].name);
		pt_json_str(b, "color", categories[i].colour);
		pt_json_open(b, "subcategories", '[');
		pt_json_str(b, NULL, "Other");
		pt_json_close(b, ']');
		pt_json_close(b, '}');
	}
	pt_json_close(b, ']');
}

static void write_meta(const struct firefox *f, const struct pt_sink_about *about)
{
	const struct pt_info *info = about->info;
	const struct pt_samples_event *ev = f->s->nr_events ? &f->s->events[0] : NULL;
	struct pt_buf *b = &f->sink->text;

	pt_json_open(b, "meta", '{');
	if (ev && ev->unit == PT_SAMPLES_NS && ev->period)
		pt_json_ms(b, "interval", ev->period);
	else
		pt_json_u64(b, "interval", 1);
	if (info && info->has_clock_data && f->s->first_ns)
		pt_json_ms(b, "startTime", info->wall_ns + (f->s->first_ns - info->clock_ns));
	else
		pt_json_u64(b, "startTime", 0);
	pt_json_u64(b, "processType", 0);
	pt_json_str(b, "product", about->title);
	pt_json_str(b, "importedFrom", "pt-convert " PT_VERSION);
	if (info) {
		pt_json_str(b, "oscpu", info->os_release);
		pt_json_str(b, "CPUName", info->cpu_desc);
		pt_json_u64(b, "logicalCPUs", info->nr_cpus_online);
	}
	pt_json_u64(b, "stackwalk", 1);
	pt_json_u64(b, "version", GECKO_VERSION);
	pt_json_u64(b, "preprocessedProfileVersion", FORMAT_VERSION);
	pt_json_bool(b, "symbolicated", true);
	pt_json_open(b, "markerSchema", '[');
	pt_json_close(b, ']');
	write_categories(b);
	pt_json_close(b, '}');
}

static void write_libs(struct firefox *f)
{
	static const char *const of_path[] = { "path", "debugName", "debugPath" };
	struct pt_buf *b = &f->sink->text;

	pt_json_open(b, "libs", '[');
	for (size_t i = 0; i < f->s->nr_functions; i++) {
		const char *module = f->s->functions[i].module;
		uint64_t *slot = module ? pt_map_put(&f->libs, pt_word_of(module)) : NULL;

		if (!slot || *slot)
			continue;
		*slot = f->libs.nr;
		pt_json_open(b, NULL, '{');
		pt_json_str(b, "name", pt_text_base(module));
		for (size_t k = 0; k < PT_NR(of_path); k++)
			pt_json_str(b, of_path[k], module);
		pt_json_str(b, "arch", "");
		pt_json_str(b, "breakpadId", "");
		pt_json_null(b, "codeId");
		pt_json_close(b, '}');
		pt_sink_pace(f->sink);
	}
	pt_json_close(b, ']');
}

static void firefox_deinit(struct firefox *f)
{
	pt_map_deinit(&f->string_numbers);
	pt_map_deinit(&f->resource_numbers);
	pt_map_deinit(&f->libs);
	free(f->nodes);
	free(f->place_frames);
	free(f->functions);
	free(f->used_nodes);
	for (size_t i = 0; i < NR_TABLES; i++)
		free(f->rows[i].cells);
	free(f->strings);
}

int pt_firefox_write(struct pt_samples *s, const struct pt_sink_about *about, struct pt_sink *sink,
		     struct pt_err *e)
{
	struct pt_samples_order *order = pt_samples_by_series(s);
	struct firefox f = { .s = s, .sink = sink };
	struct pt_buf *b = &sink->text;
	size_t from, to;

	f.nodes = pt_alloc_array(s->nr_nodes, sizeof(*f.nodes));
	f.place_frames = pt_alloc_array(s->nr_place_frames, sizeof(*f.place_frames));
	f.functions = pt_alloc_array(s->nr_functions, sizeof(*f.functions));
	pt_json_open(b, NULL, '{');
	write_meta(&f, about);
	write_libs(&f);
	pt_json_open(b, "threads", '[');
	for (from = 0; from < s->nr_items; from = to) {
		for (to = from; to < s->nr_items && order[to].series == order[from].series; to++)
			;
		write_thread(&f, order + from, to - from);
	}
	pt_json_close(b, ']');
	pt_json_end_line(b);
	firefox_deinit(&f);
	free(order);
	return pt_sink_end(sink, e);
}
