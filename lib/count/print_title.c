/* print_title.c - what stands above and below the table: who was counted, and how long it took. */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "base/text.h"
#include "count/print.h"

static void add_list(struct pt_buf *b, const int *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		pt_buf_printf(b, "%s%d", i ? "," : "", list[i]);
}

static void describe_target(const struct pt_watch *w, struct pt_buf *b)
{
	if (w->nr_pids) {
		pt_buf_puts(b, "process id '");
		add_list(b, w->pids, w->nr_pids);
	} else if (w->nr_tids) {
		pt_buf_puts(b, "thread id '");
		add_list(b, w->tids, w->nr_tids);
	} else if (w->cgroup) {
		pt_buf_puts(b, "control group '");
		pt_text_puts(b, w->cgroup);
	} else if (w->nr_cpus) {
		pt_buf_puts(b, "'CPU(s) ");
		add_list(b, w->cpus, w->nr_cpus);
	} else if (w->all_cpus) {
		pt_buf_puts(b, "'system wide");
	} else {
		pt_buf_putc(b, '\'');
		for (size_t i = 0; w->command[i]; i++) {
			if (i)
				pt_buf_putc(b, ' ');
			pt_text_puts(b, w->command[i]);
		}
	}
	pt_buf_putc(b, '\'');
}

void pt_counts_print_title(const struct pt_watch *w, const struct pt_counts_times *t,
			   struct pt_buf *b)
{
	pt_buf_puts(b, "\n Performance counter stats for ");
	describe_target(w, b);
	if (t->elapsed.n > 1)
		pt_buf_printf(b, " (%" PRIu64 " runs)", t->elapsed.n);
	pt_buf_puts(b, ":\n\n");
}

static void print_each_run(const struct pt_counts_times *t, struct pt_buf *b)
{
	double mean = t->elapsed.mean / 1e9;
	size_t i;

	pt_buf_puts(b, "          # Table of individual measurements:\n");
	for (i = 0; i < t->nr_each; i++) {
		double v = t->each_s[i], percent = mean > 0 ? fabs(v - mean) / mean * 100 : 0;

		pt_buf_printf(b, "          %.9f (%+.9f) ", v, v - mean);
		for (int k = 0; k < PT_MIN((int)(percent / 5) + 1, 40); k++)
			pt_buf_putc(b, '#');
		pt_buf_putc(b, '\n');
	}
	pt_buf_puts(b, "\n          # Final result:\n");
}

void pt_counts_print_times(const struct pt_watch *w, const struct pt_counts_times *t,
			   struct pt_buf *b)
{
	double mean = t->elapsed.mean / 1e9, spread = pt_counts_spread(&t->elapsed) / 1e9;

	pt_buf_putc(b, '\n');
	if (t->elapsed.n <= 1) {
		pt_buf_printf(b, "%18.9f seconds time elapsed\n", mean);
		if (w->command && !w->all_cpus && !w->nr_pids && !w->nr_tids)
			pt_buf_printf(b, "\n%18.9f seconds user\n%18.9f seconds sys\n", t->user_s,
				      t->sys_s);
	} else {
		int digits = spread > 0 ? PT_MAX(0, PT_MIN(9, (int)ceil(-log10(spread)) + 2)) : 9;

		if (t->table)
			print_each_run(t, b);
		pt_buf_printf(b, "%18.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n", digits,
			      mean, digits, spread, mean > 0 ? 100 * spread / mean : 0);
	}
	pt_buf_puts(b, "\n");
}
