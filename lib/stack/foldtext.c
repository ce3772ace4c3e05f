#include "stack/foldtext.h"

#include <stdlib.h>
#include <string.h>

#include "base/foldline.h"
#include "base/mem.h"
#include "stack/foldtext_priv.h"

enum { SNIFF_BYTES = 64 << 10, MAX_FRAMES = 1 << 16 };

const struct pt_word pt_foldtext_words[] = {
	PT_WORD("perf", PT_FOLDTEXT_PERF),
	PT_WORD("eu-stack", PT_FOLDTEXT_DEBUGGER),
	PT_WORD("gdb", PT_FOLDTEXT_DEBUGGER),
	PT_WORD("bpftrace", PT_FOLDTEXT_BPFTRACE),
	PT_WORD("jstack", PT_FOLDTEXT_JSTACK),
	PT_WORD("folded", PT_FOLDTEXT_FOLDED),
	PT_WORD("auto", PT_FOLDTEXT_AUTO),
	{ 0 }
};

static void foldtext_take_line(void *arg, const char *s, size_t len);

struct pt_foldtext *pt_foldtext_new(const struct pt_foldtext_opts *o,
				    void (*got)(void *arg, const struct pt_piece *frames, size_t nr,
						double count),
				    void *arg)
{
	struct pt_foldtext *t = pt_alloc(sizeof(*t));

	t->o = *o;
	t->got = got;
	t->arg = arg;
	t->lines = (struct pt_lines){ .line = foldtext_take_line, .arg = t };
	t->number = -1;
	t->counts.kind = o->from;
	return t;
}

void pt_foldtext_free(struct pt_foldtext *t)
{
	if (!t)
		return;
	pt_lines_deinit(&t->lines);
	pt_buf_deinit(&t->first);
	pt_buf_deinit(&t->event);
	pt_buf_deinit(&t->text);
	pt_buf_deinit(&t->comm);
	free(t->frames);
	free(t->pieces);
	free(t);
}

void pt_foldtext_comm(struct pt_foldtext *t, struct pt_piece text)
{
	size_t from = t->comm.len;

	pt_buf_add(&t->comm, text.s, text.len);
	pt_foldline_name(&t->comm, from);
}

void pt_foldtext_push(struct pt_foldtext *t, struct pt_piece name)
{
	size_t from = t->text.len;

	if (t->nr >= MAX_FRAMES) {
		t->counts.left_out++;
		return;
	}
	pt_buf_add(&t->text, name.s, name.len);
	pt_foldline_name(&t->text, from);
	PT_GROW(t->frames, t->nr, t->cap);
	t->frames[t->nr].off = from;
	t->frames[t->nr++].len = t->text.len - from;
}

/* ":file.c:12" behind a name; text in brackets is no source. */
void pt_foldtext_source_line(struct pt_foldtext *t, const char *s, const char *end)
{
	size_t from = t->text.len;
	const char *close;

	if (!t->o.context || !t->nr || !t->last_known)
		return;
	s = pt_skip_blanks(s, end);
	end = pt_before_blanks(s, end);
	pt_buf_putc(&t->text, ':');
	while (s < end) {
		close = *s == '[' ? memchr(s, ']', (size_t)(end - s)) : NULL;
		if (close)
			s = close + 1;
		else
			pt_buf_putc(&t->text, *s++);
	}
	pt_foldline_name(&t->text, from);
	if (t->text.len == from + 1)
		t->text.len = from;
	t->frames[t->nr - 1].len += t->text.len - from;
	t->last_known = false;
}

static struct pt_piece *foldtext_piece_at(struct pt_foldtext *t, size_t i)
{
	PT_GROW(t->pieces, i, t->cap_pieces);
	return &t->pieces[i];
}

/* Forgets the stack at hand. */
static void foldtext_forget(struct pt_foldtext *t)
{
	t->nr = 0;
	t->open = t->skip = t->last_known = false;
	pt_buf_clear(&t->comm);
	pt_buf_clear(&t->text);
}

void pt_foldtext_close(struct pt_foldtext *t, double count)
{
	size_t n = 0, i;

	if (t->comm.len)
		*foldtext_piece_at(t, n++) = (struct pt_piece){ t->comm.data, t->comm.len };
	for (i = t->nr; i-- > 0; )
		*foldtext_piece_at(t, n++) = (struct pt_piece){ t->text.data + t->frames[i].off,
						       t->frames[i].len };
	if (n) {
		t->counts.stacks++;
		t->got(t->arg, t->pieces, n, count);
	}
	foldtext_forget(t);
}

void pt_foldtext_bad(struct pt_foldtext *t)
{
	t->counts.first_bad = t->counts.bad++ ? t->counts.first_bad : t->counts.lines;
}

static void folded(struct pt_foldtext *t, const char *s, size_t len)
{
	double v[2] = { 0, 0 };
	size_t whole = len, nr = 0;
	int n = pt_foldline(s, &len, v);
	const char *end, *frame;

	if (n < 0)
		pt_foldtext_bad(t);
	if (!n)
		pt_foldnote_add(&t->counts.note, s, whole);
	if (n <= 0)
		return;
	if (pt_foldline_clean(&t->text, s, len))
		s = t->text.data;
	for (end = s + len; (frame = pt_foldline_frame(&s, end, &len)); )
		*foldtext_piece_at(t, nr++) = (struct pt_piece){ frame, len };
	t->counts.stacks++;
	t->got(t->arg, t->pieces, nr, v[n - 1]);
}

static void foldtext_take_line(void *arg, const char *s, size_t len)
{
	struct pt_foldtext *t = arg;

	t->counts.lines++;
	while (len && s[len - 1] == '\r')
		len--;
	switch (t->counts.kind) {
	case PT_FOLDTEXT_PERF: pt_foldtext_perf(t, s, s + len); break;
	case PT_FOLDTEXT_DEBUGGER: pt_foldtext_debugger(t, s, s + len); break;
	case PT_FOLDTEXT_BPFTRACE: pt_foldtext_bpftrace(t, s, s + len); break;
	case PT_FOLDTEXT_JSTACK: pt_foldtext_jstack(t, s, s + len); break;
	default: folded(t, s, len);
	}
}

/* The kind of text that one line suggests; AUTO: none. `after` is what follows it, up to `end`. */
static enum pt_foldtext_kind foldtext_tell(struct pt_piece line, const char *after, const char *end)
{
	const char *s = line.s;
	size_t len = line.len;
	double v[2];

	if (!len || *s == '#')
		return len > 1 && pt_is_digit(s[1]) ? PT_FOLDTEXT_DEBUGGER : PT_FOLDTEXT_AUTO;
	if (*s == '@' && memchr(s, '[', len))
		return PT_FOLDTEXT_BPFTRACE;
	if (pt_piece_begins(line, "Full thread dump") ||
	    (*s == '"' && pt_piece_find(line, " nid=")))
		return PT_FOLDTEXT_JSTACK;
	if ((pt_piece_begins(line, "Thread ") && pt_piece_find(line, "LWP ")) ||
	    ((pt_piece_begins(line, "TID ") || pt_piece_begins(line, "PID ")) &&
	     pt_is_digit(s[4])))
		return PT_FOLDTEXT_DEBUGGER;
	if (pt_foldtext_is_perf_header(s, s + len) ||
	    (!pt_is_blank(*s) && end - after > 2 && pt_is_blank(*after) && pt_is_blank(s[len - 1])))
		return PT_FOLDTEXT_PERF;
	return pt_foldline(s, &len, v) > 0 ? PT_FOLDTEXT_FOLDED : PT_FOLDTEXT_AUTO;
}

static enum pt_foldtext_kind sniff(const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *to = nl ? nl : end;
		enum pt_foldtext_kind kind = foldtext_tell(pt_piece(s, to), nl ? nl + 1 : end, end);

		if (kind != PT_FOLDTEXT_AUTO)
			return kind;
		s = to + 1;
	}
	return PT_FOLDTEXT_FOLDED;
}

static void decide(struct pt_foldtext *t)
{
	const char *s = pt_buf_str(&t->first);

	if (t->counts.kind == PT_FOLDTEXT_AUTO)
		t->counts.kind = sniff(s, t->first.len);
	t->decided = true;
	if (t->counts.kind == PT_FOLDTEXT_PERF)
		pt_foldtext_perf_learn(t, s, s + t->first.len);
	pt_lines_feed(&t->lines, s, t->first.len);
	pt_buf_clear(&t->first);
}

void pt_foldtext_feed(struct pt_foldtext *t, const char *p, size_t len)
{
	if (!t->decided) {
		pt_buf_add(&t->first, p, len);
		if (t->first.len >= SNIFF_BYTES)
			decide(t);
		return;
	}
	pt_lines_feed(&t->lines, p, len);
}

void pt_foldtext_end(struct pt_foldtext *t)
{
	if (!t->decided && t->first.len)
		decide(t);
	pt_lines_end(&t->lines);
	/* bpftrace puts the count at the end, which did not come */
	if (t->counts.kind != PT_FOLDTEXT_BPFTRACE && !t->skip)
		pt_foldtext_close(t, t->counts.kind == PT_FOLDTEXT_PERF ? t->weight : 1);
	foldtext_forget(t);
	t->number = -1;
	t->counts.kind = t->o.from;
	t->decided = t->has_addr = false;
}

struct pt_foldtext_counts pt_foldtext_counts(const struct pt_foldtext *t)
{
	struct pt_foldtext_counts c = t->counts;

	c.event = t->event.len ? t->event.data : NULL;
	return c;
}
