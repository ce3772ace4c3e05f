/* foldtext_priv.h - shared by the readers of foldtext: the stack at hand, pieces of lines.
 *
 * A line is the bytes from s to end; the byte at end may be read, and is no digit and no blank. */
#ifndef PT_STACK_FOLDTEXT_PRIV_H
#define PT_STACK_FOLDTEXT_PRIV_H

#include "base/buf.h"
#include "base/lines.h"
#include "stack/foldtext.h"

struct pt_foldtext {
	struct pt_foldtext_opts o;
	void (*got)(void *arg, const struct pt_piece *frames, size_t nr, double count);
	void *arg;
	struct pt_foldtext_counts counts;
	struct pt_lines lines;
	struct pt_buf first;		/* until it is known what this is */
	struct pt_buf event;		/* the first one's name */
	struct pt_buf text;		/* of the stack's names */
	struct { size_t off, len; } *frames;	/* in text; innermost first */
	struct pt_piece *pieces;
	size_t nr, cap, cap_pieces;
	bool decided;			/* it is known which tool's text this is */
	/* Of the stack at hand: it has begun; it is not wanted; its frames have addresses; its comm
	 * is java; its last frame has a name. */
	bool open, skip, has_addr, java, last_known;
	struct pt_buf comm;
	long number;			/* of the last frame in a debugger's text */
	double weight;
	/* of perf script's headers: any number, one in its columns of five, none */
	enum { PT_FOLDTEXT_IDS_ANY, PT_FOLDTEXT_IDS_WIDE, PT_FOLDTEXT_IDS_NONE } ids;
};

/* Adds a frame, further out than the one before. */
void pt_foldtext_push(struct pt_foldtext *t, struct pt_piece name);
/* Gives the stack to got(), if it has a comm or frames, and forgets it. */
void pt_foldtext_close(struct pt_foldtext *t, double count);
/* Adds the source line of the frame that was pushed last. */
void pt_foldtext_source_line(struct pt_foldtext *t, const char *s, const char *end);
void pt_foldtext_bad(struct pt_foldtext *t);
/* Adds to the comm those characters of the text that may be in a folded line. */
void pt_foldtext_comm(struct pt_foldtext *t, struct pt_piece text);
/* A frame as perf, gdb, eu-stack print it: pushes its name without what is noise. */
struct pt_frame_text { struct pt_piece name, module, addr; };
void pt_foldtext_name(struct pt_foldtext *t, struct pt_frame_text x);

void pt_foldtext_perf(struct pt_foldtext *t, const char *s, const char *end);
void pt_foldtext_debugger(struct pt_foldtext *t, const char *s, const char *end);
void pt_foldtext_bpftrace(struct pt_foldtext *t, const char *s, const char *end);
void pt_foldtext_jstack(struct pt_foldtext *t, const char *s, const char *end);
bool pt_foldtext_is_perf_header(const char *s, const char *end);
/* Learns from the beginning of a text whether its headers have ids of threads. */
void pt_foldtext_perf_learn(struct pt_foldtext *t, const char *s, const char *end);

static inline struct pt_piece pt_piece(const char *from, const char *to)
{
	return (struct pt_piece){ from, (size_t)(to - from) };
}
static inline struct pt_piece pt_piece_of(const char *text)
{
	return (struct pt_piece){ text, strlen(text) };
}
static inline bool pt_piece_begins(struct pt_piece p, const char *with)
{
	size_t n = strlen(with);

	return p.len >= n && !memcmp(p.s, with, n);
}
static inline bool pt_piece_ends(struct pt_piece p, const char *with)
{
	size_t n = strlen(with);

	return p.len >= n && !memcmp(p.s + p.len - n, with, n);
}
static inline bool pt_piece_is(struct pt_piece p, const char *text)
{
	return p.len == strlen(text) && !memcmp(p.s, text, p.len);
}
/* Where the text is in it; NULL: nowhere. */
static inline const char *pt_piece_find(struct pt_piece p, const char *text)
{
	return memmem(p.s, p.len, text, strlen(text));
}

static inline bool pt_is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool pt_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool pt_is_hex(char c)
{
	return pt_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static inline const char *pt_skip_digits(const char *s)
{
	while (pt_is_digit(*s))
		s++;
	return s;
}
static inline const char *pt_skip_hex(const char *s)
{
	while (pt_is_hex(*s))
		s++;
	return s;
}
static inline const char *pt_skip_blanks(const char *s, const char *end)
{
	while (s < end && pt_is_blank(*s))
		s++;
	return s;
}
static inline const char *pt_skip_word(const char *s, const char *end)
{
	while (s < end && !pt_is_blank(*s))
		s++;
	return s;
}
static inline const char *pt_before_blanks(const char *s, const char *end)
{
	while (end > s && pt_is_blank(end[-1]))
		end--;
	return end;
}

#endif
