#include "export/speedscope.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"

/* The items of one thread and event: order[from] to order[to - 1]. */
struct part { size_t from, to; uint64_t weight; };

static void speedscope_write_frames(const struct pt_samples *s, struct pt_sink *sink)
{
	struct pt_buf *b = &sink->text;

	pt_json_open(b, "shared", '{');
	pt_json_open(b, "frames", '[');
	for (size_t i = 0; i < s->nr_frames; i++) {
		const struct pt_samples_function *f = &s->functions[s->frames[i].function];

		pt_json_open(b, NULL, '{');
		pt_json_str(b, "name", f->name);
		pt_json_str(b, "file", f->file ? f->file : f->module);
		if (s->frames[i].line)
			pt_json_u64(b, "line", s->frames[i].line);
		pt_json_close(b, '}');
		pt_sink_pace(sink);
	}
	pt_json_close(b, ']');
	pt_json_close(b, '}');
}

/* Equal stacks that follow one another are one sample; returns where the next one begins. */
static size_t same_stacks(const struct pt_samples *s, const struct pt_samples_order *order,
			  size_t i, size_t to, uint64_t *weight)
{
	uint32_t node = s->items[order[i].item].node;

	for (*weight = 0; i < to && s->items[order[i].item].node == node; i++)
		*weight += s->items[order[i].item].weight;
	return i;
}

static void name_profile(const struct pt_samples *s, const struct pt_samples_series *series,
			 struct pt_buf *b)
{
	const struct pt_samples_task *t = &s->tasks[series->task];
	struct pt_buf name = PT_BUF_INIT;

	pt_buf_puts(&name, t->comm);
	if (t->tid != PT_SAMPLES_UNKNOWN)
		pt_buf_printf(&name, " %u", t->tid);
	if (s->nr_events > 1)
		pt_buf_printf(&name, " (%s)", s->events[series->event].name);
	pt_json_str(b, "name", pt_buf_str(&name));
	pt_buf_deinit(&name);
}

static void speedscope_write_profile(struct pt_samples *s, const struct pt_samples_order *order,
				     const struct part *part, struct pt_sink *sink)
{
	static const char *const units[] = { [PT_SAMPLES_COUNT] = "none",
					     [PT_SAMPLES_NS] = "nanoseconds",
					     [PT_SAMPLES_US] = "microseconds" };
	const struct pt_samples_series *series = &s->series[order[part->from].series];
	struct pt_buf *b = &sink->text;
	const uint32_t *frames;
	uint64_t weight;
	size_t i, nr, k;

	pt_json_open(b, NULL, '{');
	pt_json_str(b, "type", "sampled");
	name_profile(s, series, b);
	pt_json_str(b, "unit", units[s->events[series->event].unit]);
	pt_json_u64(b, "startValue", 0);
	pt_json_u64(b, "endValue", part->weight);
	pt_json_open(b, "samples", '[');
	for (i = part->from; i < part->to; pt_sink_pace(sink)) {
		nr = pt_samples_stack(s, s->items[order[i].item].node, &frames);
		pt_json_open(b, NULL, '[');
		for (k = 0; k < nr; k++)
			pt_json_u64(b, NULL, frames[k]);
		pt_json_close(b, ']');
		i = same_stacks(s, order, i, part->to, &weight);
	}
	pt_json_close(b, ']');
	pt_json_open(b, "weights", '[');
	for (i = part->from; i < part->to; pt_sink_pace(sink)) {
		i = same_stacks(s, order, i, part->to, &weight);
		pt_json_u64(b, NULL, weight);
	}
	pt_json_close(b, ']');
	pt_json_close(b, '}');
}

static struct part *speedscope_parts_of(const struct pt_samples *s,
					const struct pt_samples_order *order, size_t *heaviest)
{
	struct part *parts = pt_alloc_array(s->nr_series, sizeof(*parts));

	*heaviest = 0;
	for (size_t i = 0; i < s->nr_items; i++) {
		struct part *p = &parts[order[i].series];

		if (!p->to)
			p->from = i;
		p->to = i + 1;
		p->weight += s->items[order[i].item].weight;
		if (p->weight > parts[*heaviest].weight)
			*heaviest = order[i].series;
	}
	return parts;
}

int pt_speedscope_write(struct pt_samples *s, const struct pt_sink_about *about,
			struct pt_sink *sink, struct pt_err *e)
{
	struct pt_samples_order *order = pt_samples_by_series(s);
	size_t heaviest, i;
	struct part *parts = speedscope_parts_of(s, order, &heaviest);
	struct pt_buf *b = &sink->text;

	pt_json_open(b, NULL, '{');
	pt_json_str(b, "$schema", "https://www.speedscope.app/file-format-schema.json");
	pt_json_str(b, "exporter", "pt-convert " PT_VERSION);
	pt_json_str(b, "name", about->title);
	pt_json_u64(b, "activeProfileIndex", heaviest);
	speedscope_write_frames(s, sink);
	pt_json_open(b, "profiles", '[');
	for (i = 0; i < s->nr_series; i++)
		speedscope_write_profile(s, order, &parts[i], sink);
	pt_json_close(b, ']');
	pt_json_end_line(b);
	free(parts);
	free(order);
	return pt_sink_end(sink, e);
}
