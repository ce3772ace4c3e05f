/* Records as JSON lines. */

#include "base/json.h"
#include "event/abi.h"
#include "script/script.h"
#include "script/script_priv.h"

static void add_integer(struct pt_buf *b, const char *key, uint64_t v, bool is_signed)
{
	if (is_signed)
		pt_json_s64(b, key, (int64_t)v);
	else
		pt_json_u64(b, key, v);
}

static void add_array(struct pt_buf *b, const struct pt_tp_field *f, const uint8_t *p, size_t n,
		      bool swap)
{
	uint32_t size = f->elem_bytes;

	if (!pt_is_number_size(size))
		size = 1;
	pt_json_open(b, f->name, '[');
	for (size_t i = 0; i + size <= n; i += size)
		add_integer(b, NULL, pt_load_number(p + i, size, f->flags & PT_TP_SIGNED, swap),
			    f->flags & PT_TP_SIGNED);
	pt_json_close(b, ']');
}

static void script_json_add_hex(struct pt_buf *b, const char *key, const void *bytes, size_t len)
{
	pt_json_key(b, key);
	pt_buf_putc(b, '"');
	pt_buf_hex_bytes(b, bytes, len, "");
	pt_buf_putc(b, '"');
}

static bool for_python(const struct pt_script *s)
{
	return s && s->o.for_python;
}

/* Python gets the bytes of texts and arrays, and pointers as numbers. */
static void add_text_or_array(struct pt_buf *b, const struct pt_tp_field *f,
			      const struct pt_record *rec, bool python)
{
	const void *p = NULL;
	size_t n = 0;
	bool has = pt_tp_data(f, rec->sample.raw, rec->sample.raw_len, rec->swap, &p, &n);

	if (python) {
		pt_json_open(b, f->name, '{');
		script_json_add_hex(b, f->flags & PT_TP_STRING ? "text" : "bytes", p, has ? n : 0);
		pt_json_close(b, '}');
	} else if (!has) {
		pt_json_null(b, f->name);
	} else if (f->flags & PT_TP_STRING) {
		pt_json_strn(b, f->name, p, n);
	} else {
		add_array(b, f, p, n, rec->swap);
	}
}

static void script_json_add_field(struct pt_buf *b, const struct pt_tp_field *f,
				  const struct pt_record *rec, bool python)
{
	const struct pt_sample *s = &rec->sample;
	uint64_t v;

	if (pt_tp_faulted(f, s->raw, s->raw_len, rec->swap))
		pt_json_str(b, f->name, PT_TP_FAULT);
	else if (f->flags & (PT_TP_ARRAY | PT_TP_DYNAMIC | PT_TP_STRING))
		add_text_or_array(b, f, rec, python);
	else if (!pt_tp_value(f, s->raw, s->raw_len, rec->swap, &v))
		pt_json_null(b, f->name);
	else if (f->flags & PT_TP_FLOAT)
		pt_json_number(b, f->name, pt_tp_float(f, v));
	else if (f->flags & PT_TP_POINTER && !python)
		pt_json_addr(b, f->name, v);
	else
		add_integer(b, f->name, v, f->flags & PT_TP_SIGNED);
}

/* Fields `from` to `to` of a tracepoint. */
static void add_fields(const struct pt_script *s, struct pt_buf *b, const char *key,
		       const struct pt_record *rec, size_t from, size_t to)
{
	pt_json_open(b, key, '{');
	for (size_t i = from; i < to; i++)
		script_json_add_field(b, &rec->event->tp->fields[i], rec, for_python(s));
	pt_json_close(b, '}');
}

/* The function of perf's scripts that gets the event's samples. */
static void add_handler(struct pt_buf *b, const struct pt_tp *tp)
{
	struct pt_buf name = PT_BUF_INIT;

	pt_buf_printf(&name, "%s__%s", tp->system, tp->name);
	pt_json_str(b, "handler", pt_buf_str(&name));
	pt_buf_deinit(&name);
}

static void tell_event(struct pt_script *s, struct pt_buf *b, const struct pt_event *ev)
{
	uint64_t *told = pt_map_put(&s->told, ev->index);

	if (*told)
		return;
	*told = 1;
	pt_json_open(b, NULL, '{');
	pt_json_str(b, "about", ev->name);
	script_json_add_hex(b, "attr", &ev->attr, sizeof(ev->attr));
	if (ev->tp) {
		add_handler(b, ev->tp);
		pt_json_str(b, "print_fmt", ev->tp->print_fmt);
	}
	pt_json_end_line(b);
}

static void add_for_python(struct pt_script *script, struct pt_buf *b, const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;
	const struct pt_tp *tp = rec->event->tp;

	if (rec->has & PERF_SAMPLE_PHYS_ADDR)
		pt_json_u64(b, "phys_addr", s->phys_addr);
	if (!(rec->has & PERF_SAMPLE_RAW))
		return;
	script_json_add_hex(b, "raw", s->raw, s->raw_len);
	if (!tp)
		return;
	add_handler(b, tp);
	add_fields(script, b, "common", rec, 0, tp->nr_common);
}

/* A frame as an object, with the mapping's name even if nothing else is known. */
static void script_json_add_frame(struct pt_buf *b, const struct pt_named_frame *x)
{
	pt_json_open(b, NULL, '{');
	pt_json_addr(b, "ip", x->ip);
	if (x->name) {
		pt_json_str(b, "sym", x->name);
		pt_json_u64(b, "symoff", x->offset + x->past);
	}
	pt_json_str(b, "dso", x->module);
	if (x->kind == PT_FRAME_INLINED)
		pt_json_bool(b, "inlined", true);
	if (x->file) {
		pt_json_str(b, "file", x->file);
		pt_json_u64(b, "line", x->line);
	}
	pt_json_close(b, '}');
}

/* The name of the sample's data address, if it has one. */
static void script_json_add_data(struct pt_script *s, struct pt_buf *b, const struct pt_record *rec)
{
	uint64_t addr = rec->sample.addr;
	struct pt_named_frame x =
		pt_frames_data_at(s->frames, rec->pid, addr >> 63, addr,
				  pt_script_time(rec));

	if (x.name) {
		pt_json_str(b, "addr_sym", x.name);
		pt_json_u64(b, "addr_symoff", x.offset);
	}
	pt_json_str(b, "addr_dso", x.module);
}

static void script_json_add_stack(struct pt_script *s, struct pt_buf *b,
				  const struct pt_record *rec)
{
	const struct pt_named_frame *frames;
	struct pt_frames_how how;
	size_t nr = pt_frames_of(s->frames, rec, &frames, &how), i;

	pt_json_open(b, "stack", '[');
	for (i = 0; i < nr && !(how.ip_alone && rec->has & PERF_SAMPLE_CALLCHAIN); i++)
		script_json_add_frame(b, &frames[i]);
	pt_json_close(b, ']');
}

static void script_json_add_sample(struct pt_script *script, struct pt_buf *b,
				   const struct pt_record *rec)
{
	const struct pt_sample *s = &rec->sample;
	uint64_t i;

	pt_json_str(b, "event", rec->event->name);
	if (rec->has & PERF_SAMPLE_PERIOD)
		pt_json_u64(b, "period", s->period);
	if (rec->has & PERF_SAMPLE_IP)
		pt_json_addr(b, "ip", s->ip);
	if (rec->has & PERF_SAMPLE_ADDR)
		pt_json_addr(b, "addr", s->addr);
	if (rec->has & PERF_SAMPLE_RAW && rec->event->tp)
		add_fields(script, b, "fields", rec, rec->event->tp->nr_common,
			   rec->event->tp->nr_fields);
	if (for_python(script))
		add_for_python(script, b, rec);
	if (script && script->frames && rec->has & PERF_SAMPLE_ADDR)
		script_json_add_data(script, b, rec);
	if (script && script->frames)
		script_json_add_stack(script, b, rec);
	if (!(rec->has & PERF_SAMPLE_CALLCHAIN))
		return;
	pt_json_open(b, "callchain", '[');
	for (i = 0; i < s->nr_callchain; i++)
		if (s->callchain[i] < PERF_CONTEXT_MAX)
			pt_json_addr(b, NULL, s->callchain[i]);
	pt_json_close(b, ']');
}

static void script_json_add_mmap(struct pt_buf *b, const struct pt_record *rec)
{
	pt_json_str(b, "type", rec->type == PERF_RECORD_MMAP ? "MMAP" : "MMAP2");
	pt_json_s64(b, "of_pid", (int32_t)rec->u.mmap.pid);
	pt_json_s64(b, "of_tid", (int32_t)rec->u.mmap.tid);
	pt_json_addr(b, "addr", rec->u.mmap.addr);
	pt_json_u64(b, "len", rec->u.mmap.len_bytes);
	pt_json_u64(b, "pgoff", rec->u.mmap.pgoff);
	pt_json_str(b, "path", rec->u.mmap.path);
}

/* False: the record has no line. */
static bool add_side(struct pt_buf *b, const struct pt_record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_COMM:
		pt_json_str(b, "type", "COMM");
		pt_json_s64(b, "of_pid", (int32_t)rec->u.comm.pid);
		pt_json_s64(b, "of_tid", (int32_t)rec->u.comm.tid);
		pt_json_str(b, "new_comm", rec->u.comm.comm);
		pt_json_bool(b, "exec", rec->misc & PERF_RECORD_MISC_COMM_EXEC);
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		pt_json_str(b, "type", rec->type == PERF_RECORD_FORK ? "FORK" : "EXIT");
		pt_json_s64(b, "of_pid", (int32_t)rec->u.task.pid);
		pt_json_s64(b, "of_tid", (int32_t)rec->u.task.tid);
		pt_json_s64(b, "ppid", (int32_t)rec->u.task.ppid);
		pt_json_s64(b, "ptid", (int32_t)rec->u.task.ptid);
		return true;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: script_json_add_mmap(b, rec); return true;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		pt_json_str(b, "type", rec->type == PERF_RECORD_LOST ? "LOST" : "LOST_SAMPLES");
		pt_json_u64(b, "lost", rec->u.lost.lost);
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		pt_json_str(b, "type",
			    rec->type == PERF_RECORD_SWITCH ? "SWITCH" : "SWITCH_CPU_WIDE");
		pt_json_str(b, "direction", rec->misc & PERF_RECORD_MISC_SWITCH_OUT ? "out" : "in");
		if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE) {
			pt_json_s64(b, "other_pid", (int32_t)rec->u.sw.pid);
			pt_json_s64(b, "other_tid", (int32_t)rec->u.sw.tid);
		}
		return true;
	}
	return false;
}

void pt_script_json(struct pt_script *s, const struct pt_record *rec, const char *comm,
		    struct pt_buf *b)
{
	size_t from;

	if (for_python(s) && rec->type == PERF_RECORD_SAMPLE)
		tell_event(s, b, rec->event);
	from = b->len;
	pt_json_open(b, NULL, '{');
	if (rec->has & PERF_SAMPLE_TIME)
		pt_json_u64(b, "time_ns", rec->time_ns);
	pt_json_str(b, "comm", comm);
	if (rec->has & PERF_SAMPLE_TID) {
		pt_json_s64(b, "pid", (int32_t)rec->pid);
		pt_json_s64(b, "tid", (int32_t)rec->tid);
	}
	if (rec->has & PERF_SAMPLE_CPU)
		pt_json_u64(b, "cpu", rec->cpu);
	if (rec->type == PERF_RECORD_SAMPLE) {
		script_json_add_sample(s, b, rec);
	} else if (!add_side(b, rec)) {
		b->len = from;
		return;
	}
	pt_json_end_line(b);
}
