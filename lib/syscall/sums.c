#include "syscall/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/cgroup.h"

/* A call's figures so far, and those that were printed already. */
struct sum_row { uint32_t slot; const char *name; struct pt_sum_value all, printed, fresh; };

/* The rows of one thread or cgroup, or of all. */
struct sum_group { uint64_t of, calls, total_ns; struct sum_row *rows[PT_CALL_SLOTS]; };

struct pt_sums { struct pt_map groups; };

const struct pt_word pt_sums_sorts[] = {
	PT_WORD("time", PT_SUMS_TIME), PT_WORD_ALSO("time-total", PT_SUMS_TIME),
	PT_WORD_ALSO("total-time", PT_SUMS_TIME), PT_WORD_ALSO("time-percent", PT_SUMS_TIME),
	PT_WORD("calls", PT_SUMS_CALLS), PT_WORD_ALSO("count", PT_SUMS_CALLS),
	PT_WORD("errors", PT_SUMS_ERRORS), PT_WORD_ALSO("error", PT_SUMS_ERRORS),
	PT_WORD("mean", PT_SUMS_MEAN), PT_WORD_ALSO("avg-time", PT_SUMS_MEAN),
	PT_WORD_ALSO("time-avg", PT_SUMS_MEAN), PT_WORD("max", PT_SUMS_MAX),
	PT_WORD_ALSO("max-time", PT_SUMS_MAX), PT_WORD_ALSO("time-max", PT_SUMS_MAX),
	PT_WORD("name", PT_SUMS_NAME), PT_WORD_ALSO("syscall", PT_SUMS_NAME),
	PT_WORD_ALSO("syscall-name", PT_SUMS_NAME), { 0 }
};

const struct pt_word pt_sums_modes[] = { PT_WORD("total", PT_SUM_TOTAL),
					 PT_WORD("thread", PT_SUM_THREAD),
					 PT_WORD("cgroup", PT_SUM_CGROUP), { 0 } };

struct pt_sums *pt_sums_new(void)
{
	return pt_alloc(sizeof(struct pt_sums));
}

static void free_group(struct sum_group *g)
{
	for (size_t i = 0; i < PT_CALL_SLOTS; i++)
		free(g->rows[i]);
	free(g);
}

void pt_sums_free(struct pt_sums *s)
{
	struct pt_map_slot *slot;

	if (!s)
		return;
	for (size_t i = 0; (slot = pt_map_each(&s->groups, &i)); )
		free_group(pt_pointer(slot->value));
	pt_map_deinit(&s->groups);
	free(s);
}

static struct sum_row *sums_row_of(struct pt_sums *s, uint64_t of, uint32_t slot)
{
	uint64_t *at;
	struct sum_group *g;

	at = pt_map_put(&s->groups, of);
	if (!*at) {
		g = pt_alloc(sizeof(*g));
		g->of = of;
		*at = pt_word_of(g);
	}
	g = pt_pointer(*at);
	if (!g->rows[slot]) {
		g->rows[slot] = pt_alloc(sizeof(struct sum_row));
		g->rows[slot]->slot = slot;
	}
	return g->rows[slot];
}

/* As programs.c: the number of the leading bit and the three bits behind it; below 8 the value. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned log2;

	if (ns < 1u << PT_SUM_PARTS_LOG2)
		return (unsigned)ns;
	log2 = 63 - (unsigned)__builtin_clzll(ns);
	return PT_MIN(log2 << PT_SUM_PARTS_LOG2 | (unsigned)(ns >> (log2 - PT_SUM_PARTS_LOG2) & 7),
		      (unsigned)PT_SUM_BUCKETS - 1);
}

/* The middle of a bucket. */
static uint64_t bucket_ns(unsigned bucket)
{
	unsigned shift;

	if (bucket < 3u << PT_SUM_PARTS_LOG2)
		return bucket;
	shift = (bucket >> PT_SUM_PARTS_LOG2) - PT_SUM_PARTS_LOG2;
	return ((8ull + (bucket & 7)) << shift) + ((1ull << shift) >> 1);
}

void pt_sums_add(struct pt_sums *s, const struct pt_call *c, uint64_t of)
{
	uint64_t ns = c->end_ns - c->start_ns;
	struct sum_row *row;

	if (c->kind != PT_CALL_DONE)
		return;
	row = sums_row_of(s, of, (uint32_t)pt_call_slot(c));
	row->all.calls++;
	row->all.errors += pt_call_failed(c);
	if (!pt_call_timed(c)) {
		row->all.untimed++;
		return;
	}
	row->all.total_ns += ns;
	row->all.max_ns = PT_MAX(row->all.max_ns, ns);
	row->all.buckets[bucket_of(ns)]++;
}

static void sums_add_value(struct pt_sum_value *to, const struct pt_sum_value *from)
{
	to->calls += from->calls;
	to->errors += from->errors;
	to->untimed += from->untimed;
	to->total_ns += from->total_ns;
	to->off_ns += from->off_ns;
	to->max_ns = PT_MAX(to->max_ns, from->max_ns);
	for (size_t i = 0; i < PT_SUM_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

static void add_collected(void *arg, const struct pt_sum_key *key, const struct pt_sum_value *from)
{
	sums_add_value(&sums_row_of(arg, key->of, key->slot % PT_CALL_SLOTS)->all, from);
}

/* The kernel's rows are sums since the start. */
int pt_sums_collect(struct pt_sums *s, struct pt_collect *c, struct pt_err *e)
{
	struct pt_map_slot *slot;

	for (size_t i = 0; (slot = pt_map_each(&s->groups, &i)); ) {
		struct sum_group *g = pt_pointer(slot->value);

		for (size_t k = 0; k < PT_CALL_SLOTS; k++)
			if (g->rows[k])
				g->rows[k]->all = (struct pt_sum_value){ .calls = 0 };
	}
	return pt_collect_sums(c, add_collected, s, e);
}

uint64_t pt_sums_untimed(struct pt_sums *s)
{
	struct pt_map_slot *slot;
	uint64_t sum = 0;

	for (size_t i = 0; (slot = pt_map_each(&s->groups, &i)); ) {
		const struct sum_group *g = pt_pointer(slot->value);

		for (size_t k = 0; k < PT_CALL_SLOTS; k++)
			sum += g->rows[k] ? g->rows[k]->all.untimed : 0;
	}
	return sum;
}

/* How many calls the figures of time are of. */
static uint64_t nr_timed(const struct pt_sum_value *v)
{
	return v->calls - v->untimed;
}

static uint64_t mean(const struct pt_sum_value *v)
{
	return nr_timed(v) ? v->total_ns / nr_timed(v) : 0;
}

static uint64_t percentile(const struct pt_sum_value *v, unsigned percent)
{
	uint64_t rank = (nr_timed(v) * percent + 99) / 100, seen = 0;

	for (unsigned i = 0; i < PT_SUM_BUCKETS; i++) {
		seen += v->buckets[i];
		if (seen >= rank)
			return PT_MIN(bucket_ns(i), v->max_ns);
	}
	return v->max_ns;
}

/* The greatest since the last time: known exactly if it is the greatest of all, else by its
 * bucket. */
static uint64_t fresh_max(const struct sum_row *row)
{
	unsigned bucket = PT_SUM_BUCKETS - 1;

	if (!row->printed.calls || row->all.max_ns > row->printed.max_ns)
		return row->all.max_ns;
	while (bucket && !row->fresh.buckets[bucket])
		bucket--;
	return PT_MIN(bucket_ns(bucket), row->all.max_ns);
}

/* What came since it was printed. False: nothing. */
static bool sums_refresh(struct sum_row *row)
{
	const struct pt_sum_value *all = &row->all, *old = &row->printed;
	struct pt_sum_value *v = &row->fresh;

	v->calls = all->calls - old->calls;
	v->errors = all->errors - old->errors;
	v->untimed = PT_MIN(all->untimed - old->untimed, v->calls);
	v->total_ns = all->total_ns - old->total_ns;
	v->off_ns = PT_MIN(all->off_ns - old->off_ns, v->total_ns);
	for (size_t i = 0; i < PT_SUM_BUCKETS; i++)
		v->buckets[i] = all->buckets[i] - old->buckets[i];
	v->max_ns = fresh_max(row);
	row->printed = row->all;
	return v->calls;
}

/* The figure to sort by. */
static uint64_t sort_key(const struct pt_sum_value *v, enum pt_sums_sort sort)
{
	switch (sort) {
	case PT_SUMS_CALLS: return v->calls;
	case PT_SUMS_ERRORS: return v->errors;
	case PT_SUMS_MEAN: return mean(v);
	case PT_SUMS_MAX: return v->max_ns;
	default: return v->total_ns;
	}
}

static int compare_rows(const void *a, const void *b, void *sort)
{
	const struct sum_row *x = *(struct sum_row *const *)a, *y = *(struct sum_row *const *)b;
	enum pt_sums_sort by = *(enum pt_sums_sort *)sort;
	int order = 0;
	uint64_t p = sort_key(&x->fresh, by), q = sort_key(&y->fresh, by);

	if (by != PT_SUMS_NAME && p != q)
		return PT_COMPARE(q, p);
	if (x->name && y->name)
		order = strcmp(x->name, y->name);
	if (order)
		return order;
	return PT_COMPARE(x->slot, y->slot);
}

/* A figure of time of a row; "-" if it has none. */
static void add_us(struct pt_buf *b, const struct pt_sum_value *v, uint64_t ns)
{
	if (!nr_timed(v)) {
		pt_buf_printf(b, "%10s", "-");
		return;
	}
	pt_buf_putc(b, ' ');
	pt_buf_scaled_wide(b, ns, 3, 9);
}

static void json_us(struct pt_buf *b, const char *key, const struct pt_sum_value *v, uint64_t ns)
{
	if (nr_timed(v))
		pt_json_us(b, key, ns);
	else
		pt_json_null(b, key);
}

static void add_figures(struct pt_buf *b, const struct pt_sums_style *style,
			const struct pt_sum_value *v, uint64_t all_ns)
{
	uint64_t cpu_ns = v->total_ns - v->off_ns;

	if (v->calls && !nr_timed(v))
		pt_buf_printf(b, "%6s %13s ", "-", "-");
	else
		pt_buf_printf(b, "%6.2f %13.6f ",
			      all_ns ? 100.0 * (double)v->total_ns / (double)all_ns : 0,
			      (double)v->total_ns / 1e9);
	if (style->cpu && (!v->calls || nr_timed(v)))
		pt_buf_printf(b, "%11.6f", (double)cpu_ns / 1e9);
	else
		pt_buf_printf(b, "%11s", "-");
	pt_buf_printf(b, " %9llu %9llu", (unsigned long long)v->calls,
		      (unsigned long long)v->errors);
}

/* The name of a thread or cgroup. */
static void sums_add_group(struct pt_buf *b, const struct pt_sums_style *style, uint64_t of)
{
	char *path;

	if (style->by == PT_SUM_THREAD) {
		pt_text_puts(b, pt_tasks_comm(style->tasks, (uint32_t)of));
		return;
	}
	path = pt_cgroup_path(of);
	if (path)
		pt_text_puts(b, path);
	else
		pt_buf_printf(b, "cgroup %llu", (unsigned long long)of);
	free(path);
}

static void sums_add_name(struct pt_buf *b, const struct sum_row *row)
{
	if (row->name)
		pt_buf_printf(b, " %s", row->name);
	else
		pt_buf_printf(b, " syscall_%u", row->slot % PT_CALLS);
	pt_buf_puts(b, row->slot < PT_CALLS ? "\n" : " (32-bit)\n");
}

static void print_rows(const struct pt_sums_style *style, struct sum_row **rows, size_t nr,
		       struct pt_buf *b)
{
	struct pt_sum_value all = { .calls = 0 };

	for (size_t i = 0; i < nr; i++)
		sums_add_value(&all, &rows[i]->fresh);
	pt_buf_puts(b, "% time       seconds   on CPU s     calls    errors   mean us    p50 us    p99 us    max us syscall\n");
	for (size_t i = 0; i < nr; i++) {
		const struct pt_sum_value *v = &rows[i]->fresh;

		add_figures(b, style, v, all.total_ns);
		add_us(b, v, mean(v));
		add_us(b, v, percentile(v, 50));
		add_us(b, v, percentile(v, 99));
		add_us(b, v, v->max_ns);
		sums_add_name(b, rows[i]);
	}
	add_figures(b, style, &all, all.total_ns);
	pt_buf_puts(b, "                                         total\n");
}

static void sums_print_json(const struct pt_sums_style *style, const struct sum_group *g,
			    struct sum_row **rows, size_t nr, struct pt_buf *b)
{
	struct pt_buf name = PT_BUF_INIT;

	if (style->by != PT_SUM_TOTAL)
		sums_add_group(&name, style, g->of);
	for (size_t i = 0; i < nr; i++) {
		const struct pt_sum_value *v = &rows[i]->fresh;

		pt_json_open(b, NULL, '{');
		if (style->time_ns)
			pt_json_seconds(b, "time", style->time_ns);
		if (style->by == PT_SUM_THREAD) {
			pt_json_u64(b, "pid", g->of >> 32);
			pt_json_u64(b, "tid", g->of & UINT32_MAX);
		}
		if (style->by != PT_SUM_TOTAL)
			pt_json_str(b, style->by == PT_SUM_THREAD ? "comm" : "cgroup",
				    pt_buf_str(&name));
		pt_json_str(b, "sum", rows[i]->name);
		if (rows[i]->slot % PT_CALLS != PT_CALL_OTHER)
			pt_json_u64(b, "nr", rows[i]->slot % PT_CALLS);
		if (rows[i]->slot >= PT_CALLS)
			pt_json_u64(b, "bits", 32);
		pt_json_u64(b, "calls", v->calls);
		pt_json_u64(b, "errors", v->errors);
		json_us(b, "total_us", v, v->total_ns);
		if (style->cpu)
			json_us(b, "cpu_us", v, v->total_ns - v->off_ns);
		json_us(b, "mean_us", v, mean(v));
		json_us(b, "p50_us", v, percentile(v, 50));
		json_us(b, "p99_us", v, percentile(v, 99));
		json_us(b, "max_us", v, v->max_ns);
		pt_json_close(b, '}');
		pt_buf_putc(b, '\n');
	}
	pt_buf_deinit(&name);
}

static void print_group(const struct pt_sums_style *style, struct sum_group *g,
			struct pt_calls *calls, struct pt_buf *b)
{
	struct sum_row *rows[PT_CALL_SLOTS];
	enum pt_sums_sort sort = style->sort;
	size_t nr = 0;

	for (size_t i = 0; i < PT_CALL_SLOTS; i++)
		if (g->rows[i] && g->rows[i]->fresh.calls) {
			rows[nr] = g->rows[i];
			rows[nr++]->name = i % PT_CALLS == PT_CALL_OTHER ?
						   "other numbers" : pt_calls_name(calls, (int)i);
		}
	qsort_r(rows, nr, sizeof(*rows), compare_rows, &sort);
	if (style->json) {
		sums_print_json(style, g, rows, nr, b);
		return;
	}
	if (style->by != PT_SUM_TOTAL) {
		sums_add_group(b, style, g->of);
		if (style->by == PT_SUM_THREAD)
			pt_buf_printf(b, " (%u)", (unsigned)g->of);
		pt_buf_printf(b, ", %llu calls\n", (unsigned long long)g->calls);
	}
	print_rows(style, rows, nr, b);
}

static int compare_groups(const void *a, const void *b)
{
	const struct sum_group *x = *(struct sum_group *const *)a,
			       *y = *(struct sum_group *const *)b;

	if (x->total_ns != y->total_ns)
		return PT_COMPARE(y->total_ns, x->total_ns);
	return PT_COMPARE(x->of, y->of);
}

void pt_sums_print(struct pt_sums *s, const struct pt_sums_style *style, struct pt_calls *calls,
		   struct pt_buf *b)
{
	struct sum_group **groups = pt_alloc_array(s->groups.nr + 1, sizeof(*groups));
	struct pt_map_slot *slot;
	size_t nr = 0;

	for (size_t i = 0; (slot = pt_map_each(&s->groups, &i)); ) {
		struct sum_group *g = pt_pointer(slot->value);

		g->calls = g->total_ns = 0;
		for (size_t k = 0; k < PT_CALL_SLOTS; k++)
			if (g->rows[k] && sums_refresh(g->rows[k])) {
				g->calls += g->rows[k]->fresh.calls;
				g->total_ns += g->rows[k]->fresh.total_ns;
			}
		if (g->calls)
			groups[nr++] = g;
	}
	qsort(groups, nr, sizeof(*groups), compare_groups);
	if (style->time_ns && !style->json && (nr || !style->end)) {
		pt_buf_puts(b, "at ");
		pt_buf_usec(b, style->time_ns);
		pt_buf_puts(b, nr ? " s\n" : " s: no calls\n");
	}
	for (size_t i = 0; i < nr; i++) {
		print_group(style, groups[i], calls, b);
		if (!style->json && (i + 1 < nr || style->time_ns))
			pt_buf_putc(b, '\n');
	}
	if (!nr && !style->time_ns && !style->json)
		print_rows(style, NULL, 0, b);
	free(groups);
}
