/* Samples put together, and the file of each form, read back. Names are hostile. */
#include "test.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "export/firefox.h"
#include "export/perfetto.h"
#include "export/pprof.h"
#include "export/speedscope.h"

#define BAD "<script>\"\\\x01\xff"
#define VALID "<script>\"\\\x01\xef\xbf\xbd"

static int a, b, c;			/* places, by their addresses */
static char long_name[3001];

/* a: main; b: two functions inlined into work(); c: a kernel's, of an evil name. */
static struct pt_samples_names name(void *ctx, const void *place, uint64_t times)
{
	static const struct pt_samples_named of_a[] = { { "main", "/bin/prog", "prog.c", 12, false } };
	static struct pt_samples_named of_b[] = { { BAD, "/bin/prog", "prog.h", 3, false },
						  { long_name, "/bin/prog", "prog.h", 7, false },
						  { "work", "/bin/prog", "prog.c", 40, false } };
	static const struct pt_samples_named of_c[] = { { "vfs_read", "[kernel.kallsyms]", NULL, 0, true } };
	uint64_t *all = ctx;

	*all += times;
	if (place == &a)
		return (struct pt_samples_names){ of_a, 1, 0x1000, "0123ab" };
	if (place == &b)
		return (struct pt_samples_names){ of_b, 3, 0x2000, "0123ab" };
	return (struct pt_samples_names){ of_c, 1, 0xffffffff81000010, "" };
}

static struct pt_samples *samples(bool in_order)
{
	static const struct pt_samples_event clock = { "cpu-clock", PT_SAMPLES_NS, 1000000 },
					     faults = { "page-faults", PT_SAMPLES_COUNT, 1 };
	const struct pt_samples_task one = { 10, 10, BAD }, two = { 10, 11, "thread" };
	const void *deep[] = { &c, &b, &a }, *flat[] = { &a };
	struct pt_samples *s = pt_samples_new(in_order);
	struct pt_samples_item x = { .samples = 1, .weight = 1000000, .cpu = 1 };
	uint64_t all = 0;

	memset(long_name, 'x', 3000);
	for (x.time_ns = 5000000; x.time_ns < 10000000; x.time_ns += 1000000) {
		x.series = pt_samples_series(s, x.time_ns < 8000000 ? &one : &two, &clock);
		pt_samples_add(s, &x, x.time_ns == 7000000 ? flat : deep,
			       x.time_ns == 7000000 ? 1 : 3);
	}
	x = (struct pt_samples_item){ .time_ns = 6500000, .samples = 1, .weight = 4 };
	x.series = pt_samples_series(s, &one, &faults);
	pt_samples_add(s, &x, NULL, 0);
	pt_samples_name(s, name, &all);
	CHECK_INT(all, 1 + 4 * 3);
	return s;
}

TEST(samples_are_added_up)
{
	struct pt_samples *s = samples(false);
	const uint32_t *frames;

	CHECK_INT(s->nr_items, 4);		/* deep and flat of one, deep of two, the fault */
	CHECK_INT(s->items[0].samples, 2);
	CHECK_INT(s->items[0].weight, 2000000);
	CHECK_INT(s->nr_nodes, 4);
	CHECK_INT(s->nr_places, 3);
	CHECK_INT(s->nr_functions, 5);
	CHECK_INT(s->first_ns, 5000000);
	CHECK_INT(s->last_ns, 9000000);
	CHECK_INT(pt_samples_stack(s, s->items[0].node, &frames), 5);
	CHECK_STR(s->functions[s->frames[frames[0]].function].name, "main");
	CHECK_STR(s->functions[s->frames[frames[1]].function].name, "work");
	CHECK_STR(s->functions[s->frames[frames[3]].function].name, BAD);
	CHECK_STR(s->functions[s->frames[frames[4]].function].name, "vfs_read");
	CHECK_INT(pt_samples_stack(s, 0, &frames), 0);
	pt_samples_free(s);
}

TEST(samples_in_order)
{
	struct pt_samples *s = samples(true);
	struct pt_samples_order *order = pt_samples_by_series(s);

	CHECK_INT(s->nr_items, 6);
	CHECK_INT(order[0].series, order[2].series);
	CHECK(s->items[order[0].item].time_ns < s->items[order[1].item].time_ns);
	CHECK(order[2].series < order[3].series);
	free(order);
	pt_samples_free(s);
}

/* -- files -- */

static int keep(void *ctx, const void *p, size_t len, struct pt_err *e)
{
	(void)e;
	pt_buf_add(ctx, p, len);
	return 0;
}

static int refuse(void *ctx, const void *p, size_t len, struct pt_err *e)
{
	(void)p, (void)len;
	++*(int *)ctx;
	return pt_err_set(e, "the disk is full");
}

static const struct pt_sink_about about = { .title = "a \"title\"" };

TEST(speedscope)
{
	struct pt_buf out = PT_BUF_INIT;
	struct pt_sink sink = { .write = keep, .ctx = &out };
	struct pt_samples *s = samples(true);
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_speedscope_write(s, &about, &sink, &e), 0);
	CHECK_HAS(out.data, "\"name\":\"a \\\"title\\\"\",\"activeProfileIndex\":0");
	CHECK_HAS(out.data, "{\"name\":\"main\",\"file\":\"prog.c\",\"line\":12}");
	CHECK_HAS(out.data, "{\"name\":\"<script>\\\"\\\\\\u0001\xef\xbf\xbd\",\"file\":\"prog.h\",\"line\":3}");
	CHECK_HAS(out.data, "{\"name\":\"vfs_read\",\"file\":\"[kernel.kallsyms]\"}");
	/* the first two are one stack */
	CHECK_HAS(out.data, "(cpu-clock)\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":3000000,\"samples\":[[0,3,2,1,4],[0]],\"weights\":[2000000,1000000]}");
	CHECK_HAS(out.data, "(page-faults)\",\"unit\":\"none\",\"startValue\":0,\"endValue\":4,\"samples\":[[]],\"weights\":[4]}");
	pt_buf_deinit(&out);
	pt_samples_free(s);
}

TEST(firefox)
{
	struct pt_buf out = PT_BUF_INIT;
	struct pt_sink sink = { .write = keep, .ctx = &out };
	struct pt_info info = { .has_clock_data = true, .clock_ns = 1000000, .wall_ns = 1700000000000000000 };
	struct pt_sink_about with = { .title = "t", .info = &info };
	struct pt_samples *s = samples(true);
	struct pt_err e = PT_ERR_INIT;

	CHECK_INT(pt_firefox_write(s, &with, &sink, &e), 0);
	CHECK_HAS(out.data, "\"interval\":1.000000,\"startTime\":1700000000004.000000");
	CHECK_HAS(out.data, "\"name\":\"thread (cpu-clock)\",\"processName\":\"thread\",\"processType\":\"default\",\"pid\":\"10\",\"tid\":11,\"isMainThread\":false");
	CHECK_HAS(out.data, "\"samples\":{\"stack\":[4,4,0],\"time\":[0.000000,1.000000,2.000000],\"weight\":[1,1,1],\"weightType\":\"samples\",\"length\":3}");
	CHECK_HAS(out.data, "\"stackTable\":{\"frame\":[0,1,2,3,4],\"prefix\":[null,0,1,2,3],\"category\":[1,1,1,1,2]");
	CHECK_HAS(out.data, "\"frameTable\":{\"address\":[4096,8192,8192,8192,-1],\"inlineDepth\":[0,0,1,2,0]");
	CHECK_HAS(out.data, "\"line\":[12,40,7,3,null]");
	CHECK_HAS(out.data, "\"stack\":[null],\"time\":[1.500000],\"weight\":[1]");
	pt_buf_deinit(&out);
	pt_samples_free(s);
}

TEST(a_failed_write_ends_it)
{
	struct pt_samples *s = samples(true);
	struct pt_err e = PT_ERR_INIT;
	int calls = 0;
	struct pt_sink sink = { .write = refuse, .ctx = &calls };

	CHECK_INT(pt_speedscope_write(s, &about, &sink, &e), -1);
	CHECK_STR(e.msg, "the disk is full");
	CHECK_INT(calls, 1);
	pt_samples_free(s);
}

#ifdef PT_WITH_PROTOBUF
#include "perfetto.pb-c.h"
#include "pprof.pb-c.h"

static const char *text_of(const Pp__Profile *p, int64_t i)
{
	CHECK(i >= 0 && (size_t)i < p->n_string_table);
	return p->string_table[i];
}

TEST(pprof)
{
	static uint8_t plain[1 << 16];
	struct pt_buf out = PT_BUF_INIT;
	struct pt_sink sink = { .write = keep, .ctx = &out };
	struct pt_samples *s = samples(false);
	struct pt_err e = PT_ERR_INIT;
	z_stream z = { .next_out = plain, .avail_out = sizeof(plain) };
	Pp__Profile *p;

	CHECK_INT(pt_pprof_write(s, &about, &sink, &e), 0);
	z.next_in = (Bytef *)out.data;
	z.avail_in = (uInt)out.len;
	CHECK_INT(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	CHECK_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	p = pp__profile__unpack(NULL, z.total_out, plain);
	inflateEnd(&z);
	CHECK(p);
	CHECK_STR(p->string_table[0], "");
	CHECK_INT(p->n_sample_type, 4);
	CHECK_STR(text_of(p, p->sample_type[0]->type), "samples/cpu-clock");
	CHECK_STR(text_of(p, p->sample_type[1]->type), "cpu-clock");
	CHECK_STR(text_of(p, p->sample_type[1]->unit), "nanoseconds");
	CHECK_STR(text_of(p, p->sample_type[3]->unit), "count");
	CHECK_INT(p->n_sample, 4);
	CHECK_INT(p->sample[0]->n_value, 4);
	CHECK_INT(p->sample[0]->value[0], 2);
	CHECK_INT(p->sample[0]->value[1], 2000000);
	CHECK_INT(p->sample[3]->value[0], 0);
	CHECK_INT(p->sample[3]->value[3], 4);
	CHECK_INT(p->sample[3]->n_location_id, 0);
	/* innermost first, and so are the lines of a location */
	CHECK_INT(p->sample[0]->n_location_id, 3);
	CHECK_INT(p->location[p->sample[0]->location_id[0] - 1]->address, (int64_t)0xffffffff81000010);
	CHECK_INT(p->location[p->sample[0]->location_id[1] - 1]->n_line, 3);
	CHECK_INT(p->location[1]->line[0]->line, 3);
	CHECK_STR(text_of(p, p->function[p->location[1]->line[0]->function_id - 1]->name), VALID);
	CHECK_STR(text_of(p, p->function[p->location[1]->line[1]->function_id - 1]->name), long_name);
	CHECK_STR(text_of(p, p->function[p->location[1]->line[2]->function_id - 1]->filename), "prog.c");
	CHECK_INT(p->n_mapping, 2);
	CHECK_STR(text_of(p, p->mapping[0]->filename), "/bin/prog");
	CHECK_INT(p->mapping[0]->memory_limit, 0x2001);
	CHECK_STR(text_of(p, p->mapping[0]->build_id), "0123ab");
	CHECK_STR(text_of(p, p->mapping[1]->build_id), "");
	CHECK_INT(p->sample[2]->n_label, 3);
	CHECK_STR(text_of(p, p->sample[2]->label[0]->str), "thread");
	CHECK_INT(p->sample[2]->label[2]->num, 11);
	CHECK_INT(p->period, 1000000);
	CHECK_INT(p->duration_nanos, 4000000);
	pp__profile__free_unpacked(p, NULL);
	pt_buf_deinit(&out);
	pt_samples_free(s);
}

/* A recording of tests/data as a trace, unpacked. */
static Pf__Trace *trace_of(const char *file, const struct pt_samples *s)
{
	const char *data = getenv("PT_DATA");
	struct pt_buf path = PT_BUF_INIT, out = PT_BUF_INIT;
	const struct pt_record *rec;
	struct pt_err e = PT_ERR_INIT;
	struct pt_source *src;
	struct pt_perfetto_counts counts;
	struct pt_perfetto *p;
	Pf__Trace *t;
	size_t i = 0;

	pt_buf_printf(&path, "%s/%s", data ? data : "tests/data", file);
	if (pt_source_open(&src, path.data, NULL, &e) < 0)
		FAIL("%s", e.msg);
	p = pt_perfetto_new(src, &out);
	while (pt_source_next(src, &rec, &e) > 0)
		pt_perfetto_feed(p, rec, "comm");
	pt_perfetto_end(p);
	while (s && pt_perfetto_stacks(p, (struct pt_samples *)s, &i))
		;
	counts = pt_perfetto_counts(p);
	CHECK_INT(counts.bad + counts.no_cpu + counts.timeless, 0);
	t = pf__trace__unpack(NULL, out.len, (uint8_t *)out.data);
	pt_perfetto_free(p);
	pt_source_free(src);
	pt_buf_deinit(&path);
	pt_buf_deinit(&out);
	CHECK(t);
	return t;
}

TEST(perfetto_switches)
{
	Pf__Trace *t = trace_of("sched-8cpus.data", NULL);
	uint64_t switches = 0, wakeups = 0, last[8] = { 0 };

	for (size_t i = 0; i < t->n_packet; i++) {
		Pf__FtraceEventBundle *bundle;

		CHECK_INT(t->packet[i]->sequence_flags, i ? 2 : 1);
		if (!t->packet[i]->has_ftrace_events)
			continue;
		bundle = pf__ftrace_event_bundle__unpack(NULL, t->packet[i]->ftrace_events.len,
							 t->packet[i]->ftrace_events.data);
		CHECK(bundle && bundle->has_cpu && bundle->cpu < 8);
		for (size_t k = 0; k < bundle->n_event; k++) {
			Pf__FtraceEvent *ev = bundle->event[k];

			CHECK(ev->timestamp >= last[bundle->cpu]);
			last[bundle->cpu] = ev->timestamp;
			switches += ev->sched_switch != NULL;
			wakeups += ev->sched_waking || ev->sched_wakeup || ev->sched_wakeup_new;
		}
		pf__ftrace_event_bundle__free_unpacked(bundle, NULL);
	}
	CHECK_INT(switches, 112);
	CHECK_INT(wakeups, 103);
	pf__trace__free_unpacked(t, NULL);
}

/* Slices on one lane do not overlap; each begins and ends. */
TEST(perfetto_requests)
{
	Pf__Trace *t = trace_of("lat-block.data", NULL);
	uint64_t ends[4] = { 0 }, begun = 0, ended = 0;

	for (size_t i = 0; i < t->n_packet; i++) {
		Pf__TrackEvent *ev = t->packet[i]->track_event;
		size_t lane = ev ? ev->track_uuid >> 32 & 0xffffff : 0;

		if (!ev)
			continue;
		CHECK(lane < PT_NR(ends));
		if (ev->type == 1) {
			CHECK(t->packet[i]->timestamp >= ends[lane]);
			CHECK_STR(ev->categories[0], "block");
			CHECK_STR(ev->debug_annotations[0]->name, "sector");
			begun++;
		} else {
			CHECK_INT(ev->type, 2);
			ends[lane] = t->packet[i]->timestamp;
			ended++;
		}
	}
	CHECK_INT(begun, 18);
	CHECK_INT(ended, 18);
	pf__trace__free_unpacked(t, NULL);
}

TEST(perfetto_stacks)
{
	struct pt_samples *s = samples(true);
	Pf__Trace *t = trace_of("sched.data", s);
	size_t names = 0, stacks = 0, seen = 0, build_ids = 0;

	for (size_t i = 0; i < t->n_packet; i++) {
		const Pf__InternedData *d = t->packet[i]->interned_data;
		const Pf__PerfSample *x = t->packet[i]->perf_sample;

		if (d && d->n_function_names) {
			if (names == 2)		/* main, then the inlined ones */
				CHECK_MEM(d->function_names[0]->str.data, long_name, 3000);
			if (names == 1)
				CHECK_MEM(d->function_names[0]->str.data, VALID, sizeof(VALID) - 1);
			names++;
		}
		stacks += d ? d->n_callstacks : 0;
		for (size_t k = 0; d && k < d->n_mappings; k++) {
			CHECK_INT(d->n_build_ids, d->mappings[k]->has_build_id);
			if (!d->n_build_ids)
				continue;
			CHECK_INT(d->build_ids[0]->iid, d->mappings[k]->build_id);
			CHECK_INT(d->build_ids[0]->str.len, 3);
			CHECK_MEM(d->build_ids[0]->str.data, "\x01\x23\xab", 3);
			build_ids++;
		}
		if (!x)
			continue;
		CHECK_INT(x->pid, 10);
		CHECK_INT(x->has_callstack_iid, t->packet[i]->timestamp != 6500000);
		seen++;
	}
	CHECK_INT(names, s->nr_functions);
	CHECK_INT(stacks, 2);
	CHECK_INT(seen, 6);
	CHECK_INT(build_ids, 1);
	pf__trace__free_unpacked(t, NULL);
	pt_samples_free(s);
}
#endif
