#include "profile/codetext.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "disasm/disasm.h"
#include "elf/sourcetext.h"
#include "profile/codeflow.h"

enum { FIGURE = 8, INDENT = 2 };

static const char tab[] = "    ";

struct pt_codetext {
	struct pt_codetext_opts opts;
	struct pt_frames *frames;
	struct pt_weight total;
	struct pt_map texts;		/* interned path: struct pt_source_text, or 1: not here */
};

static const char *const percent_names[] = {
	[PT_PERCENT_LOCAL_PERIOD] = "local period",
	[PT_PERCENT_GLOBAL_PERIOD] = "global period",
	[PT_PERCENT_LOCAL_HITS] = "local hits",
	[PT_PERCENT_GLOBAL_HITS] = "global hits",
};

struct pt_codetext *pt_codetext_new(const struct pt_codetext_opts *o, struct pt_frames *frames,
				    struct pt_weight total)
{
	struct pt_codetext *t = pt_alloc(sizeof(*t));

	t->opts = *o;
	t->frames = frames;
	t->total = total;
	return t;
}

void pt_codetext_free(struct pt_codetext *t)
{
	struct pt_map_slot *s;

	if (!t)
		return;
	for (size_t i = 0; (s = pt_map_each(&t->texts, &i)); )
		if (s->value > 1)
			pt_source_text_free((struct pt_source_text *)(uintptr_t)s->value);
	pt_map_deinit(&t->texts);
	free(t);
}

static double percent_of(const struct pt_codetext *t, struct pt_weight w, struct pt_weight of)
{
	bool hits = t->opts.percent == PT_PERCENT_LOCAL_HITS ||
		    t->opts.percent == PT_PERCENT_GLOBAL_HITS;
	uint64_t whole = hits ? of.samples : of.period;

	return whole ? 100.0 * (double)(hits ? w.samples : w.period) / (double)whole : 0;
}

static double codetext_percent(const struct pt_codetext *t, const struct pt_code_function *x,
			       struct pt_weight w)
{
	bool global = t->opts.percent == PT_PERCENT_GLOBAL_PERIOD ||
		      t->opts.percent == PT_PERCENT_GLOBAL_HITS;

	return percent_of(t, w, global ? t->total : x->all);
}

/* Where source is looked for. */
static char *source_path(const struct pt_codetext *t, const char *file)
{
	const char *slash;

	if (!t->opts.prefix || *file != '/')
		return pt_strdup(file);
	for (uint64_t i = 0; i < t->opts.prefix_strip && (slash = strchr(file + 1, '/')); i++)
		file = slash;
	return pt_asprintf("%s%s", t->opts.prefix, file);
}

static struct pt_source_text *text_of(struct pt_codetext *t, const struct pt_code_function *x,
				      const char *file)
{
	uint64_t *slot = pt_map_put(&t->texts, (uint64_t)(uintptr_t)file);

	if (!*slot) {
		char *path = source_path(t, file);
		struct pt_source_text *text =
			pt_source_text_open(x->code.object, t->opts.source_dir, path);

		free(path);
		*slot = text ? (uint64_t)(uintptr_t)text : 1;
	}
	return *slot > 1 ? (struct pt_source_text *)(uintptr_t)*slot : NULL;
}

/* -- text -- */

static void put_figure(const struct pt_codetext *t, const struct pt_code_function *x,
		       struct pt_weight w, struct pt_buf *b)
{
	size_t from = b->len;

	if (t->opts.samples)
		pt_buf_dec(b, w.samples);
	else
		pt_buf_fixed(b, codetext_percent(t, x, w), 2);
	pt_buf_pad_left(b, from, FIGURE);
}

static void start_note(struct pt_buf *b, unsigned depth)
{
	pt_buf_printf(b, "%*s :  %*s", FIGURE, "", (int)(depth * INDENT), "");
}

/* The function is named here: its lines may all be inlined ones, or there are none. */
static void codetext_put_head(const struct pt_codetext *t, const struct pt_code_function *x,
			      const char *event, struct pt_buf *b)
{
	size_t from = b->len, len;

	pt_buf_puts(b, t->opts.samples ? " Samples |  " : " Percent |  ");
	pt_buf_puts(b, t->opts.lines ? "Source code of " : "Source code & Disassembly of ");
	pt_text_puts(b, x->code.path);
	pt_buf_puts(b, " for ");
	pt_text_puts(b, event);
	pt_buf_printf(b, " (%llu samples, percent: %s)", (unsigned long long)x->all.samples,
		      percent_names[t->opts.percent]);
	len = b->len - from;
	pt_buf_putc(b, '\n');
	for (size_t i = 0; i < len; i++)
		pt_buf_putc(b, '-');
	pt_buf_putc(b, '\n');
	start_note(b, 0);
	pt_buf_printf(b, "%llx <", (unsigned long long)x->code.start);
	pt_text_puts(b, x->name);
	pt_buf_puts(b, ">:\n");
}

/* The source line of an instruction, where it is another one than before. */
static void put_source(struct pt_codetext *t, const struct pt_code_function *x,
		       const struct pt_frames_source *s, const struct pt_frames_source *before,
		       struct pt_buf *b)
{
	struct pt_source_text *text = text_of(t, x, s->file);
	const char *line;
	size_t len;

	if (s->function != before->function || s->depth != before->depth) {
		start_note(b, s->depth);
		pt_text_puts(b, s->function);
		pt_buf_puts(b, "():\n");
	}
	if (t->opts.places || !text) {
		start_note(b, s->depth);
		pt_text_puts(b, s->file);
		pt_buf_printf(b, ":%u\n", s->line);
	}
	if (text && (line = pt_source_text_line(text, s->line, &len))) {
		start_note(b, s->depth);
		pt_buf_printf(b, "%-5u ", s->line);
		pt_source_text_add(b, line, len, tab);
		pt_buf_putc(b, '\n');
	}
}

static void put_target(const struct pt_codetext *t, const struct pt_code_function *x,
		       const struct pt_insn *in, struct pt_buf *b)
{
	uint64_t offset;
	const char *name = in->has_target
				   ? pt_frames_symbol(t->frames, x->place, in->target, &offset)
				   : NULL;

	if (!name)
		return;
	pt_buf_puts(b, " <");
	pt_text_puts(b, name);
	if (offset)
		pt_buf_printf(b, "+0x%llx", (unsigned long long)offset);
	pt_buf_putc(b, '>');
}

/* What the samples have that were in what the instruction calls, or below that. The kernel returns
 * to the address behind a system call. Interrupts come at any instruction, and are not shown. */
static struct pt_weight codetext_below(const struct pt_code_function *x, const struct pt_insn *in)
{
	uint64_t end = in->vaddr + in->len_bytes;

	if (in->kind == PT_INSN_CALL)
		return pt_code_sum(x, in->vaddr, end).below;
	if (in->kind == PT_INSN_SYSCALL)
		return pt_code_sum(x, end, end + 1).below;
	return (struct pt_weight){ .samples = 0 };
}

static void codetext_put_below(const struct pt_codetext *t, struct pt_weight called,
			       struct pt_buf *b)
{
	if (!called.samples)
		return;
	if (t->opts.samples)
		pt_buf_printf(b, "    (%llu below)", (unsigned long long)called.samples);
	else
		pt_buf_printf(b, "    (%.2f%% below)", percent_of(t, called, t->total));
}

static void put_instruction(const struct pt_codetext *t, const struct pt_code_function *x,
			    const struct pt_insn *in, const char *arrows, struct pt_buf *b)
{
	struct pt_code_address sum = pt_code_sum(x, in->vaddr, in->vaddr + in->len_bytes);

	put_figure(t, x, sum.weight, b);
	pt_buf_printf(b, " : %6llx:  %s", (unsigned long long)in->vaddr, arrows);
	if (t->opts.raw) {
		size_t from = b->len;
		const uint8_t *p = x->code.bytes + (in->vaddr - x->code.start);

		for (uint32_t i = 0; i < in->len_bytes; i++)
			pt_buf_printf(b, "%02x ", p[i]);
		pt_buf_pad_right(b, from, 32);
	}
	pt_text_puts(b, in->text);
	put_target(t, x, in, b);
	codetext_put_below(t, codetext_below(x, in), b);
	pt_buf_putc(b, '\n');
}

static bool same_line(const struct pt_frames_source *a, const struct pt_frames_source *b)
{
	return a->file == b->file && a->line == b->line && a->function == b->function &&
	       a->depth == b->depth;
}

static int read_code(const struct pt_codetext *t, const struct pt_code_function *x,
		     struct pt_insns *in, struct pt_err *e)
{
	struct pt_disasm_code code = { .arch = x->code.arch,
				       .bytes = x->code.bytes,
				       .len_bytes = x->code.end - x->code.start,
				       .vaddr = x->code.start,
				       .intel = t->opts.intel };

	return pt_disasm(in, &code, e);
}

/* -- lines of source alone -- */

struct line { struct pt_frames_source source; struct pt_weight weight; };

static int by_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int rc = strcmp(x->source.file, y->source.file);

	if (rc)
		return rc;
	return (x->source.line > y->source.line) - (x->source.line < y->source.line);
}

/* Each line that samples hit, ascending; the caller frees. */
static struct line *lines_of(const struct pt_codetext *t, const struct pt_code_function *x,
			     size_t *nr)
{
	struct line *v = pt_alloc_array(x->nr, sizeof(*v));
	size_t n = 0;

	*nr = 0;
	for (size_t i = 0; i < x->nr; i++)
		if (x->v[i].weight.samples &&
		    pt_frames_source(t->frames, x->place, x->v[i].vaddr, &v[n].source))
			v[n++].weight = x->v[i].weight;
	qsort(v, n, sizeof(*v), by_line);
	for (size_t i = 0; i < n; i++) {
		struct line *last = *nr ? &v[*nr - 1] : NULL;

		if (last && !by_line(last, &v[i])) {
			last->weight.period += v[i].weight.period;
			last->weight.samples += v[i].weight.samples;
		} else {
			v[(*nr)++] = v[i];
		}
	}
	return v;
}

/* What of the function's samples the lines do not have: where nothing tells a line. */
static struct pt_weight without_line(const struct pt_code_function *x, const struct line *v,
				     size_t nr)
{
	struct pt_weight rest = x->all;

	for (size_t i = 0; i < nr; i++) {
		rest.period -= v[i].weight.period;
		rest.samples -= v[i].weight.samples;
	}
	return rest;
}

static void codetext_print_lines(struct pt_codetext *t, const struct pt_code_function *x,
				 struct pt_buf *b)
{
	const char *file = NULL;
	size_t nr;
	struct line *v = lines_of(t, x, &nr);
	struct pt_weight rest = without_line(x, v, nr);

	for (size_t i = 0; i < nr; i++) {
		const struct pt_frames_source *s = &v[i].source;
		struct pt_source_text *text = text_of(t, x, s->file);
		size_t len = 0;
		const char *line = text ? pt_source_text_line(text, s->line, &len) : NULL;

		if (s->file != file) {
			start_note(b, 0);
			pt_text_puts(b, s->file);
			pt_buf_putc(b, '\n');
		}
		file = s->file;
		put_figure(t, x, v[i].weight, b);
		pt_buf_printf(b, " :  %-5u ", s->line);
		if (line)
			pt_source_text_add(b, line, len, tab);
		pt_buf_putc(b, '\n');
	}
	if (rest.samples) {
		put_figure(t, x, rest, b);
		pt_buf_puts(b, " :  [no source line]\n");
	}
	free(v);
}

/* The instructions from `from` on, before `to`; flow NULL: without arrows. */
static void print_instructions(struct pt_codetext *t, const struct pt_code_function *x,
			       const struct pt_insns *in, const struct pt_codeflow *flow,
			       size_t from, size_t to, struct pt_buf *b)
{
	struct pt_frames_source before = { .file = NULL }, s;

	for (size_t i = from; i < to; i++) {
		if (!t->opts.no_source &&
		    pt_frames_source(t->frames, x->place, in->v[i].vaddr, &s)) {
			if (!same_line(&s, &before))
				put_source(t, x, &s, &before, b);
			before = s;
		}
		put_instruction(t, x, &in->v[i], flow ? pt_codeflow_arrows(flow, i) : "", b);
	}
}

static void print_blocks(struct pt_codetext *t, const struct pt_code_function *x,
			 const struct pt_insns *in, const struct pt_codeflow *flow,
			 struct pt_buf *b)
{
	size_t nr;
	struct pt_code_block *v = pt_codeflow_blocks(flow, in, x, &nr);

	for (size_t i = 0; i < nr; i++) {
		put_figure(t, x, v[i].weight, b);
		pt_buf_printf(b, " :  block of %zu instruction%s", v[i].end - v[i].start,
			      v[i].end - v[i].start == 1 ? "" : "s");
		if (v[i].loops) {
			pt_buf_printf(b, ", loop from %llx: ",
				      (unsigned long long)in->v[v[i].loop].vaddr);
			put_figure(t, x, v[i].loop_weight, b);
		}
		pt_buf_putc(b, '\n');
		print_instructions(t, x, in, NULL, v[i].start, v[i].end, b);
	}
	free(v);
}

int pt_codetext_print(struct pt_codetext *t, const struct pt_code_function *x, const char *event,
		      struct pt_buf *b, struct pt_err *e)
{
	struct pt_insns in = { .nr = 0 };
	struct pt_codeflow *flow;

	if (t->opts.lines) {
		codetext_put_head(t, x, event, b);
		codetext_print_lines(t, x, b);
		pt_buf_putc(b, '\n');
		return 0;
	}
	if (read_code(t, x, &in, e) < 0)
		return -1;
	codetext_put_head(t, x, event, b);
	flow = pt_codeflow_new(&in);
	if (t->opts.blocks)
		print_blocks(t, x, &in, flow, b);
	else
		print_instructions(t, x, &in, flow, 0, in.nr, b);
	pt_buf_putc(b, '\n');
	pt_codeflow_free(flow);
	pt_insns_deinit(&in);
	return 0;
}

/* -- JSON -- */

static void json_start(const struct pt_codetext *t, const struct pt_code_function *x,
		       const char *event, struct pt_weight w, struct pt_buf *b)
{
	pt_json_open(b, NULL, '{');
	pt_json_str(b, "event", event);
	pt_json_str(b, "function", x->name);
	pt_json_str(b, "dso", x->code.path);
	pt_json_double(b, "percent", codetext_percent(t, x, w), 4);
	pt_json_u64(b, "samples", w.samples);
	pt_json_u64(b, "period", w.period);
}

static void json_source(const struct pt_frames_source *s, struct pt_buf *b)
{
	pt_json_str(b, "in", s->function);
	pt_json_str(b, "file", s->file);
	pt_json_u64(b, "line", s->line);
}

static void json_end(struct pt_buf *b)
{
	pt_json_close(b, '}');
	pt_buf_putc(b, '\n');
}

int pt_codetext_json(struct pt_codetext *t, const struct pt_code_function *x, const char *event,
		     struct pt_buf *b, struct pt_err *e)
{
	struct pt_insns in = { .nr = 0 };
	struct pt_frames_source s;
	size_t nr = 0;
	struct line *v = t->opts.lines ? lines_of(t, x, &nr) : NULL;
	struct pt_weight rest = without_line(x, v, nr);

	for (size_t i = 0; i < nr; i++) {
		json_start(t, x, event, v[i].weight, b);
		json_source(&v[i].source, b);
		json_end(b);
	}
	if (t->opts.lines && rest.samples) {
		json_start(t, x, event, rest, b);
		json_end(b);
	}
	free(v);
	if (t->opts.lines)
		return 0;
	if (read_code(t, x, &in, e) < 0)
		return -1;
	for (size_t i = 0; i < in.nr; i++) {
		const struct pt_insn *insn = &in.v[i];
		struct pt_code_address sum =
			pt_code_sum(x, insn->vaddr, insn->vaddr + insn->len_bytes);
		struct pt_weight called = codetext_below(x, insn);

		json_start(t, x, event, sum.weight, b);
		pt_json_addr(b, "addr", insn->vaddr);
		pt_json_str(b, "text", insn->text);
		if (insn->has_target)
			pt_json_addr(b, "target", insn->target);
		if (called.samples) {
			pt_json_double(b, "below_percent", percent_of(t, called, t->total), 4);
			pt_json_u64(b, "below_samples", called.samples);
		}
		if (pt_frames_source(t->frames, x->place, insn->vaddr, &s))
			json_source(&s, b);
		json_end(b);
	}
	pt_insns_deinit(&in);
	return 0;
}
