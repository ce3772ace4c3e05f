/* foldtext_perf.c - perf script's text:
 *
 *     COMM  PID/TID [CPU] SECONDS:  PERIOD EVENT: TEXT        some of these, in this order
 *             ADDRESS SYMBOL+0xOFFSET (OBJECT)                a line a frame, innermost first;
 *                     "(inlined)" in place of the object
 *       FILE:LINE                                             with -F +srcline
 *                                                             an empty line ends the sample */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack/foldtext_priv.h"

enum { ID_COLUMNS = 5, PERIOD_COLUMNS = 10 };		/* perf pads to so many */

struct header {
	struct pt_piece pid, tid, event;
	/* rest: the text behind the event */
	const char *comm_end, *rest;
	double period;					/* 0: none */
	/* wide: the ids are in columns of five, as in perf */
	bool time, wide;
};

/* PID, TID, PID/TID; `before` is the end of the previous word */
static bool take_ids(const char *before, const char *s, const char *end, struct header *h)
{
	const char *p = pt_skip_digits(s);

	if (p == s)
		return false;
	h->wide = p - before - 1 >= ID_COLUMNS;
	h->pid = pt_piece(s, p);
	h->tid.len = 0;
	if (p < end && *p == '/') {
		h->tid = pt_piece(p + 1, pt_skip_digits(p + 1));
		p = h->tid.s + h->tid.len;
		if (!h->tid.len)
			return false;
	}
	return p == end;
}

static bool is_cpu(const char *s, const char *end)
{
	return end - s > 2 && *s == '[' && end[-1] == ']' && pt_is_digit(s[1]);
}

/* "123.456789:" */
static bool is_time(const char *s, const char *end)
{
	const char *point = pt_skip_digits(s), *p;

	if (point == s || *point != '.')
		return false;
	p = pt_skip_digits(point + 1);
	return p > point + 1 && p + 1 == end && *p == ':';
}

static bool is_event(const char *s, const char *end)
{
	return end - s > 1 && end[-1] == ':' && !pt_is_digit(*s) && *s != '[';
}

/* What stands behind ids. */
static bool is_behind(const char *s, const char *end)
{
	return is_cpu(s, end) || is_time(s, end) || is_event(s, end);
}

/* Reads the words behind the comm, from p on. */
static void foldtext_perf_take_fields(const char *p, const char *end, struct header *h)
{
	const char *to = p, *before;
	bool columns = false;		/* a number where perf has periods */

	for (p = pt_skip_blanks(p, end); p < end; p = pt_skip_blanks(to, end)) {
		before = to;
		to = pt_skip_word(p, end);
		if (is_time(p, to)) {
			h->time = true;
		} else if (is_event(p, to)) {
			h->event = pt_piece(p, to - 1);
			h->rest = to;
			return;
		} else {
			h->period = pt_skip_digits(p) == to ? strtod(p, NULL) : 0;
			columns = to - before - 1 >= PERIOD_COLUMNS;
		}
	}
	if (!columns)			/* no event: the number is something else */
		h->period = 0;
}

/* A comm may contain blanks and numbers. It ends where ids, a CPU, a time or an event are followed
 * by what belongs behind them. `ids`: what is known of the text's ids. */
static bool parse_header(const char *s, const char *end, int ids, struct header *h)
{
	const char *p = pt_skip_word(s, end), *word, *to, *next, *next_to;
	struct header first = { .comm_end = NULL };

	*h = first;
	for (; (word = pt_skip_blanks(p, end)) < end; p = to) {
		to = pt_skip_word(word, end);
		if (ids != PT_FOLDTEXT_IDS_NONE && take_ids(p, word, to, h) &&
		    (ids != PT_FOLDTEXT_IDS_WIDE || h->wide)) {
			next = pt_skip_blanks(to, end);
			next_to = pt_skip_word(next, end);
			if (first.comm_end && first.pid.s + first.pid.len == p &&
			    (next == end || is_event(next, next_to)))
				break;			/* ids, then a period */
			h->comm_end = p;
			if (next == end || is_behind(next, next_to) || h->tid.len) {
				foldtext_perf_take_fields(to, end, h);
				return true;
			}
			if (!first.comm_end)
				first = *h;
		} else if (is_behind(word, to)) {
			if (first.comm_end)
				break;
			*h = (struct header){ .comm_end = p };
			foldtext_perf_take_fields(word, end, h);
			return true;
		}
	}
	*h = first;			/* ids, then something unknown */
	if (!h->comm_end) {
		h->comm_end = pt_before_blanks(s, end);
		return false;
	}
	foldtext_perf_take_fields(pt_skip_word(h->pid.s, end), end, h);
	return true;
}

bool pt_foldtext_is_perf_header(const char *s, const char *end)
{
	struct header h;

	return parse_header(pt_skip_blanks(s, end), end, PT_FOLDTEXT_IDS_ANY, &h) &&
	       (h.time || (h.event.s && h.pid.s));
}

/* "worker 1 12.5:" may be thread 1 called worker, or a thread called "worker 1" in a text without
 * ids. The other headers decide, since all have the same fields. */
void pt_foldtext_perf_learn(struct pt_foldtext *t, const char *s, const char *end)
{
	size_t wide = 0, narrow = 0, none = 0;
	bool begins = true;		/* a sample may begin here */
	struct header h;
	const char *to;

	for (; s < end && (to = memchr(s, '\n', (size_t)(end - s))); s = to + 1) {
		if (begins && to > s && *s != '#' && !pt_is_blank(*s)) {
			if (parse_header(s, to, PT_FOLDTEXT_IDS_WIDE, &h) && h.pid.s)
				wide++;
			else if (parse_header(s, to, PT_FOLDTEXT_IDS_ANY, &h) && h.pid.s)
				narrow++;
			else
				none++;
		}
		begins = to == s || *s == '#';
	}
	if (none)
		t->ids = wide > none ? PT_FOLDTEXT_IDS_WIDE : PT_FOLDTEXT_IDS_NONE;
	else
		t->ids = wide && !narrow ? PT_FOLDTEXT_IDS_WIDE : PT_FOLDTEXT_IDS_ANY;
}

/* False: an event that is not wanted. */
static bool foldtext_perf_wanted(struct pt_foldtext *t, struct pt_piece event)
{
	if (!event.s || (t->o.event && !strcmp(t->o.event, "*")))
		return true;
	if (t->o.event && !t->event.len)
		pt_buf_puts(&t->event, t->o.event);
	else if (!t->event.len)
		pt_buf_add(&t->event, event.s, event.len);
	if (pt_piece_is(event, t->event.data))
		return true;
	t->counts.other_events++;
	return false;
}

static void name_sample(struct pt_foldtext *t, const char *s, const struct header *h)
{
	size_t i;

	pt_foldtext_comm(t, pt_piece(s, h->comm_end));
	if (h->pid.s && (t->o.pid || t->o.tid)) {
		pt_buf_putc(&t->comm, '-');
		/* a single number is the thread's */
		pt_foldtext_comm(t, h->tid.len ? h->pid : pt_piece_of("?"));
		if (t->o.tid) {
			pt_buf_putc(&t->comm, '/');
			pt_foldtext_comm(t, h->tid.len ? h->tid : h->pid);
		}
	}
	for (i = 0; i < t->comm.len; i++)
		if (t->comm.data[i] == ' ')
			t->comm.data[i] = '_';
	t->java = !strncmp(pt_buf_str(&t->comm), "java", 4);
}

static bool foldtext_perf_frame(struct pt_foldtext *t, const char *s, const char *end);

static void foldtext_perf_begin(struct pt_foldtext *t, const char *s, const char *end)
{
	struct header h;
	const char *p, *q;

	if (t->open && !t->skip)
		pt_foldtext_close(t, t->weight);
	t->nr = 0;
	pt_buf_clear(&t->text);
	pt_buf_clear(&t->comm);
	parse_header(s, end, t->ids, &h);
	t->open = true;
	/* not a sample: --show-task-events and the like */
	t->skip = pt_piece_find(pt_piece(s, end), " PERF_RECORD_") ||
		  !foldtext_perf_wanted(t, h.event);
	if (t->skip)
		return;
	name_sample(t, s, &h);
	t->weight = t->o.samples || !(h.period > 0) ? 1 : h.period;
	if (!h.rest)
		return;
	/* without call chains the only frame is on the same line */
	p = pt_skip_blanks(h.rest, end);
	q = pt_skip_hex(p);
	if (q - p >= 4 && pt_is_blank(*q) && end[-1] == ')' && foldtext_perf_frame(t, p, end))
		pt_foldtext_close(t, t->weight);
}

/* The last " (" before an object's name: a deleted file's name has parentheses of its own. */
static const char *foldtext_perf_object_of(const char *s, const char *end)
{
	static const char gone[] = " (deleted))";
	const char *p = end - (pt_piece_ends(pt_piece(s, end), gone) ? strlen(gone) : 0);

	for (p--; p > s; p--)
		if (*p == '(' && p[-1] == ' ')
			return p;
	return NULL;
}

/* False: a source line instead of a frame. */
static bool foldtext_perf_frame(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *addr = pt_skip_blanks(s, end), *name = pt_skip_hex(addr),
		   *close = memrchr(addr, ')', (size_t)(end - addr)),
		   *object = close ? foldtext_perf_object_of(addr, close + 1) : NULL;
	struct pt_frame_text x = { .module = object ? pt_piece(object + 1, close)
						    : pt_piece_of("[unknown]") };
	bool alone = object && pt_skip_blanks(name, end) == object;

	x.addr = pt_piece(addr, name);
	if (!x.addr.len || !alone || (!t->has_addr && x.addr.len <= 8)) {
		if (!x.addr.len || name == end || !pt_is_blank(*name) || alone) {
			if (t->has_addr && !object)
				return false;
			name = addr;			/* without addresses */
			x.addr.len = 0;
		} else {
			t->has_addr = true;
			name = pt_skip_blanks(name, end);
		}
	}
	x.name = pt_piece(name, pt_before_blanks(name, PT_MAX(name, object ? object - 1 : end)));
	if (!x.name.len && !object)
		return false;
	if (!x.name.len)
		x.name = pt_piece_of("[unknown]");
	pt_foldtext_name(t, x);
	return true;
}

/* A frame without its indentation: "ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])" */
static bool is_flush_frame(const char *s, const char *end)
{
	const char *p = pt_skip_hex(s);

	return p - s >= 4 && pt_is_blank(*p) && end[-1] == ')' &&
	       pt_piece_find(pt_piece(p, end), " (") && !pt_foldtext_is_perf_header(s, end);
}

/* Lines that fields such as +insn add. */
static bool foldtext_perf_is_noise(const char *s, const char *end)
{
	struct pt_piece text = pt_piece(pt_skip_blanks(s, end), end);

	return pt_piece_begins(text, "insn:") || pt_piece_begins(text, "ilen:");
}

void pt_foldtext_perf(struct pt_foldtext *t, const char *s, const char *end)
{
	const char *p = pt_skip_blanks(s, end);

	if (s == end) {
		if (t->open && !t->skip)
			pt_foldtext_close(t, t->weight);
		t->open = t->skip = false;
	} else if (*s == '#') {
		return;
	} else if (p == s && !(t->open && is_flush_frame(s, end))) {
		foldtext_perf_begin(t, s, end);
	} else if ((!t->open || !t->nr) && pt_foldtext_is_perf_header(p, end)) {
		/* no empty line ends samples without call chains */
		foldtext_perf_begin(t, p, end);
	} else if (!t->open) {
		pt_foldtext_bad(t);
	} else if (!t->skip && !foldtext_perf_is_noise(s, end) && !foldtext_perf_frame(t, s, end)) {
		pt_foldtext_source_line(t, s, end);
	}
}
