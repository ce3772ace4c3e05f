#include "draw/latlines.h"

#include <string.h>

#include "base/mem.h"

static inline bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && blank(*p))
		p++;
	return p;
}

/* mantissa * 10^exponent as a whole number below 2^63, rounded half up. */
static bool scale(uint64_t mantissa, int64_t exponent, uint64_t *v)
{
	bool half = false;

	if (!mantissa)
		exponent = 0;
	for (; exponent > 0; exponent--)
		if (mantissa > INT64_MAX / 10 || exponent > 64)
			return false;
		else
			mantissa *= 10;
	for (; exponent < 0 && (mantissa || half); exponent++) {
		half = mantissa % 10 >= 5;
		mantissa /= 10;
	}
	*v = mantissa + half;
	return *v <= INT64_MAX;
}

/* The exponent behind e or E; NULL: none. */
static const char *exponent(const char *p, const char *end, int64_t *exp)
{
	bool minus = p < end && *p == '-';
	int64_t v = 0;
	const char *first;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (first = p; p < end && (unsigned)(*p - '0') < 10; p++)
		if (v < 1000000)
			v = v * 10 + (*p - '0');
	*exp += minus ? -v : v;
	return p > first ? p : NULL;
}

/* Parses a number whose unit has `digits` decimal digits above the nanosecond. Returns the end,
 * NULL if it is no number. */
static const char *number(const char *p, const char *end, int digits, uint64_t *v)
{
	uint64_t mantissa = 0;
	int64_t exp = digits;
	const char *first;
	size_t seen = 0;

	if (p < end && *p == '+')
		p++;
	for (first = p; p < end && (unsigned)(*p - '0') < 10; p++)
		if (mantissa <= INT64_MAX / 10)
			mantissa = mantissa * 10 + (uint64_t)(*p - '0');
		else
			exp++;
	seen = (size_t)(p - first);
	if (p < end && *p == '.') {
		for (first = ++p; p < end && (unsigned)(*p - '0') < 10; p++)
			if (mantissa <= INT64_MAX / 10) {
				mantissa = mantissa * 10 + (uint64_t)(*p - '0');
				exp--;
			}
		seen += (size_t)(p - first);
	}
	if (!seen)
		return NULL;
	if (p < end && (*p == 'e' || *p == 'E') && !(p = exponent(p + 1, end, &exp)))
		return NULL;
	if (!exp) {
		*v = mantissa;
		return mantissa <= INT64_MAX ? p : NULL;
	}
	return scale(mantissa, exp, v) ? p : NULL;
}

/* Parses a line from its first non-blank byte to `end`, without the newline. */
static void line(struct pt_latlines *r, const char *p, const char *end)
{
	uint64_t time_ns, latency_ns;
	const char *at;
	size_t i;

	r->lines++;
	if (end - p > PT_LATLINES_LOOK)
		end = p + PT_LATLINES_LOOK;
	if (p == end || *p == '#')
		return;
	at = number(p, end, r->time_digits, &time_ns);
	if (at && at < end && blank(*at)) {
		at = number(skip_blanks(at, end), end, r->latency_digits, &latency_ns);
		if (at && (at == end || blank(*at))) {
			pt_points_add(r->points, time_ns, latency_ns);
			r->good++;
			return;
		}
	}
	if (r->bad++)
		return;
	r->first_bad = r->lines;
	for (i = 0; p + i < end && i < sizeof(r->bad_text) - 1 && p[i] != '\r'; i++)
		r->bad_text[i] = p[i] ? p[i] : '?';
	r->bad_text[i] = '\0';
}

/* Keeps what may be needed for the rest of a line. */
static void keep(struct pt_latlines *r, const char *p, const char *end)
{
	size_t len;

	r->in_line = true;
	if (!r->part_len)
		p = skip_blanks(p, end);
	len = PT_MIN((size_t)(end - p), sizeof(r->part) - r->part_len);
	memcpy(r->part + r->part_len, p, len);
	r->part_len += len;
}

void pt_latlines_init(struct pt_latlines *r, struct pt_points *points)
{
	memset(r, 0, sizeof(*r));
	r->points = points;
	r->time_digits = r->latency_digits = 3;
}

void pt_latlines_feed(struct pt_latlines *r, const char *p, size_t len)
{
	const char *end = p + len, *nl;

	if (!len)
		return;
	if (r->in_line) {
		nl = memchr(p, '\n', len);
		keep(r, p, nl ? nl : end);
		if (!nl)
			return;
		pt_latlines_end(r);
		p = nl + 1;
	}
	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		line(r, skip_blanks(p, nl), nl);
		p = nl + 1;
	}
	if (p < end)
		keep(r, p, end);
}

void pt_latlines_end(struct pt_latlines *r)
{
	if (r->in_line)
		line(r, r->part, r->part + r->part_len);
	r->part_len = 0;
	r->in_line = false;
}
