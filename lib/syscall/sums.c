#include "syscall/sums.h"

#include <stdlib.h>

#include "base/mem.h"

struct sum_row { uint32_t nr; struct pt_sum_value v; };

struct pt_sums { struct sum_row *rows[PT_CALLS]; };

struct pt_sums *pt_sums_new(void)
{
	return pt_alloc(sizeof(struct pt_sums));
}

void pt_sums_free(struct pt_sums *s)
{
	for (size_t i = 0; s && i < PT_CALLS; i++)
		free(s->rows[i]);
	free(s);
}

static struct pt_sum_value *row_of(struct pt_sums *s, uint64_t nr)
{
	if (nr >= PT_CALLS)
		return NULL;
	if (!s->rows[nr]) {
		s->rows[nr] = pt_alloc(sizeof(struct sum_row));
		s->rows[nr]->nr = (uint32_t)nr;
	}
	return &s->rows[nr]->v;
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

void pt_sums_add(struct pt_sums *s, const struct pt_call *c)
{
	struct pt_sum_value *v = c->kind == PT_CALL_DONE ? row_of(s, (uint64_t)c->nr) : NULL;
	uint64_t ns = c->end_ns - c->start_ns;

	if (!v)
		return;
	v->calls++;
	v->errors += pt_call_failed(c);
	v->total_ns += ns;
	v->max_ns = PT_MAX(v->max_ns, ns);
	v->buckets[bucket_of(ns)]++;
}

static void add_collected(void *arg, const struct pt_sum_key *key, const struct pt_sum_value *from)
{
	struct pt_sum_value *v = row_of(arg, key->nr);

	if (!v)
		return;
	v->calls += from->calls;
	v->errors += from->errors;
	v->total_ns += from->total_ns;
	v->max_ns = PT_MAX(v->max_ns, from->max_ns);
	for (size_t i = 0; i < PT_SUM_BUCKETS; i++)
		v->buckets[i] += from->buckets[i];
}

int pt_sums_collect(struct pt_sums *s, struct pt_collect *c, struct pt_err *e)
{
	return pt_collect_sums(c, add_collected, s, e);
}

static uint64_t percentile(const struct pt_sum_value *v, unsigned percent)
{
	uint64_t rank = (v->calls * percent + 99) / 100, seen = 0;

	for (unsigned i = 0; i < PT_SUM_BUCKETS; i++) {
		seen += v->buckets[i];
		if (seen >= rank)
			return PT_MIN(bucket_ns(i), v->max_ns);
	}
	return v->max_ns;
}

static int by_total(const void *a, const void *b)
{
	const struct sum_row *x = *(struct sum_row *const *)a, *y = *(struct sum_row *const *)b;

	if (x->v.total_ns != y->v.total_ns)
		return x->v.total_ns < y->v.total_ns ? 1 : -1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static void add_figures(struct pt_buf *b, uint64_t total_ns, uint64_t all_ns, uint64_t calls,
			uint64_t errors)
{
	pt_buf_printf(b, "%6.2f %13.6f %9llu %9llu", all_ns ? 100.0 * (double)total_ns /
		      (double)all_ns : 0, (double)total_ns / 1e9, (unsigned long long)calls,
		      (unsigned long long)errors);
}

void pt_sums_table(struct pt_sums *s, struct pt_calls *calls, struct pt_buf *b)
{
	struct sum_row *rows[PT_CALLS];
	uint64_t total_ns = 0, nr_calls = 0, errors = 0;
	const char *name;
	size_t nr = 0;

	for (size_t i = 0; i < PT_CALLS; i++) {
		if (!s->rows[i])
			continue;
		rows[nr++] = s->rows[i];
		total_ns += s->rows[i]->v.total_ns;
		nr_calls += s->rows[i]->v.calls;
		errors += s->rows[i]->v.errors;
	}
	qsort(rows, nr, sizeof(*rows), by_total);
	pt_buf_puts(b, "% time       seconds     calls    errors   mean us    p50 us    p99 us    max us syscall\n");
	for (size_t i = 0; i < nr; i++) {
		const struct pt_sum_value *v = &rows[i]->v;

		add_figures(b, v->total_ns, total_ns, v->calls, v->errors);
		pt_buf_putc(b, ' ');
		pt_buf_scaled_wide(b, v->calls ? v->total_ns / v->calls : 0, 3, 9);
		pt_buf_putc(b, ' ');
		pt_buf_scaled_wide(b, percentile(v, 50), 3, 9);
		pt_buf_putc(b, ' ');
		pt_buf_scaled_wide(b, percentile(v, 99), 3, 9);
		pt_buf_putc(b, ' ');
		pt_buf_scaled_wide(b, v->max_ns, 3, 9);
		name = pt_calls_name(calls, rows[i]->nr);
		if (name)
			pt_buf_printf(b, " %s\n", name);
		else
			pt_buf_printf(b, " syscall_%u\n", rows[i]->nr);
	}
	add_figures(b, total_ns, total_ns, nr_calls, errors);
	pt_buf_puts(b, "                                         total\n");
}
