#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/smallfile.h"

const uint8_t pt_hex_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Digits only (strtoull accepts blanks and signs). Returns the end, NULL if there is no number. */
static const char *num_digits(const char *s, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return NULL;
	errno = 0;
	*v = strtoull(s, &end, s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10);
	return errno ? NULL : end;
}

int pt_num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct pt_err *e)
{
	uint64_t n;
	const char *end = num_digits(s, &n);

	if (!end || *end)
		return pt_err_set(e, "'%s' is not a number", s);
	if (n < min || n > max)
		return pt_err_set(e, "%s is not between %llu and %llu", s, (unsigned long long)min,
				  (unsigned long long)max);
	*v = n;
	return 0;
}

int pt_num_size(const char *s, uint64_t max, uint64_t *len_bytes, struct pt_err *e)
{
	static const char units[] = "BKMG";
	uint64_t n, scale = 1;
	const char *end = num_digits(s, &n), *unit = units;

	if (end && *end) {
		unit = strchr(units, toupper((unsigned char)*end));
		end++;
	}
	if (!end || !unit || *end)
		return pt_err_set(e, "'%s' is not a size (a number, which K, M or G may follow)", s);
	scale <<= 10 * (unit - units);
	if (n > max / scale)
		return pt_err_set(e, "%s is more than %llu bytes", s, (unsigned long long)max);
	*len_bytes = n * scale;
	return 0;
}

static int not_a_time(const char *s, struct pt_err *e)
{
	return pt_err_set(e, "'%s' is not a time (seconds, or a number with ns, us, ms, s, m or h)",
			  s);
}

int pt_num_seconds(const char *s, uint64_t *time_ns, struct pt_err *e)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ns", 1 }, { "us", 1000 },
		{ "ms", 1000000 },
		{ "m", 60000000000 }, { "h", 3600000000000 },
	};
	uint64_t whole = 0, part = 0, part_scale = 1;
	const char *at = s;
	size_t i;

	if (*at != '.' &&
	    !(at = isdigit((unsigned char)*s) && s[1] != 'x' ? num_digits(s, &whole) : NULL))
		return not_a_time(s, e);
	if (*at == '.') {
		if (!isdigit((unsigned char)*++at))
			return pt_err_set(e, "'%s' is not a time (no digits after the decimal point)", s);
		for (; isdigit((unsigned char)*at); at++)
			if (part_scale < 1000000000) {
				part = part * 10 + (uint64_t)(*at - '0');
				part_scale *= 10;
			}
	}
	for (i = 0; i < PT_NR(units); i++)
		if (!strcmp(at, units[i].name)) {
			if (whole > (UINT64_MAX / 2) / units[i].ns)
				return pt_err_set(e, "'%s' is too long a time", s);
			*time_ns = whole * units[i].ns +
				   (uint64_t)((unsigned __int128)part * units[i].ns / part_scale);
			return 0;
		}
	return not_a_time(s, e);
}

int pt_num_msec(const char *s, uint64_t *time_ns, struct pt_err *e)
{
	char text[64];

	if (s[strspn(s, "0123456789.")] || strlen(s) > 32)
		return pt_num_seconds(s, time_ns, e);
	snprintf(text, sizeof(text), "%sms", s);
	return pt_num_seconds(text, time_ns, e);
}

int pt_num_double(const char *s, double *v, struct pt_err *e)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	char *end = NULL;
	double d;

	if (!c)
		return pt_err_sys(e, errno, "locale C");
	d = strtod_l(s, &end, c);
	freelocale(c);
	if (end == s || *end || !isfinite(d) || isspace((unsigned char)*s))
		return pt_err_set(e, "'%s' is not a number", s);
	*v = d;
	return 0;
}

bool pt_num_list_has(const int *list, size_t nr, int v)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == v)
			return true;
	return false;
}

struct pt_num_text pt_num_grouped(uint64_t v)
{
	struct pt_buf b = PT_BUF_INIT;
	struct pt_num_text n;

	pt_buf_thousands(&b, v);
	snprintf(n.text, sizeof(n.text), "%s", b.data);
	pt_buf_deinit(&b);
	return n;
}

int pt_num_compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return PT_COMPARE(x, y);
}

int pt_num_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return PT_COMPARE(x, y);
}

int pt_num_list(const char *s, uint64_t max, int **list, size_t *nr, struct pt_err *e)
{
	int *out = NULL;
	size_t n = 0, cap = 0, i, k;
	const char *at = s;

	if (max > INT32_MAX)
		max = INT32_MAX;
	for (;;) {
		uint64_t from, to;

		at = num_digits(at, &from);
		if (!at)
			goto bad;
		to = from;
		if (*at == '-' && !(at = num_digits(at + 1, &to)))
			goto bad;
		if (to > max || from > to || to - from >= 65536 || n + (to - from) >= 65536) {
			free(out);
			return pt_err_set(e, "'%s': %llu-%llu is not a range within 0-%llu", s,
					  (unsigned long long)from, (unsigned long long)to,
					  (unsigned long long)max);
		}
		for (; from <= to; from++) {
			PT_GROW(out, n, cap);
			out[n++] = (int)from;
		}
		if (!*at)
			break;
		if (*at++ != ',')
			goto bad;
	}
	qsort(out, n, sizeof(*out), pt_num_compare);
	for (i = k = 0; i < n; i++)
		if (!k || out[k - 1] != out[i])
			out[k++] = out[i];
	*list = out;
	*nr = k;
	return 0;
bad:
	free(out);
	return pt_err_set(e, "'%s' is not a list of numbers such as 0-3,7", s);
}

void pt_num_list_join(int **list, size_t *nr, const int *more, size_t nr_more)
{
	if (!nr_more)
		return;
	*list = pt_realloc(*list, *nr + nr_more, sizeof(int));
	memcpy(*list + *nr, more, nr_more * sizeof(int));
	*nr += nr_more;
	qsort(*list, *nr, sizeof(int), pt_num_compare);
}

int pt_num_list_file(const char *path, uint64_t max, int **list, size_t *nr, struct pt_err *e)
{
	char text[4096];
	int sys = pt_file_text(path, text, sizeof(text));

	if (sys)
		return pt_err_sys(e, sys, "%s", path);
	return pt_num_list(text, max, list, nr, e) < 0 ? pt_err_context(e, "%s", path) : 0;
}

int pt_num_list_more(const char *s, uint64_t max, int **list, size_t *nr, struct pt_err *e)
{
	size_t n;
	int *more;

	if (pt_num_list(s, max, &more, &n, e) < 0)
		return -1;
	pt_num_list_join(list, nr, more, n);
	free(more);
	return 0;
}
