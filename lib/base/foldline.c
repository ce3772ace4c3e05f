#include "base/foldline.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

static const double most = 1e19;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Takes a count with a blank in front from the end of [s, *end); moves *end before both. */
static bool foldline_take_count(const char *s, const char **end, double *v)
{
	const char *p = *end, *q;
	double scale = 1, n = 0;
	bool point = false, digits = false;

	while (p > s && ((p[-1] >= '0' && p[-1] <= '9') || p[-1] == '.'))
		p--;
	if (p == *end || p == s || !is_blank(p[-1]))
		return false;
	for (q = p; q < *end; q++) {
		if (*q == '.') {
			if (point)
				return false;
			point = true;
			continue;
		}
		digits = true;
		if (point && scale >= most)	/* more digits than a double holds */
			continue;
		n = n * 10 + (*q - '0');
		if (point)
			scale *= 10;
		else if (n >= most)
			return false;
	}
	if (!digits)
		return false;
	while (p > s && is_blank(p[-1]))
		p--;
	*v = n / scale;
	*end = p;
	return true;
}

int pt_foldline(const char *s, size_t *len, double v[2])
{
	const char *end = s + *len, *one;

	while (end > s && (end[-1] == '\r' || is_blank(end[-1])))
		end--;
	if (end == s || *s == '#') {
		*len = 0;
		return 0;
	}
	if (!foldline_take_count(s, &end, &v[0]) || end == s)
		return -1;
	one = end;
	if (foldline_take_count(s, &end, &v[1]) && end > s) {
		double after = v[0];

		v[0] = v[1];
		v[1] = after;
		*len = (size_t)(end - s);
		return 2;
	}
	*len = (size_t)(one - s);
	return 1;
}

const char *pt_foldline_frame(const char **s, const char *end, size_t *len)
{
	const char *from = *s, *semi;

	if (from > end)
		return NULL;
	semi = memchr(from, ';', (size_t)(end - from));
	*len = (size_t)((semi ? semi : end) - from);
	*s = from + *len + 1;
	return from;
}

static void hide_unsafe(struct pt_buf *b, size_t from)
{
	char *at = b->data + from, *end = b->data + b->len;
	size_t n;

	for (; (at += pt_text_ascii(at, (size_t)(end - at))) < end; at += n) {
		n = pt_text_unsafe(at, (size_t)(end - at));
		memset(at, '?', n);
		if (!n)
			n = pt_text_utf8(at, (size_t)(end - at));
	}
}

bool pt_foldline_clean(struct pt_buf *b, const char *s, size_t len)
{
	size_t i = pt_text_ascii(s, len);

	for (; i < len && !pt_text_unsafe(s + i, len - i); i += pt_text_utf8(s + i, len - i))
		;
	if (i == len)
		return false;
	pt_buf_clear(b);
	pt_buf_add(b, s, len);
	hide_unsafe(b, i);
	return true;
}

void pt_foldline_name(struct pt_buf *b, size_t from)
{
	char *at = b->data + from, *end = b->data + b->len, *semicolon;

	while ((semicolon = memchr(at, ';', (size_t)(end - at))))
		*semicolon = ':';
	hide_unsafe(b, from);
}

/* Up to fifteen digits, never an exponent. */
static void foldline_digits(struct pt_buf *b, double v)
{
	size_t from = b->len;

	pt_buf_printf(b, "%.15g", v);
	if (!memchr(b->data + from, 'e', b->len - from))
		return;
	b->len = from;
	pt_buf_fixed(b, v, fabs(v) < 1 ? 15 : 0);
	while (fabs(v) < 1 && b->data[b->len - 1] == '0')
		b->len--;
	b->len -= b->data[b->len - 1] == '.';
	b->data[b->len] = '\0';
}

void pt_foldline_count(struct pt_buf *b, double v)
{
	if (v >= 0 && v < 9e15 && v == floor(v))
		pt_buf_dec(b, (uint64_t)v);
	else
		foldline_digits(b, v);
}

char pt_foldline_mark(const char *s, size_t len)
{
	const char *end = s + len;

	if (len <= PT_FOLDLINE_MARK_LEN || end[-4] != '_' || end[-3] != '[' || end[-1] != ']')
		return 0;
	return end[-2] && strchr("kjiw", end[-2]) ? end[-2] : 0;
}

size_t pt_foldline_address(const char *s, size_t len, size_t at)
{
	size_t digits = at + 2, end = digits;

	if (digits >= len || s[at] != '0' || s[at + 1] != 'x' ||
	    (at && isdigit((unsigned char)s[at - 1])))
		return 0;
	while (end < len && isxdigit((unsigned char)s[end]))
		end++;
	return end > digits ? end - at : 0;
}
