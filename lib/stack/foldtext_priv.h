/* foldtext_priv.h - what the readers of foldtext share: the stack at hand. */
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
	bool decided;			/* what it is */
	/* a sample has begun; is not wanted; frames have addresses; its comm says java; the last
	 * frame has a name */
	bool open, skip, has_addr, java, last_known;
	struct pt_buf comm;
	long number;			/* of a debugger's frame */
	double weight;
	/* of perf script's headers: any number, one in its columns of five, none */
	enum { PT_FOLDTEXT_IDS_ANY, PT_FOLDTEXT_IDS_WIDE, PT_FOLDTEXT_IDS_NONE } ids;
};

/* a frame, further out than the last */
void pt_foldtext_push(struct pt_foldtext *t, const char *s, size_t len, const char *mark);
/* hands the stack out (when it has a comm or frames), forgets it */
void pt_foldtext_close(struct pt_foldtext *t, double count);
/* of the frame pushed last */
void pt_foldtext_source_line(struct pt_foldtext *t, const char *s, size_t len);
void pt_foldtext_bad(struct pt_foldtext *t);
/* A name as perf, gdb, eu-stack print it, with what is noise cut off: pushes it. */
void pt_foldtext_name(struct pt_foldtext *t, const char *name, size_t len, const char *module,
		      size_t module_len, const char *addr, size_t addr_len);

void pt_foldtext_perf(struct pt_foldtext *t, const char *s, size_t len);
void pt_foldtext_debugger(struct pt_foldtext *t, const char *s, size_t len);
void pt_foldtext_bpftrace(struct pt_foldtext *t, const char *s, size_t len);
void pt_foldtext_jstack(struct pt_foldtext *t, const char *s, size_t len);
bool pt_foldtext_is_perf_header(const char *s, size_t len);
/* from a text's beginning: whether headers have ids */
void pt_foldtext_perf_learn(struct pt_foldtext *t, const char *s, size_t len);

/* Cursor steps. */
static inline bool pt_is_blank(char c) { return c == ' ' || c == '\t'; }
static inline bool pt_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool pt_is_hex(char c)
{
	return pt_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
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

#endif
