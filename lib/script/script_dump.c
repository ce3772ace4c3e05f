/* Records as perf's --dump-raw-trace prints them: their bytes, then what they say. */
#include "base/mem.h"
#include "base/text.h"
#include "script/script_priv.h"

enum { ROW_BYTES = 16 };

void pt_script_bytes(struct pt_buf *b, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < ROW_BYTES; i++)
		if (i < len)
			pt_buf_printf(b, " %02x", p[i]);
		else
			pt_buf_puts(b, "   ");
	pt_buf_puts(b, "  ");
	for (size_t i = 0; i < PT_MIN(len, (size_t)ROW_BYTES); i++)
		pt_buf_putc(b, p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.');
}

static void add_stamp(struct pt_buf *b, const struct pt_record *rec)
{
	if (rec->has & PERF_SAMPLE_CPU)
		pt_buf_printf(b, "%u ", rec->cpu);
	if (rec->has & PERF_SAMPLE_TIME)
		pt_buf_printf(b, "%llu ", (unsigned long long)rec->time_ns);
}

void pt_script_dump(const struct pt_record *rec, const char *file, struct pt_buf *b)
{
	const struct pt_sample *s = &rec->sample;

	pt_buf_printf(b, "\n%#llx@", (unsigned long long)rec->off);
	pt_text_puts(b, file);
	pt_buf_printf(b, " [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n", rec->len_bytes,
		      rec->type, rec->len_bytes);
	for (size_t i = 0; i < rec->len_bytes; i += ROW_BYTES) {
		size_t len = rec->len_bytes - i;

		pt_buf_printf(b, ".  %04zx: ", i);
		pt_script_bytes(b, rec->data + i, len);
		if (len < ROW_BYTES)
			pt_buf_fill(b, ' ', ROW_BYTES - len);
		pt_buf_putc(b, '\n');
	}
	pt_buf_putc(b, '\n');
	add_stamp(b, rec);
	pt_buf_printf(b, "%#llx [%#x]: PERF_RECORD_", (unsigned long long)rec->off, rec->len_bytes);
	if (rec->type == PERF_RECORD_SAMPLE)
		pt_buf_printf(b, "SAMPLE(IP, %#x): %d/%d: %#llx period: %llu addr: %#llx",
			      rec->misc, (int)rec->pid, (int)rec->tid, (unsigned long long)s->ip,
			      (unsigned long long)pt_script_period(rec),
			      (unsigned long long)s->addr);
	else if (!pt_script_side_text(rec, b))
		pt_buf_dec(b, rec->type);
	pt_buf_putc(b, '\n');
}
