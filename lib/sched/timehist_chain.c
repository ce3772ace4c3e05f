/* Call chains of switches, on one line each, and idle time by them. */
#include "sched/timehist_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "stack/fold.h"

/* Functions on the way into the scheduler are skipped. */
static bool says_nothing(const struct pt_named_frame *f)
{
	static const char *const names[] = { "schedule", "__schedule", "preempt_schedule" };

	for (size_t i = 0; f->name && i < PT_NR(names); i++)
		if (!strcmp(f->name, names[i]))
			return true;
	return false;
}

/* The sample's own address in place of an empty chain tells nothing here. */
static size_t frames_of_chain(struct pt_timehist *h, const struct pt_record *rec,
			      const struct pt_named_frame **frames)
{
	struct pt_frames_how how;
	size_t nr = pt_frames_of(h->frames, rec, frames, &how);

	return how.ip_alone ? 0 : nr;
}

size_t timehist_chain(struct pt_timehist *h, const struct pt_record *rec, struct pt_buf *out)
{
	const struct pt_named_frame *frames;
	size_t nr = frames_of_chain(h, rec, &frames), shown = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *name = frames[i].name ? frames[i].name : "[unknown]";

		if (says_nothing(&frames[i]))
			continue;
		pt_buf_puts(out, shown++ ? " <- " : " ");
		pt_text_puts(out, name);
		if (frames[i].kind == PT_FRAME_INLINED)
			pt_buf_puts(out, " (inlined)");
	}
	return shown;
}

void timehist_idle_chain(struct pt_timehist *h, const struct pt_record *rec, struct timehist_cpu *c)
{
	const struct pt_named_frame *frames;
	size_t nr;

	c->nr_frames = 0;
	if (!h->frames)
		return;
	nr = frames_of_chain(h, rec, &frames);
	for (size_t i = 0; i < nr; i++) {
		if (says_nothing(&frames[i]))
			continue;
		PT_GROW(c->frames, c->nr_frames, c->cap_frames);
		c->frames[c->nr_frames++] = frames[i].name ? frames[i].name : "[unknown]";
	}
}

void timehist_idle_chain_ends(struct timehist_cpu *c, uint64_t idle_ns)
{
	if (!c->nr_frames)
		return;
	if (!c->chains)
		c->chains = pt_fold_new();
	pt_fold_add(c->chains, "", c->frames, c->nr_frames, idle_ns);
}

static int most(const void *a, const void *b)
{
	const struct pt_fold_entry *x = a, *y = b;

	if (x->count != y->count)
		return PT_COMPARE(y->count, x->count);
	return PT_COMPARE(y->times, x->times);
}

static void chains_of(const struct timehist_cpu *c, struct pt_buf *out)
{
	size_t nr = c->chains ? pt_fold_nr(c->chains) : 0, n = 0, at = 0;
	struct pt_fold_entry *v = pt_alloc_array(nr, sizeof(*v));

	while (n < nr && pt_fold_each(c->chains, &at, &v[n]))
		n++;
	qsort(v, n, sizeof(*v), most);
	for (size_t i = 0; i < n; i++) {
		pt_buf_scaled_wide(out, v[i].count / 1000, 3, 18);
		pt_buf_printf(out, "  %8llu  ", (unsigned long long)v[i].times);
		for (size_t f = 0; f < v[i].nr; f++) {
			pt_buf_puts(out, f ? " <- " : "");
			pt_text_puts(out, v[i].frames[f]);
		}
		pt_buf_putc(out, '\n');
	}
	free(v);
}

void timehist_idle_chains(struct pt_timehist *h, struct pt_buf *out)
{
	pt_buf_puts(out, "\nIdle stats by callchain:\n");
	for (size_t i = 0; i < h->nr_cpus; i++) {
		const struct timehist_cpu *c = &h->cpus[i];

		if (!c->seen)
			continue;
		pt_buf_printf(out, "  CPU %2zu:", i);
		pt_buf_scaled_wide(out, c->idle_ns / 1000, 3, 10);
		pt_buf_puts(
			out,
			"  msec\n  Idle time (msec)     Count  Callchains\n  ----------------  --------  --------------------------------------------------\n");
		chains_of(c, out);
		pt_buf_putc(out, '\n');
	}
}
