#include "script/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "event/abi.h"
#include "script/script_priv.h"

enum { MAX_LINES = 1 << 16 };

static const uint64_t sampled =
	F_COMM | F_TID | F_CPU | F_TIME | F_EVENT | F_IP | F_SYM | F_SYMOFF | F_DSO | F_PERIOD;

struct pt_script *pt_script_new(const struct pt_script_opts *o)
{
	struct pt_script *s = pt_alloc(sizeof(*s));
	int t;

	if (o)
		s->o = *o;
	s->symbols = s->o.symbols.nr || s->o.dsos.nr;
	for (t = 0; t < NR_TYPES; t++)
		s->types[t].fields = sampled;
	s->types[TYPE_SOFTWARE].fields |= F_BPF_OUTPUT;
	s->types[TYPE_TRACEPOINT].fields = F_COMM | F_TID | F_CPU | F_TIME | F_EVENT | F_TRACE;
	s->types[TYPE_RAW].fields |= F_ADDR | F_DATA_SRC | F_WEIGHT | F_PHYS_ADDR | F_DATA_PAGE |
				     F_CODE_PAGE | F_INS_LAT;
	return s;
}

void pt_script_free(struct pt_script *s)
{
	struct pt_map_slot *slot;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nr_plans; i++)
		free(s->plans[i]);
	free(s->plans);
	free(s->memo);
	for (i = 0; (slot = pt_map_each(&s->cgroups, &i));)
		free(pt_pointer(slot->value));
	pt_map_deinit(&s->cgroups);
	pt_map_deinit(&s->told);
	pt_map_deinit(&s->last_lines);
	pt_script_sources_free(s);
	pt_buf_deinit(&s->line_text);
	pt_buf_deinit(&s->call.raw);
	pt_buf_deinit(&s->call.comm);
	free(s);
}

void pt_script_set_frames(struct pt_script *s, struct pt_frames *f)
{
	s->frames = f;
}

void pt_script_see(struct pt_script *s, const struct pt_record *rec)
{
	uint64_t *path;

	if (rec->type != PERF_RECORD_CGROUP)
		return;
	path = pt_map_put(&s->cgroups, rec->u.cgroup.id);
	free(pt_pointer(*path));
	*path = (uint64_t)(uintptr_t)pt_strdup(rec->u.cgroup.path);
}

uint64_t pt_script_time(const struct pt_record *rec)
{
	return rec->has & PERF_SAMPLE_TIME ? rec->time_ns : UINT64_MAX;
}

const struct pt_place_at *pt_script_place(const struct pt_script *s, const struct pt_record *rec,
					  uint64_t addr)
{
	bool kernel = addr == rec->sample.ip ? pt_record_in_kernel(rec) : addr >> 63;

	return pt_frames_place(s->frames, rec->pid, kernel, addr, pt_script_time(rec));
}

const struct pt_named_frame *pt_script_function(const struct pt_script *s,
						const struct pt_record *rec, uint64_t addr)
{
	const struct pt_named_frame *frames;
	size_t nr = pt_frames_name(s->frames, pt_script_place(s, rec, addr), &frames);

	return nr ? &frames[nr - 1] : NULL;
}

uint64_t pt_script_period(const struct pt_record *rec)
{
	if (rec->has & PERF_SAMPLE_PERIOD)
		return rec->sample.period;
	return rec->event ? rec->event->attr.sample_period : 0;
}

void pt_script_hex(struct pt_buf *b, uint64_t v, size_t width)
{
	size_t from = b->len;

	pt_buf_hex(b, v);
	pt_buf_pad_left(b, from, width);
}

void pt_script_name(struct pt_buf *b, const char *name, uint64_t offset, bool with_offset)
{
	pt_text_puts(b, name ? name : "[unknown]");
	if (name && with_offset) {
		pt_buf_puts(b, "+0x");
		pt_buf_hex(b, offset);
	}
}

/* Of ftrace's stacks, which name functions only, the lines stay. */
static bool has_lines(const struct pt_tp *tp)
{
	return !strcmp(tp->system, "ftrace") && strstr(tp->name, "_stack");
}

static struct pt_tp_call script_call_of(const struct pt_record *rec)
{
	return (struct pt_tp_call){ rec->event->tp, rec->sample.raw, rec->sample.raw_len };
}

/* `back`: of a call, the return that follows it at once, or NULL. */
static void script_add_trace(const struct pt_record *rec, const struct pt_record *back,
			     struct pt_buf *b)
{
	const struct pt_tp *tp = rec->event->tp;
	size_t from = b->len, len;
	char *raw, *line, *save;

	if (back) {
		struct pt_tp_call call = script_call_of(rec), end = script_call_of(back);

		pt_tp_print_leaf(&call, &end, b);
	} else {
		pt_tp_print(tp, rec->sample.raw, rec->sample.raw_len, b);
	}
	len = b->len - from;
	if (pt_text_ascii(b->data + from, len) == len)
		return;
	raw = pt_memdup(b->data + from, len + 1);
	b->len = from;
	if (!has_lines(tp)) {
		/* what trace_printk() and trace_marker write ends in a newline */
		pt_text_plain(b, raw, len - (raw[len - 1] == '\n'));
	} else {
		for (line = strtok_r(raw, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			pt_buf_puts(b, b->len > from ? "\n" : "");
			pt_text_puts(b, line);
		}
	}
	free(raw);
}

static void script_add_address(uint64_t addr, struct pt_buf *b)
{
	pt_buf_putc(b, '\t');
	pt_script_hex(b, addr, 16);
	pt_buf_putc(b, '\n');
}

/* One address a line, without the marks between kernel and user. */
static void script_add_chain(const struct pt_record *rec, struct pt_buf *b)
{
	const struct pt_sample *sample = &rec->sample;
	bool branches = pt_frames_uses_branches(rec);
	uint64_t i;

	pt_buf_putc(b, '\n');
	for (i = 0; i < sample->nr_callchain; i++) {
		if (sample->callchain[i] == PT_CONTEXT_USER_DEFERRED ||
		    (branches && sample->callchain[i] == (uint64_t)PERF_CONTEXT_USER))
			break;
		if (sample->callchain[i] < PERF_CONTEXT_MAX)
			script_add_address(sample->callchain[i], b);
	}
	if (branches)
		script_add_address(sample->branches[0].to, b);
	for (i = 0; branches && i < sample->nr_branches; i++)
		script_add_address(sample->branches[i].from, b);
}

uint64_t pt_script_offset(const struct pt_script *s, const struct pt_record *rec, uint64_t addr)
{
	struct pt_frames_module m;

	return s->frames && !(addr >> 63) && pt_frames_module_at(s->frames, rec->pid, addr, &m)
		       ? m.offset
		       : UINT64_MAX;
}

void pt_script_module(struct pt_buf *b, uint32_t pid, const struct pt_named_frame *x, uint64_t off)
{
	pt_buf_putc(b, '(');
	/* the file in which its compiler may have written names */
	if (x && x->module && pt_frames_is_anonymous(x->module))
		pt_buf_printf(b, "/tmp/perf-%u.map", pid);
	else
		pt_text_puts(b, x && x->module ? x->module : "[unknown]");
	if (off != UINT64_MAX) {
		pt_buf_puts(b, "+0x");
		pt_buf_hex(b, off);
	}
	pt_buf_putc(b, ')');
}

/* ` NAME+0xOFF (MODULE)`; an inlined function has no module. `off`: in the file. */
static void script_add_name(const struct plan *p, uint32_t pid, const struct pt_named_frame *x,
			    uint64_t off, struct pt_buf *b)
{
	bool in_file = x->kind != PT_FRAME_KERNEL && x->module && *x->module == '/';

	if (p->fields & F_SYM) {
		pt_buf_putc(b, ' ');
		pt_script_name(b, x->name, x->offset + x->past, p->fields & F_SYMOFF);
	}
	if (x->kind != PT_FRAME_INLINED && p->fields & F_DSO) {
		pt_buf_putc(b, ' ');
		pt_script_module(b, pid, x, p->fields & F_DSOFF && in_file ? off : UINT64_MAX);
	}
}

/* The source line below a frame, with the file's name without its folder, as in perf. */
static void script_add_line(const struct plan *p, const struct pt_named_frame *x, struct pt_buf *b)
{
	if (!(p->fields & F_SRCLINE) || !x->file)
		return;
	pt_buf_puts(b, "\n  ");
	pt_text_puts(b, pt_text_base(x->file));
	pt_buf_putc(b, ':');
	pt_buf_dec(b, x->line);
}

/* The address of a fault and its name. */
static void add_named_addr(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			   struct pt_buf *b)
{
	uint64_t addr = rec->sample.addr;
	struct pt_named_frame x =
		pt_frames_data_at(s->frames, rec->pid, addr >> 63, addr,
				  pt_script_time(rec));

	pt_script_hex(b, addr, 16);
	if (p->fields & F_SYM) {
		pt_buf_putc(b, ' ');
		pt_script_name(b, x.name, x.offset, p->fields & F_SYMOFF);
	}
	if (p->fields & F_DSO) {
		pt_buf_puts(b, " (");
		pt_text_puts(b, x.module ? x.module : "[unknown]");
		pt_buf_putc(b, ')');
	}
}

/* The lines of a place, inlined functions first. */
static void script_add_place(struct pt_script *s, const struct plan *p, uint32_t pid,
			     const struct pt_frames_shown *x, struct pt_buf *b)
{
	const struct pt_named_frame *frames;
	size_t nr = pt_frames_name(s->frames, x->place, &frames), i;

	for (i = 0; i < nr; i++) {
		struct pt_named_frame one = frames[i];

		one.past = x->past;
		s->unknown += !one.name && p->fields & (F_SYM | F_DSO | F_SRCLINE);
		pt_buf_putc(b, '\t');
		pt_script_hex(b, x->shown, 16);
		script_add_name(p, pid, &one, x->shown, b);
		script_add_line(p, &one, b);
		if (one.kind == PT_FRAME_INLINED)	/* behind the source line, as in perf */
			pt_buf_puts(b, " (inlined)");
		pt_buf_putc(b, '\n');
	}
}

/* Lines of places whose names are final are copied. */
static void add_place_again(struct pt_script *s, const struct plan *p, uint32_t pid,
			    const struct pt_frames_shown *x, struct pt_buf *b)
{
	uint64_t fields = p->fields & (F_SYM | F_SYMOFF | F_DSO | F_DSOFF | F_SRCLINE);
	uint32_t index = pt_frames_index(x->place);
	size_t from = b->len;
	uint64_t unknown = s->unknown;
	struct lines *l;

	PT_GROW_TO(s->memo, s->nr_memo, index);
	l = &s->memo[index];
	if (l->len && l->shown == x->shown && l->past == x->past && l->fields == fields) {
		pt_buf_add(b, s->line_text.data + l->at, l->len);
		s->unknown += l->unknown;
		return;
	}
	script_add_place(s, p, pid, x, b);
	/* shown in another way before, which is rare */
	if (l->len || b->len - from > MAX_LINES)
		return;
	*l = (struct lines){ .at = s->line_text.len,
			     .len = (uint32_t)(b->len - from),
			     .shown = x->shown,
			     .past = x->past,
			     .fields = fields,
			     .unknown = (uint32_t)(s->unknown - unknown) };
	pt_buf_add(&s->line_text, b->data + from, l->len);
}

static void add_named_chain(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			    struct pt_buf *b)
{
	const struct pt_place_at *const *places;
	const struct pt_frames_shown *shown;
	struct pt_frames_how how;
	size_t i, nr;

	pt_frames_places(s->frames, rec, &places, &how);
	nr = pt_frames_as_shown(s->frames, &shown);
	pt_buf_putc(b, '\n');
	if (how.ip_alone)			/* perf prints nothing of an empty call chain */
		return;
	for (i = 0; i < nr; i++)
		if (pt_frames_has_file(shown[i].place))
			add_place_again(s, p, rec->pid, &shown[i], b);
		else
			script_add_place(s, p, rec->pid, &shown[i], b);
}

/* Without call chain: on the same line, the captured address, without inlined functions. */
static void add_named_ip(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
			 struct pt_buf *b)
{
	const struct pt_named_frame *frames;
	size_t nr = pt_frames_name(s->frames, pt_script_place(s, rec, rec->sample.ip), &frames);

	pt_buf_putc(b, ' ');
	pt_script_hex(b, rec->sample.ip, 16);
	script_add_name(p, rec->pid, &frames[nr - 1],
			p->fields & F_DSOFF ? pt_script_offset(s, rec, rec->sample.ip) : UINT64_MAX,
			b);
	script_add_line(p, &frames[0], b);
}

static void add_where(struct pt_script *s, const struct plan *p, const struct pt_record *rec,
		      struct pt_buf *b)
{
	bool named = p->named && s->frames;

	if (p->chain && rec->has & PERF_SAMPLE_CALLCHAIN) {
		if (named)
			add_named_chain(s, p, rec, b);
		else
			script_add_chain(rec, b);
	} else if (named) {
		add_named_ip(s, p, rec, b);
	} else {
		pt_buf_putc(b, ' ');
		pt_script_hex(b, rec->sample.ip, 16);
	}
}

static void script_add_sample(struct pt_script *s, struct pt_source *src,
			      const struct pt_record *rec, const struct pt_record *back,
			      const char *comm, struct pt_buf *b)
{
	const struct plan *p = pt_script_plan(s, src, rec->event);
	const struct pt_sample *sample = &rec->sample;

	if (!p->fields)
		return;
	pt_buf_grow(b, 512);
	pt_script_start(s, p, rec, comm, b);
	if (p->fields & F_PERIOD) {
		pt_script_dec(b, (int64_t)pt_script_period(rec), 10);
		pt_buf_putc(b, ' ');
	}
	if (p->fields & F_EVENT) {
		if (p->name_len < s->name_width)
			pt_buf_fill(b, ' ', s->name_width - p->name_len);
		pt_text_puts(b, rec->event->name);
		pt_buf_add(b, ": ", 2);
	}
	if (p->fields & F_FLAGS)
		pt_buf_fill(b, ' ', 24);
	if (p->fields & F_TRACE && rec->has & PERF_SAMPLE_RAW && rec->event->tp)
		script_add_trace(rec, back, b);
	if (p->named_addr && s->frames)
		add_named_addr(s, p, rec, b);
	pt_script_rare_before(p, rec, p->named_addr && s->frames, b);
	if (p->fields & F_IP)
		add_where(s, p, rec, b);
	pt_script_rare_after(s, p, rec, b);
	pt_buf_putc(b, '\n');
	if (p->fields & F_SRCCODE && s->frames)
		pt_script_source_line(s, rec, sample->ip, b);
}

void pt_script_flush(struct pt_script *s, struct pt_source *src, struct pt_buf *b)
{
	if (s->call.held)
		script_add_sample(s, src, &s->call.rec, NULL, pt_buf_str(&s->call.comm), b);
	s->call.held = false;
}

static void hold_call(struct pt_script *s, const struct pt_record *rec, const char *comm)
{
	s->call.held = true;
	s->call.rec = *rec;
	pt_buf_clear(&s->call.raw);
	pt_buf_clear(&s->call.comm);
	pt_buf_add(&s->call.raw, rec->sample.raw, rec->sample.raw_len);
	pt_buf_puts(&s->call.comm, comm);
	s->call.rec.sample.raw = s->call.raw.data;
}

static bool is_leaf(const struct pt_record *call, const struct pt_record *back)
{
	struct pt_tp_call to, from;

	if (back->cpu != call->cpu || !back->event->tp || !(back->has & PERF_SAMPLE_RAW))
		return false;
	to = script_call_of(call);
	from = script_call_of(back);
	return pt_tp_is_leaf(&to, &from);
}

void pt_script_sample(struct pt_script *s, struct pt_source *src, const struct pt_record *rec,
		      const char *comm, struct pt_buf *b)
{
	if (s->call.held && is_leaf(&s->call.rec, rec)) {
		script_add_sample(s, src, &s->call.rec, rec, pt_buf_str(&s->call.comm), b);
		s->call.held = false;
		return;
	}
	pt_script_flush(s, src, b);
	if (rec->event->tp && rec->has & PERF_SAMPLE_RAW && pt_tp_is_call(rec->event->tp))
		hold_call(s, rec, comm);
	else
		script_add_sample(s, src, rec, NULL, comm, b);
}

uint64_t pt_script_unknown(const struct pt_script *s)
{
	return s->unknown;
}
