/* foldtext_perf.c - perf script's text:
 *
 *     COMM  PID/TID [CPU] SECONDS:  PERIOD EVENT: TEXT        some of these, in this order
 *             ADDRESS SYMBOL+0xOFFSET (OBJECT)                a line a frame, innermost first;
 *                     "(inlined)" in place of the object
 *       FILE:LINE                                             with -F +srcline
 *                                                             an empty line ends the sample */
#include <stdlib.h>
#include <string.h>

#include "stack/foldtext_priv.h"

enum { ID_COLUMNS = 5, PERIOD_COLUMNS = 10 };		/* perf pads to so many */

struct header {
	/* rest: the text behind the event */
	const char *comm_end, *pid, *tid, *event, *rest;
	size_t pid_len, tid_len, event_len;
	double period;					/* 0: none */
	/* wide: the ids are in columns of five, as in perf */
	bool time, wide;
};

/* PID, TID, PID/TID; `before` is the end of the previous word */
static bool take_ids(const char *before, const char *s, const char *end, struct header *h)
{
	const char *p = s;

	while (p < end && pt_is_digit(*p))
		p++;
	if (p == s)
		return false;
	h->wide = p - before - 1 >= ID_COLUMNS;
	h->pid = s;
	h->pid_len = (size_t)(p - s);
	h->tid_len = 0;
	if (p < end && *p == '/') {
		h->tid = ++p;
		while (p < end && pt_is_digit(*p))
			p++;
		h->tid_len = (size_t)(p - h->tid);
		if (!h->tid_len)
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
	const char *p = s;

	while (p < end && pt_is_digit(*p))
		p++;
	if (p == s || p == end || *p++ != '.' || p == end || !pt_is_digit(*p))
		return false;
	while (p < end && pt_is_digit(*p))
		p++;
	return p + 1 == end && *p == ':';
}

static bool is_event(const char *s, const char *end)
{
	return end - s > 1 && end[-1] == ':' && !pt_is_digit(*s) && *s != '[';
}

/* Reads the words behind the comm, from p on. */
static void take_fields(const char *p, const char *end, struct header *h)
{
	const char *to = p, *before;
	bool columns = false;		/* a number where perf has periods */

	for (p = pt_skip_blanks(p, end); p < end; p = pt_skip_blanks(to, end)) {
		const char *q = p;

		before = to;
		to = pt_skip_word(p, end);
		if (is_time(p, to)) {
			h->time = true;
		} else if (is_event(p, to)) {
			h->event = p;
			h->event_len = (size_t)(to - 1 - p);
			h->rest = to;
			return;
		} else {
			while (q < to && pt_is_digit(*q))
				q++;
			h->period = q == to ? strtod(p, NULL) : 0;
			columns = to - before - 1 >= PERIOD_COLUMNS;
		}
	}
	if (!columns)			/* no event: the number is something else */
		h->period = 0;
}

/* A comm may contain blanks and numbers. It ends where ids, a CPU, a time or an event are followed
 * by what belongs behind them. `ids`: what is known of the text's ids. */
static bool parse_header(const char *s, size_t len, int ids, struct header *h)
{
	const char *end = s + len, *p = pt_skip_word(s, end), *word, *to;
	struct header first = { .comm_end = NULL };

	*h = (struct header){ .comm_end = NULL };
	while ((word = pt_skip_blanks(p, end)) < end) {
		to = pt_skip_word(word, end);
		if (ids != PT_FOLDTEXT_IDS_NONE && take_ids(p, word, to, h) &&
		    (ids != PT_FOLDTEXT_IDS_WIDE || h->wide)) {
			const char *next = pt_skip_blanks(to, end),
				   *next_to = pt_skip_word(next, end);

			if (first.comm_end && first.pid + first.pid_len == p &&
			    (next == end || is_event(next, next_to)))
				break;			/* ids, then a period */
			h->comm_end = p;
			if (next == end || is_cpu(next, next_to) || is_time(next, next_to) ||
			    is_event(next, next_to) || h->tid_len) {
				take_fields(to, end, h);
				return true;
			}
			if (!first.comm_end)
				first = *h;
		} else if (is_cpu(word, to) || is_time(word, to) || is_event(word, to)) {
			if (first.comm_end)
				break;
			*h = (struct header){ .comm_end = p };
			take_fields(word, end, h);
			return true;
		}
		p = to;
	}
	*h = first;			/* ids, then something unknown */
	if (!h->comm_end) {
		while (end > s && pt_is_blank(end[-1]))
			end--;
		h->comm_end = end;
		return false;
	}
	take_fields(pt_skip_word(h->pid, end), end, h);
	return true;
}

bool pt_foldtext_is_perf_header(const char *s, size_t len)
{
	const char *from = pt_skip_blanks(s, s + len);
	struct header h;

	return parse_header(from, len - (size_t)(from - s), PT_FOLDTEXT_IDS_ANY, &h) &&
	       (h.time || (h.event && h.pid));
}

/* "worker 1 12.5:" may be thread 1 called worker, or a thread called "worker 1" in a text without
 * ids. The other headers decide, since all have the same fields. */
void pt_foldtext_perf_learn(struct pt_foldtext *t, const char *s, size_t len)
{
	size_t wide = 0, narrow = 0, none = 0;
	const char *end = s + len, *to;
	bool begins = true;		/* a sample may begin here */
	struct header h;

	for (; s < end; s = to + 1) {
		to = memchr(s, '\n', (size_t)(end - s));
		if (!to)		/* truncated */
			break;
		if (begins && to > s && *s != '#' && !pt_is_blank(*s)) {
			if (parse_header(s, (size_t)(to - s), PT_FOLDTEXT_IDS_WIDE, &h) && h.pid)
				wide++;
			else if (parse_header(s, (size_t)(to - s), PT_FOLDTEXT_IDS_ANY, &h) &&
				 h.pid)
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
static bool wanted(struct pt_foldtext *t, const struct header *h)
{
	if (!h->event || (t->o.event && !strcmp(t->o.event, "*")))
		return true;
	if (t->o.event && !t->event.len)
		pt_buf_puts(&t->event, t->o.event);
	else if (!t->event.len)
		pt_buf_add(&t->event, h->event, h->event_len);
	if (t->event.len == h->event_len && !memcmp(t->event.data, h->event, h->event_len))
		return true;
	t->counts.other_events++;
	return false;
}

static void name_sample(struct pt_foldtext *t, const char *s, const struct header *h)
{
	size_t i;

	pt_buf_clear(&t->comm);
	pt_buf_add(&t->comm, s, (size_t)(h->comm_end - s));
	if (h->pid && (t->o.pid || t->o.tid)) {
		pt_buf_putc(&t->comm, '-');
		if (h->tid_len)
			pt_buf_add(&t->comm, h->pid, h->pid_len);
		else
			/* a single number is the thread's */
			pt_buf_putc(&t->comm, '?');
		if (t->o.tid) {
			pt_buf_putc(&t->comm, '/');
			pt_buf_add(&t->comm, h->tid_len ? h->tid : h->pid,
				   h->tid_len ? h->tid_len : h->pid_len);
		}
	}
	for (i = 0; i < t->comm.len; i++) {
		unsigned char c = (unsigned char)t->comm.data[i];

		t->comm.data[i] = (char)(c == ' '                ? '_'
					 : c == ';'              ? ':'
					 : c < 0x20 || c == 0x7f ? '?'
								 : c);
	}
	t->java = t->comm.len >= 4 && !memcmp(t->comm.data, "java", 4);
}

static bool frame(struct pt_foldtext *t, const char *s, size_t len);

static void begin(struct pt_foldtext *t, const char *s, size_t len)
{
	struct header h;

	if (t->open && !t->skip)
		pt_foldtext_close(t, t->weight);
	t->nr = 0;
	pt_buf_clear(&t->text);
	pt_buf_clear(&t->comm);
	parse_header(s, len, t->ids, &h);
	t->open = true;
	/* not a sample: --show-task-events and the like */
	t->skip = memmem(s, len, " PERF_RECORD_", 13) || !wanted(t, &h);
	if (t->skip)
		return;
	name_sample(t, s, &h);
	t->weight = t->o.samples || !(h.period > 0) ? 1 : h.period;
	if (h.rest) {		/* without call chains the only frame is on the same line */
		const char *p = pt_skip_blanks(h.rest, s + len), *q = p;

		while (q < s + len && pt_is_hex(*q))
			q++;
		if (q - p >= 4 && q < s + len && pt_is_blank(*q) && s[len - 1] == ')' &&
		    frame(t, p, (size_t)(s + len - p)))
			pt_foldtext_close(t, t->weight);
	}
}

/* The last " (" before an object's name: a deleted file's name has parentheses of its own. */
static const char *object_of(const char *s, const char *end)
{
	static const char gone[] = " (deleted))";
	const char *p = end;

	if (end - s > (long)sizeof(gone) &&
	    !memcmp(end - (sizeof(gone) - 1), gone, sizeof(gone) - 1))
		p = end - (sizeof(gone) - 1);
	for (p--; p > s; p--)
		if (*p == '(' && p[-1] == ' ')
			return p;
	return NULL;
}

/* False: a source line instead of a frame. */
static bool frame(struct pt_foldtext *t, const char *s, size_t len)
{
	const char *end = s + len, *name, *to, *addr = s = pt_skip_blanks(s, end), *close, *object;
	size_t addr_len;

	while (s < end && pt_is_hex(*s))
		s++;
	addr_len = (size_t)(s - addr);
	close = memrchr(addr, ')', (size_t)(end - addr));
	object = close ? object_of(addr, close + 1) : NULL;
	if (addr_len && object && pt_skip_blanks(s, end) == object &&
	    (t->has_addr || addr_len > 8)) {
		name = s;			/* an address without a name */
	} else if (!addr_len || s == end || !pt_is_blank(*s) ||
		   (object && pt_skip_blanks(s, end) == object)) {
		if (t->has_addr && !object)
			return false;
		name = addr;			/* without addresses */
		addr_len = 0;
	} else {
		t->has_addr = true;
		name = pt_skip_blanks(s, end);
	}
	to = object ? object - 1 : end;
	while (to > name && pt_is_blank(to[-1]))
		to--;
	if (to == name && !object)
		return false;
	if (object && to <= name)
		pt_foldtext_name(t, "[unknown]", 9, object + 1, (size_t)(close - object - 1), addr,
				 addr_len);
	else if (object)
		pt_foldtext_name(t, name, (size_t)(to - name), object + 1,
				 (size_t)(close - object - 1), addr, addr_len);
	else
		pt_foldtext_name(t, name, (size_t)(to - name), "[unknown]", 9, addr, addr_len);
	return true;
}

/* A frame without its indentation: "ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])" */
static bool is_flush_frame(const char *s, size_t len)
{
	const char *end = s + len, *p = s;

	while (p < end && pt_is_hex(*p))
		p++;
	return p - s >= 4 && p < end && pt_is_blank(*p) && end[-1] == ')' &&
	       memmem(p, (size_t)(end - p), " (", 2) && !pt_foldtext_is_perf_header(s, len);
}

/* Lines that fields such as +insn add. */
static bool is_noise(const char *s, size_t len)
{
	const char *p = pt_skip_blanks(s, s + len);
	size_t left = (size_t)(s + len - p);

	return left >= 5 && (!memcmp(p, "insn:", 5) || !memcmp(p, "ilen:", 5));
}

void pt_foldtext_perf(struct pt_foldtext *t, const char *s, size_t len)
{
	if (!len) {
		if (t->open && !t->skip)
			pt_foldtext_close(t, t->weight);
		t->open = t->skip = false;
	} else if (*s == '#') {
		return;
	} else if (!pt_is_blank(*s) && !(t->open && is_flush_frame(s, len))) {
		begin(t, s, len);
	} else if (!t->open) {
		const char *p = pt_skip_blanks(s, s + len);

		if (pt_foldtext_is_perf_header(p, len - (size_t)(p - s)))
			begin(t, p, len - (size_t)(p - s));
		else
			pt_foldtext_bad(t);
	} else if (!t->skip && !is_noise(s, len) && !frame(t, s, len)) {
		pt_foldtext_source_line(t, s, len);
	}
}
