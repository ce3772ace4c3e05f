#include "base/foldnote.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The words in their order, each followed by a number. */
static const char *const words[] = { "# samples ", ", lost ", ", truncated ", ", unresolved ",
				     " of " };

static const char in_microseconds[] = ", counts in microseconds";

static bool take_word(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

static bool foldnote_take_number(const char **p, const char *end, uint64_t *v)
{
	const char *from = *p;

	for (*v = 0; *p < end && **p >= '0' && **p <= '9'; ++*p)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(**p - '0'), v))
			return false;
	return *p > from;
}

/* " (1.2 %)", which is redundant. */
static void skip_share(const char **p, const char *end)
{
	const char *close;

	if (end - *p > 2 && !memcmp(*p, " (", 2) && (close = memchr(*p, ')', (size_t)(end - *p))))
		*p = close + 1;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static bool add_counts(struct pt_foldnote *sum, const char *s, size_t len)
{
	const char *p = s, *end = s + len, *share;
	uint64_t v[5];
	size_t i;

	for (i = 0; i < 5; i++) {
		if (!take_word(&p, end, words[i]) || !foldnote_take_number(&p, end, &v[i]))
			return false;
		skip_share(&p, end);
	}
	sum->known = true;
	share = memchr(p, ')', (size_t)(end - p));
	if (share) {
		p = share + 1;
		sum->microseconds |= take_word(&p, end, in_microseconds);
	}
	sum->samples = plus(sum->samples, v[0]);
	sum->lost = plus(sum->lost, v[1]);
	sum->truncated = plus(sum->truncated, v[2]);
	sum->unresolved = plus(sum->unresolved, v[3]);
	sum->frames = plus(sum->frames, v[4]);
	return true;
}

/* What follows a mark at the line's start, without the 0 at its end. False: it begins otherwise. */
static bool foldnote_take_text(char text[PT_FOLDNOTE_TEXT], const char *mark, const char *s,
			       size_t len)
{
	size_t n = strlen(mark);

	if (len <= n || memcmp(s, mark, n))
		return false;
	if (len > n + 2 && !memcmp(s + len - 2, " 0", 2))
		len -= 2;
	snprintf(text, PT_FOLDNOTE_TEXT, "%.*s", (int)(len - n), s + n);
	return true;
}

void pt_foldnote_recorded(struct pt_foldnote *n, const char *text)
{
	n->several |= *n->recorded && strcmp(n->recorded, text);
	snprintf(n->recorded, sizeof(n->recorded), "%s", n->several ? "" : text);
}

bool pt_foldnote_add(struct pt_foldnote *sum, const char *s, size_t len)
{
	char text[PT_FOLDNOTE_TEXT];

	if (!len || *s != '#')
		return false;
	while (s[len - 1] == '\r' || s[len - 1] == ' ')
		len--;
	if (foldnote_take_text(text, "# counts in ", s, len)) {
		if (!strcmp(text, "microseconds"))
			sum->microseconds = true;
		else
			memcpy(sum->unit, text, sizeof(text));
		return true;
	}
	if (foldnote_take_text(text, "# recorded: ", s, len)) {
		pt_foldnote_recorded(sum, text);
		return true;
	}
	return foldnote_take_text(sum->subtitle, "# subtitle: ", s, len) || add_counts(sum, s, len);
}

/* Per cent with one decimal; with two, or "< 0.01", for small values. */
static void put_share(struct pt_buf *b, uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	if (part && share < 0.01)
		pt_buf_puts(b, "< 0.01 %");
	else
		pt_buf_printf(b, "%.*f %%", part && share < 0.1 ? 2 : 1, share);
}

static void put_counts(const struct pt_foldnote *n, struct pt_buf *b)
{
	pt_buf_printf(b, "# samples %llu, lost %llu, truncated %llu (",
		      (unsigned long long)n->samples, (unsigned long long)n->lost,
		      (unsigned long long)n->truncated);
	put_share(b, n->truncated, n->samples);
	pt_buf_printf(b, "), unresolved %llu of %llu frames (", (unsigned long long)n->unresolved,
		      (unsigned long long)n->frames);
	put_share(b, n->unresolved, n->frames);
	pt_buf_printf(b, ")%s 0\n", n->microseconds ? in_microseconds : "");
}

static void foldnote_put_text(const char *mark, const char *text, struct pt_buf *b)
{
	if (!*text)
		return;
	pt_buf_puts(b, mark);
	pt_text_puts(b, text);
	pt_buf_puts(b, " 0\n");
}

void pt_foldnote_lines(const struct pt_foldnote *n, struct pt_buf *b)
{
	if (n->known)
		put_counts(n, b);
	foldnote_put_text("# recorded: ", n->recorded, b);
	foldnote_put_text("# counts in ", n->microseconds && !n->known ? "microseconds" : n->unit,
			  b);
}

void pt_foldnote_text(const struct pt_foldnote *n, struct pt_buf *b)
{
	pt_buf_printf(b, "%llu sample%s, %llu lost, ", (unsigned long long)n->samples,
		      n->samples == 1 ? "" : "s", (unsigned long long)n->lost);
	put_share(b, n->truncated, n->samples);
	pt_buf_puts(b, " of stacks truncated, ");
	put_share(b, n->unresolved, n->frames);
	pt_buf_printf(b, " of frames unresolved%s", n->microseconds ? in_microseconds : "");
}
