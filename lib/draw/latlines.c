#include "draw/latlines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char blanks[] = " \t\r\v\f";

/* mantissa * 10^exponent as a whole number below 2^63, rounded half up. */
static bool scale(uint64_t mantissa, int64_t exponent, uint64_t *v)
{
	bool half = false;

	if (!mantissa)
		exponent = 0;
	for (; exponent > 0; exponent--)
		if (mantissa > INT64_MAX / 10)
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

/* Adds digits to the mantissa as far as it holds them. Returns their end. */
static const char *take_digits(const char *p, bool decimals, uint64_t *mantissa, int64_t *exponent)
{
	for (; isdigit((unsigned char)*p); p++)
		if (*mantissa <= INT64_MAX / 10) {
			*mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
			*exponent -= decimals;
		} else {
			*exponent += !decimals;
		}
	return p;
}

/* Parses a number whose unit has `digits` decimal digits above the nanosecond. A byte that is no
 * part of a number follows it. Returns its end, NULL if it is no number. */
static const char *latlines_number(const char *p, int digits, uint64_t *v)
{
	uint64_t mantissa = 0;
	int64_t exponent = digits;
	const char *first;
	long long power;
	size_t seen;
	char *end;

	p += *p == '+';
	first = p;
	p = take_digits(first, false, &mantissa, &exponent);
	seen = (size_t)(p - first);
	if (*p == '.') {
		first = p + 1;
		p = take_digits(first, true, &mantissa, &exponent);
		seen += (size_t)(p - first);
	}
	if (seen && (*p == 'e' || *p == 'E')) {
		p++;
		/* strtoll() would skip blanks, the line's end among them. */
		if (!isdigit((unsigned char)p[*p == '-' || *p == '+']))
			return NULL;
		power = strtoll(p, &end, 10);
		exponent += PT_MAX(PT_MIN(power, 1000000), -1000000);
		p = end;
	}
	return seen && scale(mantissa, exponent, v) ? p : NULL;
}

static bool is_latency(struct pt_latlines *r, const char *p, const char *end)
{
	uint64_t time_ns, latency_ns;

	p = latlines_number(p, r->time_digits, &time_ns);
	if (!p || p == end || !strchr(blanks, *p))
		return false;
	p = latlines_number(p + strspn(p, blanks), r->latency_digits, &latency_ns);
	if (!p || (p != end && !(*p && strchr(blanks, *p))))
		return false;
	pt_points_add(r->points, time_ns, latency_ns);
	return true;
}

static void latlines_take_line(void *arg, const char *s, size_t len)
{
	struct pt_latlines *r = arg;
	const char *end = s + len, *p = s + strspn(s, blanks);
	size_t i;

	r->lines++;
	if (p == end || *p == '#')
		return;
	if (is_latency(r, p, end)) {
		r->good++;
		return;
	}
	if (r->bad++)
		return;
	r->first_bad = r->lines;
	for (i = 0; p + i < end && i < sizeof(r->bad_text) - 1 && p[i] != '\r'; i++)
		r->bad_text[i] = p[i] ? p[i] : '?';
	r->bad_text[i] = '\0';
}

void pt_latlines_init(struct pt_latlines *r, struct pt_points *points)
{
	memset(r, 0, sizeof(*r));
	r->points = points;
	r->time_digits = r->latency_digits = 3;
	r->reader = (struct pt_lines){ .line = latlines_take_line, .arg = r, .most = 4096 };
}

void pt_latlines_feed(struct pt_latlines *r, const char *p, size_t len)
{
	pt_lines_feed(&r->reader, p, len);
}

void pt_latlines_end(struct pt_latlines *r)
{
	pt_lines_end(&r->reader);
	pt_lines_deinit(&r->reader);
}
