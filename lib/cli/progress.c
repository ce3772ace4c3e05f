#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"

enum { SECOND_NS = 1000000000 };

static uint64_t progress_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

void pt_progress_begin(struct pt_progress *p, const struct pt_tool *tool, bool command)
{
	*p = (struct pt_progress){ .tool = tool, .off = command || !isatty(STDERR_FILENO) };
	p->start_ns = progress_now_ns();
	p->next_ns = p->start_ns + SECOND_NS;
}

bool pt_progress_time(const struct pt_progress *p)
{
	return progress_now_ns() >= p->next_ns;
}

void pt_progress_draw(struct pt_progress *p, const struct pt_progress_facts *facts)
{
	const struct pt_tally *t = facts->tally;
	struct pt_buf b = PT_BUF_INIT;
	uint64_t now = progress_now_ns();

	pt_buf_printf(&b, "\r%s: ", p->tool->name);
	if (facts->percent < 0)
		pt_buf_printf(&b, "%llu s", (unsigned long long)((now - p->start_ns) / SECOND_NS));
	else
		pt_buf_printf(&b, "%.0f %%", facts->percent);
	pt_buf_printf(&b, ", %s samples", pt_num_grouped(t->samples).text);
	if (facts->len_bytes)
		pt_buf_printf(&b, ", %.1f MB", (double)facts->len_bytes / (1 << 20));
	pt_buf_printf(&b, ", %s lost; Ctrl-C ends\033[K", pt_num_grouped(t->lost).text);
	fputs(pt_buf_str(&b), stderr);
	pt_buf_deinit(&b);
	p->shown = true;
	p->next_ns = now + SECOND_NS;
}

void pt_progress_clear(struct pt_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

void pt_progress_end(struct pt_progress *p)
{
	pt_progress_clear(p);
	p->off = true;
}
