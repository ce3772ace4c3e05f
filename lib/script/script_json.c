/* Records as JSON lines. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"
#include "script/script.h"
#include "script/script_priv.h"

static void add_string(struct pt_buf *b, const char *s, size_t len)
{
	pt_buf_putc(b, '"');
	pt_text_json(b, s, len);
	pt_buf_putc(b, '"');
}

/* "key": with a comma in front, unless it is the first of its object. */
static void add_key(struct pt_buf *b, const char *key)
{
	if (b->len && b->data[b->len - 1] != '{')
		pt_buf_putc(b, ',');
	add_string(b, key, strlen(key));
	pt_buf_putc(b, ':');
}

static void add_u64(struct pt_buf *b, const char *key, uint64_t v)
{
	add_key(b, key);
	pt_buf_dec(b, v);
}

static void add_s64(struct pt_buf *b, const char *key, int64_t v)
{
	add_key(b, key);
	pt_buf_dec_signed(b, v);
}

static void add_text(struct pt_buf *b, const char *key, const char *s)
{
	add_key(b, key);
	add_string(b, s, strlen(s));
}

static void add_addr(struct pt_buf *b, uint64_t v)
{
	pt_buf_puts(b, "\"0x");
	pt_buf_hex(b, v);
	pt_buf_putc(b, '"');
}

static void add_number(struct pt_buf *b, const uint8_t *p, uint32_t size, bool is_signed, bool swap)
{
	uint64_t v = size == 1   ? *p
		     : size == 2 ? pt_load16(p, swap)
		     : size == 4 ? pt_load32(p, swap)
				 : pt_load64(p, swap);

	if (is_signed && size < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	if (is_signed)
		pt_buf_dec_signed(b, (int64_t)v);
	else
		pt_buf_dec(b, v);
}

static bool is_integer(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void add_field(struct pt_buf *b, const struct pt_tp_field *f, const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;
	const void *p;
	uint64_t v;
	size_t n, i;

	add_key(b, f->name);
	if (pt_tp_faulted(f, s->raw, s->raw_len, rec->swap)) {
		add_string(b, PT_TP_FAULT, strlen(PT_TP_FAULT));
		return;
	}
	if (f->flags & (PT_TP_ARRAY | PT_TP_DYNAMIC | PT_TP_STRING)) {
		uint32_t size = f->elem_bytes;

		if (!pt_tp_data(f, s->raw, s->raw_len, rec->swap, &p, &n)) {
			pt_buf_puts(b, "null");
		} else if (f->flags & PT_TP_STRING) {
			add_string(b, p, n);
		} else {
			if (!is_integer(size))
				size = 1;
			pt_buf_putc(b, '[');
			for (i = 0; i + size <= n; i += size) {
				if (i)
					pt_buf_putc(b, ',');
				add_number(b, (const uint8_t *)p + i, size, f->flags & PT_TP_SIGNED,
					   rec->swap);
			}
			pt_buf_putc(b, ']');
		}
	} else if (!pt_tp_value(f, s->raw, s->raw_len, rec->swap, &v)) {
		pt_buf_puts(b, "null");
	} else if (f->flags & PT_TP_POINTER) {
		add_addr(b, v);
	} else if (f->flags & PT_TP_SIGNED) {
		pt_buf_dec_signed(b, (int64_t)v);
	} else {
		pt_buf_dec(b, v);
	}
}

static void add_fields(struct pt_buf *b, const struct pt_record *rec)
{
	const struct pt_tp *tp = rec->event->tp;
	size_t i;

	add_key(b, "fields");
	pt_buf_putc(b, '{');
	for (i = tp->nr_common; i < tp->nr_fields; i++)
		add_field(b, &tp->fields[i], rec);
	pt_buf_putc(b, '}');
}

/* A frame, as an object; the mapping's name is said also where nothing else is known. */
static void add_frame(struct pt_buf *b, const struct pt_named_frame *x)
{
	pt_buf_putc(b, '{');
	add_key(b, "ip");
	add_addr(b, x->ip);
	if (x->name) {
		add_text(b, "sym", x->name);
		add_u64(b, "symoff", x->offset + x->past);
	}
	if (x->module)
		add_text(b, "dso", x->module);
	if (x->kind == PT_FRAME_INLINED) {
		add_key(b, "inlined");
		pt_buf_puts(b, "true");
	}
	if (x->file) {
		add_text(b, "file", x->file);
		add_u64(b, "line", x->line);
	}
	pt_buf_putc(b, '}');
}

/* What lies at the address that the sample is about, where that has a name. */
static void add_data(struct pt_script *s, struct pt_buf *b, const struct pt_record *rec)
{
	uint64_t addr = rec->sample.addr;
	struct pt_named_frame x =
		pt_frames_data_at(s->frames, rec->pid, addr >> 63, addr,
				  rec->has & PERF_SAMPLE_TIME ? rec->time_ns : UINT64_MAX);

	if (x.name) {
		add_text(b, "addr_sym", x.name);
		add_u64(b, "addr_symoff", x.offset);
	}
	if (x.module)
		add_text(b, "addr_dso", x.module);
}

static void add_stack(struct pt_script *s, struct pt_buf *b, const struct pt_record *rec)
{
	const struct pt_named_frame *frames;
	struct pt_frames_how how;
	size_t nr = pt_frames_of(s->frames, rec, &frames, &how), i;

	add_key(b, "stack");
	pt_buf_putc(b, '[');
	for (i = 0; i < nr; i++) {
		if (i)
			pt_buf_putc(b, ',');
		add_frame(b, &frames[i]);
	}
	pt_buf_putc(b, ']');
}

static void add_sample(struct pt_script *script, struct pt_buf *b, const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;
	uint64_t i;
	bool first = true;

	add_text(b, "event", rec->event->name);
	if (rec->has & PERF_SAMPLE_PERIOD)
		add_u64(b, "period", s->period);
	if (rec->has & PERF_SAMPLE_IP) {
		add_key(b, "ip");
		add_addr(b, s->ip);
	}
	if (rec->has & PERF_SAMPLE_ADDR) {
		add_key(b, "addr");
		add_addr(b, s->addr);
	}
	if (rec->has & PERF_SAMPLE_RAW && rec->event->tp)
		add_fields(b, rec);
	if (script && script->frames && rec->has & PERF_SAMPLE_ADDR)
		add_data(script, b, rec);
	if (script && script->frames)
		add_stack(script, b, rec);
	if (!(rec->has & PERF_SAMPLE_CALLCHAIN))
		return;
	add_key(b, "callchain");
	pt_buf_putc(b, '[');
	for (i = 0; i < s->nr_callchain; i++) {
		if (s->callchain[i] >= PERF_CONTEXT_MAX)
			continue;
		if (!first)
			pt_buf_putc(b, ',');
		first = false;
		add_addr(b, s->callchain[i]);
	}
	pt_buf_putc(b, ']');
}

static void add_mmap(struct pt_buf *b, const struct pt_record *rec)
{
	add_text(b, "type", rec->type == PERF_RECORD_MMAP ? "MMAP" : "MMAP2");
	add_s64(b, "of_pid", (int32_t)rec->u.mmap.pid);
	add_s64(b, "of_tid", (int32_t)rec->u.mmap.tid);
	add_key(b, "addr");
	add_addr(b, rec->u.mmap.addr);
	add_u64(b, "len", rec->u.mmap.len_bytes);
	add_u64(b, "pgoff", rec->u.mmap.pgoff);
	add_text(b, "path", rec->u.mmap.path);
}

/* False for records that have no line. */
static bool add_side(struct pt_buf *b, const struct pt_record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_COMM:
		add_text(b, "type", "COMM");
		add_s64(b, "of_pid", (int32_t)rec->u.comm.pid);
		add_s64(b, "of_tid", (int32_t)rec->u.comm.tid);
		add_text(b, "new_comm", rec->u.comm.comm);
		add_key(b, "exec");
		pt_buf_puts(b, rec->misc & PERF_RECORD_MISC_COMM_EXEC ? "true" : "false");
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		add_text(b, "type", rec->type == PERF_RECORD_FORK ? "FORK" : "EXIT");
		add_s64(b, "of_pid", (int32_t)rec->u.task.pid);
		add_s64(b, "of_tid", (int32_t)rec->u.task.tid);
		add_s64(b, "ppid", (int32_t)rec->u.task.ppid);
		add_s64(b, "ptid", (int32_t)rec->u.task.ptid);
		return true;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: add_mmap(b, rec); return true;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		add_text(b, "type", rec->type == PERF_RECORD_LOST ? "LOST" : "LOST_SAMPLES");
		add_u64(b, "lost", rec->u.lost.lost);
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		add_text(b, "type", rec->type == PERF_RECORD_SWITCH ? "SWITCH" : "SWITCH_CPU_WIDE");
		add_text(b, "direction", rec->misc & PERF_RECORD_MISC_SWITCH_OUT ? "out" : "in");
		if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE) {
			add_s64(b, "other_pid", (int32_t)rec->u.sw.pid);
			add_s64(b, "other_tid", (int32_t)rec->u.sw.tid);
		}
		return true;
	}
	return false;
}

void pt_script_json(struct pt_script *s, const struct pt_record *rec, const char *comm,
		    struct pt_buf *b)
{
	size_t from = b->len;

	pt_buf_putc(b, '{');
	if (rec->has & PERF_SAMPLE_TIME)
		add_u64(b, "time_ns", rec->time_ns);
	add_text(b, "comm", comm);
	if (rec->has & PERF_SAMPLE_TID) {
		add_s64(b, "pid", (int32_t)rec->pid);
		add_s64(b, "tid", (int32_t)rec->tid);
	}
	if (rec->has & PERF_SAMPLE_CPU)
		add_u64(b, "cpu", rec->cpu);
	if (rec->type == PERF_RECORD_SAMPLE) {
		add_sample(s, b, rec);
	} else if (!add_side(b, rec)) {
		b->len = from;
		return;
	}
	pt_buf_puts(b, "}\n");
}
