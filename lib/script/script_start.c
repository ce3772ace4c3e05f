/* script_start.c - the start of lines: task, CPU, flags, time */
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "script/script_priv.h"

void pt_script_dec(struct pt_buf *b, int64_t v, int width)
{
	size_t from = b->len;

	if (v >= 0) {
		pt_buf_scaled_wide(b, (uint64_t)v, 0, width);
		return;
	}
	pt_buf_dec_signed(b, v);
	pt_buf_pad_left(b, from, (size_t)width);
}

static void add_misc(struct pt_buf *b, const struct pt_record *rec)
{
	static const struct { uint16_t bits; char letter; } modes[] = {
		{ PERF_RECORD_MISC_KERNEL, 'K' }, { PERF_RECORD_MISC_USER, 'U' },
		{ PERF_RECORD_MISC_HYPERVISOR, 'H' },
		{ PERF_RECORD_MISC_GUEST_KERNEL, 'G' }, { PERF_RECORD_MISC_GUEST_USER, 'g' },
	};
	size_t from = b->len, i;
	char letter = 0;

	for (i = 0; i < PT_NR(modes); i++)
		if ((rec->misc & modes[i].bits) == modes[i].bits)
			pt_buf_putc(b, modes[i].letter);
	if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT) {	/* one bit with a meaning for each type */
		letter = rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2 ? 'M'
			 : rec->type == PERF_RECORD_COMM                                 ? 'E'
			 : rec->type == PERF_RECORD_SWITCH ||
					 rec->type == PERF_RECORD_SWITCH_CPU_WIDE
				 ? 'S'
				 : 0;
		if (letter)
			pt_buf_putc(b, letter);
		if (letter == 'S' && rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			pt_buf_putc(b, 'p');
	}
	pt_buf_putc(b, ' ');
	pt_buf_pad_right(b, from, 6);
}

/* As perf does, in local time and microseconds. */
static void add_time_of_day(struct pt_buf *b, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	char text[64];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	pt_buf_printf(b, "%s.%06u ", text, (unsigned)(wall_ns % 1000000000 / 1000));
}

/* As it is printed: since the first line or the one before, where that was asked for. */
static uint64_t shown_time(struct pt_script *s, uint64_t time_ns)
{
	uint64_t from_ns = s->reference_ns;

	if (s->o.time == PT_SCRIPT_TIME)
		return time_ns;
	if (!from_ns || s->o.time == PT_SCRIPT_TIME_SINCE_LAST)
		s->reference_ns = time_ns;
	return from_ns && time_ns > from_ns ? time_ns - from_ns : 0;
}

/* The start of all lines: task, CPU, time. What the record does not have is 0, as in perf. */
void pt_script_start(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		     const char *comm, struct pt_buf *b)
{
	const uint64_t fields = p->fields;
	int32_t pid = rec->has & PERF_SAMPLE_TID ? (int32_t)rec->pid : 0,
		tid = rec->has & PERF_SAMPLE_TID ? (int32_t)rec->tid : 0;
	size_t from;

	if (fields & F_COMM) {
		from = b->len;
		pt_text_puts(b, comm);
		pt_buf_pad_left(b, from, p->chain ? 0 : 16);
		pt_buf_putc(b, ' ');
	}
	if (fields & F_PID) {
		pt_script_dec(b, pid, 5);
		pt_buf_putc(b, fields & F_TID ? '/' : ' ');
	}
	if (fields & F_TID) {
		from = b->len;
		pt_buf_dec_signed(b, tid);
		if (fields & F_PID)
			pt_buf_pad_right(b, from, 5);
		else
			pt_buf_pad_left(b, from, 5);
		pt_buf_putc(b, ' ');
	}
	if (fields & F_CPU) {
		pt_buf_putc(b, '[');
		pt_buf_dec_zero(b, rec->has & PERF_SAMPLE_CPU ? rec->cpu : 0, 3);
		pt_buf_add(b, "] ", 2);
	}
	if (fields & F_MISC)
		add_misc(b, rec);
	if (fields & F_TOD)
		add_time_of_day(b, rec->time_ns + p->to_wall_ns);
	if (fields & F_TIME) {
		uint64_t time_ns =
			shown_time(s, rec->has & PERF_SAMPLE_TIME ? rec->time_ns : 0);

		if (s->o.nanoseconds) {
			pt_buf_scaled_wide(b, time_ns, 9, 15);
		} else {
			pt_buf_scaled_wide(b, time_ns / 1000, 6, 12);
		}
		pt_buf_add(b, ": ", 2);
	}
}
