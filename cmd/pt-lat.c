/* pt-lat - latency between two events of the same key: lines, histograms, tables. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/lines.h"
#include "base/mem.h"
#include "cli/analysis.h"
#include "cli/began.h"
#include "cli/callgraph.h"
#include "cli/opt.h"
#include "cli/pairs.h"
#include "cli/symbols.h"
#include "cli/textin.h"
#include "lat/lat.h"
#include "lat/lat_sum.h"

struct args {
	bool hist, summary, json, buckets, merge;
	const char *by, *output;
	uint64_t min_ns, max_ns, interval_ns, worst;
	struct pt_pairs_args pairs;
	struct pt_call_graph call_graph;
	struct pt_frames_opts frames;
	struct pt_watch_args watch;
	struct pt_input_args input;
	struct pt_choose choose;
};

static const struct pt_opt own[] = {
	PT_ROW_FLAG('S', "summary", "table of count, mean, percentiles, max and total", summary),
	PT_ROW_FLAG('H', "hist", "histogram of powers of two", hist),
	PT_ROW_FLAG(0, "buckets", "the whole histogram, one line per row, for --merge", buckets),
	PT_ROW_FLAG(0, "merge", "FILES are what --buckets wrote, of any machines: add them up",
		    merge),
	PT_ROW(0, "by", "KEY", "a row or histogram for each: " PT_PAIRS_BY, PT_OPT_STR, by,
	       .list = PT_PAIRS_BY),
	PT_ROW('I', "interval", "MS", "print tables and histograms at this interval (1000, 1s)",
	       PT_OPT_MSEC, interval_ns),
	PT_ROW(0, "min", "TIME", "only latencies of at least this: 1ms, 500us", PT_OPT_TIME,
	       min_ns),
	PT_ROW(0, "max", "TIME", "only latencies of at most this", PT_OPT_TIME, max_ns),
	PT_ROW(0, "worst", "N", "only the N longest, longest first, at the end", PT_OPT_U64, worst,
	       .min = 1, .max = 1000),
	PT_ROW_FLAG('g', NULL, "with --worst: the stack that began each of them", call_graph.wanted),
	PT_ROW_CALL_GRAPH("the same; how stacks are taken: dwarf[,BYTES] (default), fp, lbr"),
	PT_ROW_JSON("one JSON object per line"),
	PT_ROW_OUTPUT,
	{ 0 }
};

static const struct pt_tool tool = {
	.name = "pt-lat",
	.forms = PT_LINES(
		"[OPTION...] [FILE... | -]",
		"[OPTION...] [-a | -p PID] [-- COMMAND [ARG...]]",
		"--merge [-S | -H | --buckets] [-j] [FILE... | -]"),
	.groups = PT_GROUPS(
		PT_OWN("Output", own),
		PT_GROUP("Pairs", pt_opts_pairs, pairs),
		PT_GROUP("Symbols", pt_opts_symbols, frames),
		PT_GROUPS_ANALYSIS),
	.examples = PT_LINES(
		"pt-lat --min 1ms fio.data | pt-heatmap > slow.svg",
		"pt-lat --block --hist --by dev -- fio job.fio",
		"pt-lat --sched --summary --by comm -a --for 5",
		"pt-lat --from irq:irq_handler_entry --to irq:irq_handler_exit --key irq,cpu -a --for 1"),
};

struct run {
	struct args *a;
	struct pt_analysis an;
	struct pt_lat *lat;
	struct pt_began *began;		/* of --worst */
	struct pt_buf key;
	struct pt_lat_sum sum;
	uint64_t next_ns;		/* when the interval ends */
	uint64_t last_ns;		/* time of the last sample */
	struct worst { uint64_t latency_ns; struct pt_buf line; } *worst;	/* of --worst */
	size_t nr_worst;
	uint64_t nr_within;		/* latencies that --min and --max choose */
	struct { uint64_t nr, least_ns, most_ns; } outside;
};

static bool sums(const struct args *a)
{
	return a->hist || a->summary || a->buckets;
}

static void json_line(struct run *r, const struct pt_latency *lat, const struct pt_record *rec,
		      struct pt_buf *b)
{
	static const char *const texts[] = { "dev", "op", "syscall", "key", "comm" };

	pt_json_open(b, NULL, '{');
	pt_json_us(b, "time_us", lat->end_ns);
	pt_json_us(b, "latency_us", lat->latency_ns);
	for (size_t i = 0; i < PT_NR(texts); i++) {
		pt_buf_clear(&r->key);
		if (pt_lat_by(r->lat, texts[i], lat, rec, &r->key) && r->key.len)
			pt_json_strn(b, texts[i], r->key.data, r->key.len);
	}
	if (pt_lat_kind(r->lat) == PT_LAT_BLOCK) {
		pt_json_u64(b, "sector", lat->sector);
		pt_json_u64(b, "sectors", lat->nr_sectors);
	}
	if (lat->error)
		pt_json_s64(b, "error", lat->error);
	if (lat->open)
		pt_json_bool(b, "open", true);
	if (lat->pid != UINT32_MAX)
		pt_json_u64(b, "pid", lat->pid);
	if (lat->tid != UINT32_MAX)
		pt_json_u64(b, "tid", lat->tid);
	if (lat->cpu != UINT32_MAX)
		pt_json_u64(b, "cpu", lat->cpu);
	if (r->began)
		pt_began_json(r->began, lat, b);
	pt_json_end_line(b);
}

static void line(struct run *r, const struct pt_latency *lat, const struct pt_record *rec,
		 struct pt_buf *b)
{
	size_t from;

	if (r->a->json) {
		json_line(r, lat, rec, b);
		return;
	}
	pt_buf_ns_as_us(b, lat->end_ns);
	pt_buf_putc(b, ' ');
	pt_buf_ns_as_us(b, lat->latency_ns);
	pt_buf_putc(b, ' ');
	from = b->len;
	pt_lat_words(r->lat, lat, rec, b);
	if (r->began)
		pt_began_words(r->began, lat, b);
	if (lat->open)
		pt_buf_puts(b, " [not ended]");
	if (b->len == from)
		b->len--;
	pt_buf_putc(b, '\n');
	if (r->began)
		pt_began_stack(lat, b);
}

/* Keeps the line if it is one of the N longest, the longest first; of equal ones the earlier. */
static void keep_worst(struct run *r, const struct pt_latency *lat, const struct pt_record *rec)
{
	size_t i = r->nr_worst;
	struct pt_buf text;

	if (i < r->a->worst)
		r->nr_worst++;
	else if (lat->latency_ns <= r->worst[--i].latency_ns)
		return;
	text = r->worst[i].line;
	for (; i > 0 && r->worst[i - 1].latency_ns < lat->latency_ns; i--)
		r->worst[i] = r->worst[i - 1];
	pt_buf_clear(&text);
	line(r, lat, rec, &text);
	r->worst[i] = (struct worst){ lat->latency_ns, text };
}

static bool chosen(struct run *r, const struct pt_latency *lat,
		   const struct pt_record *rec)
{
	bool within = lat->latency_ns >= r->a->min_ns &&
		      (!r->a->max_ns || lat->latency_ns <= r->a->max_ns);

	r->nr_within += within;
	if (!within) {
		r->outside.least_ns = r->outside.nr ? PT_MIN(r->outside.least_ns, lat->latency_ns)
						    : lat->latency_ns;
		r->outside.most_ns = PT_MAX(r->outside.most_ns, lat->latency_ns);
		r->outside.nr++;
		return false;
	}
	return pt_pairs_choose(&r->a->pairs, &r->a->choose, r->lat, lat, rec);
}

static void say_within(const struct run *r)
{
	struct pt_buf b = PT_BUF_INIT;

	if (r->nr_within || !r->outside.nr || pt_analysis_gone(&r->an))
		return;
	pt_buf_ns_as_us(&b, r->outside.least_ns);
	pt_buf_puts(&b, " to ");
	pt_buf_ns_as_us(&b, r->outside.most_ns);
	pt_warn(&tool, "%s none of %llu latencies: they took %s us",
		!r->a->max_ns   ? "--min chooses"
		: r->a->min_ns ? "--min and --max choose"
				: "--max chooses", (unsigned long long)r->outside.nr, pt_buf_str(&b));
	pt_buf_deinit(&b);
}

static void put_worst(struct run *r)
{
	uint64_t end_ns = pt_analysis_end_ns(&r->an);
	struct pt_latency lat;

	for (size_t i = 0; r->a->worst && pt_lat_open(r->lat, &i, end_ns, &lat); )
		if (chosen(r, &lat, NULL))
			keep_worst(r, &lat, NULL);
	for (size_t i = 0; i < r->nr_worst; i++) {
		pt_buf_puts(&r->an.text, pt_buf_str(&r->worst[i].line));
		pt_buf_deinit(&r->worst[i].line);
	}
	free(r->worst);
}

static void take(struct run *r, const struct pt_latency *lat, const struct pt_record *rec)
{
	const struct args *a = r->a;

	if (!chosen(r, lat, rec))
		return;
	if (a->worst) {
		keep_worst(r, lat, rec);
		return;
	}
	if (!sums(a)) {
		line(r, lat, rec, &r->an.text);
		return;
	}
	pt_buf_clear(&r->key);
	if (a->by && !pt_lat_by(r->lat, a->by, lat, rec, &r->key))
		pt_pairs_usage_by(&tool, a->by, r->lat, r->an.src);
	if (a->by && !r->key.len)
		pt_buf_puts(&r->key, "?");
	pt_hist_add(pt_lat_sum_row(&r->sum, pt_buf_str(&r->key), r->key.len), lat->latency_ns);
}

/* Prints the sums of the interval that ended at time_ns, or of all (0). */
static void put_sums(struct run *r, uint64_t time_ns)
{
	const struct args *a = r->a;

	if (a->buckets) {
		pt_lat_sum_buckets(&r->sum, a->by, &r->an.text);
		return;
	}
	if (a->json) {
		pt_lat_sum_json(&r->sum, a->by, time_ns, a->hist, &r->an.text);
		return;
	}
	if (time_ns) {
		pt_buf_usec(&r->an.text, time_ns);
		pt_buf_puts(&r->an.text, " s\n");
	}
	if (a->summary)
		pt_lat_sum_table(&r->sum, a->by, &r->an.text);
	if (a->summary && a->hist)
		pt_buf_putc(&r->an.text, '\n');
	if (a->hist)
		pt_lat_sum_hists(&r->sum, a->by, &r->an.text);
	if (time_ns)
		pt_buf_putc(&r->an.text, '\n');
}

static void intervals(struct run *r, const struct pt_record *rec)
{
	if (!(rec->has & PERF_SAMPLE_TIME) || rec->time_ns < r->next_ns)
		return;
	if (!r->next_ns) {
		r->next_ns = rec->time_ns + r->a->interval_ns;
		return;
	}
	put_sums(r, r->next_ns);
	pt_lat_sum_clear(&r->sum);
	r->next_ns += r->a->interval_ns;
	if (r->next_ns <= rec->time_ns)		/* no record for longer than an interval */
		r->next_ns = rec->time_ns + r->a->interval_ns -
			     (rec->time_ns - r->next_ns) % r->a->interval_ns;
	if (pt_out_buf(r->an.out, &r->an.text, &r->an.err) < 0)
		r->an.rc = -1;
}

static int see(struct run *r, const struct pt_record *rec)
{
	struct pt_latency lat;
	int rc;

	if (r->a->interval_ns && r->an.started && sums(r->a))
		intervals(r, rec);
	if (rec->type == PERF_RECORD_SAMPLE)
		r->last_ns = rec->time_ns;
	if (r->began)
		pt_began_see(r->began, rec);
	rc = pt_lat_feed(r->lat, rec, &lat, &r->an.err);
	if (rc > 0)
		take(r, &lat, rec);
	return rc;
}

static void check_args(const struct args *a)
{
	if (a->buckets && (a->json || a->interval_ns))
		pt_usage(&tool, "--buckets goes neither with --json nor with --interval");
	if (a->by && !sums(a))
		pt_usage(&tool, "--by goes with --summary, --hist or --buckets");
	if (a->worst && sums(a))
		pt_usage(&tool, "--worst and --%s: one of them",
			 a->hist ? "hist" : a->summary ? "summary" : "buckets");
	if (a->interval_ns && !sums(a))
		pt_usage(&tool, "--interval goes with --summary or --hist");
	if (a->call_graph.wanted && !a->worst)
		pt_usage(&tool, "-g needs --worst N: stacks are shown of the N longest");
	if (a->max_ns && a->max_ns < a->min_ns)
		pt_usage(&tool, "--min is above --max: that leaves nothing");
}

/* -- what --buckets wrote -- */

struct merging {
	struct run *r;
	struct pt_textin in;
	struct pt_buf text;
	char *by;
	int rc;
};

static void merge_line(void *arg, const char *s, size_t len)
{
	struct merging *m = arg;
	struct pt_err *e = &m->r->an.err;

	if (m->rc < 0 || !len)
		return;
	pt_buf_clear(&m->text);
	pt_buf_add(&m->text, s, len);
	m->rc = pt_lat_sum_read(&m->r->sum, pt_buf_str(&m->text), &m->by, e);
	if (m->rc < 0)
		pt_err_context(e, "%s", m->in.name);
}

static int merge(struct run *r)
{
	struct pt_operands operands = r->an.operands;
	struct merging m = { .r = r, .in = { .files = operands.v, .nr = operands.nr } };
	struct pt_lines lines = { .line = merge_line, .arg = &m };
	static char block[1 << 16];
	struct args *a = r->a;
	ssize_t n = 0;

	if (a->buckets && a->json)
		pt_usage(&tool, "--buckets and --json: one of them");
	if (a->by || a->interval_ns || a->worst)
		pt_usage(&tool,
			 "--merge takes rows as they are: without --by, --interval and --worst");
	a->summary = a->summary || !sums(a);
	pt_textin_start(&tool, &m.in);
	pt_lat_sum_init(&r->sum);
	while (m.rc == 0 && (n = pt_textin_read(&m.in, block, sizeof(block), &r->an.err)) > 0)
		pt_lines_feed(&lines, block, (size_t)n);
	pt_lines_end(&lines);
	if (m.rc == 0 && n == 0 && !m.by)
		m.rc = pt_err_set(&r->an.err, "nothing that pt-lat --buckets wrote");
	if (m.rc == 0 && n == 0) {
		a->by = strcmp(m.by, "-") ? m.by : NULL;
		put_sums(r, 0);
	}
	n = pt_finish_text(&tool, a->output, &r->an.text, m.rc < 0 || n < 0 ? -1 : 0, &r->an.err);
	pt_lines_deinit(&lines);
	pt_lat_sum_deinit(&r->sum);
	pt_buf_deinit(&m.text);
	free(m.by);
	return (int)n;
}

static void watch_stacks(struct args *a)
{
	pt_symbols_ready(&tool, &a->frames);
	pt_call_graph_watch(&a->call_graph, &a->watch.watch);
	a->watch.watch.want_maps = a->watch.watch.slow_reader = true;
	a->watch.watch.no_kernel_map = !a->frames.vmlinux;
}

int main(int argc, char **argv)
{
	static struct args a = { .call_graph.how = "dwarf" };
	struct run r = { .a = &a, .an = PT_ANALYSIS(a) };
	struct pt_lat_opts o = { .kind = PT_LAT_CHOOSE };
	const struct pt_record *rec;

	pt_analysis_parse(&r.an, argc, argv, &a);
	if (a.merge)
		return merge(&r);
	check_args(&a);
	pt_pairs_ready(&tool, &a.pairs, &a.watch, &o);
	o.want_comm =
		!sums(&a) || a.choose.comms.nr || (a.by && !strcmp(a.by, "comm"));
	a.watch.watch.interval_ns = a.interval_ns;
	if (a.call_graph.wanted)
		watch_stacks(&a);
	pt_analysis_open(&r.an, a.pairs.events);
	pt_analysis_output(&r.an, a.output);
	if (a.call_graph.wanted)
		pt_analysis_frames(&r.an, &a.frames);
	if (a.worst)
		r.began = pt_began_new(&r.an, a.call_graph.wanted);
	o.began = a.worst ? pt_began_note : NULL;
	o.began_ctx = r.began;
	r.lat = pt_lat_new(&o, r.an.src);
	pt_lat_sum_init(&r.sum);
	r.worst = pt_alloc_array(a.worst, sizeof(*r.worst));
	while (pt_analysis_next(&r.an, &rec))
		if (see(&r, rec) < 0)
			r.an.rc = -1;
	if (sums(&a) && (r.an.rc == 0 || r.sum.nr) && !pt_analysis_gone(&r.an))
		put_sums(&r, a.interval_ns ? r.last_ns : 0);
	put_worst(&r);
	pt_analysis_print(&r.an);
	if (!pt_analysis_gone(&r.an))
		pt_pairs_say(&tool, r.lat);
	say_within(&r);
	pt_analysis_offer(&r.an, "--op", &a.pairs.ops_there);
	if (a.call_graph.wanted && !pt_began_some_stack(r.began) && !pt_analysis_gone(&r.an))
		pt_warn(&tool, "-g: no stacks: a recording needs call chains (pt-record -g), and wake-ups have none");
	pt_lat_free(r.lat);
	pt_began_free(r.began);
	pt_lat_sum_deinit(&r.sum);
	pt_buf_deinit(&r.key);
	return pt_analysis_end(&r.an);
}
