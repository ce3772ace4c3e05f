#include "base/scan.h"

#include <string.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));

enum { STEP = 64 };

/* Small numbers and their high bytes are frequent; in names some letters are. */
static unsigned rarity(uint8_t c)
{
	return c == 0                      ? 0
	       : c < 0x10 || c == 0xff     ? 1
	       : strchr("etaoinsrlcd_", c) ? 2
	       : strchr("umpfgbhy", c)     ? 3
					   : 4;
}

struct pt_scan pt_scan(const void *what, size_t len)
{
	struct pt_scan s = { what, len, 0, 0 };
	size_t i;

	for (i = 1; i < len && i < 16; i++)
		if (rarity(s.what[i]) > rarity(s.what[s.first]))
			s.first = i;
	s.second = len > 1 && !s.first;
	for (i = 0; i < len && i < 16; i++)
		if (i != s.first && rarity(s.what[i]) > rarity(s.what[s.second]))
			s.second = i;
	return s;
}

static inline bytes16 all_of(uint8_t c)
{
	return c - (bytes16){ 0 };
}

const uint8_t *pt_scan_next(const struct pt_scan *s, const uint8_t *at, const uint8_t *end)
{
	size_t apart = s->first > s->second ? s->first : s->second, i;
	bytes16 first = all_of(s->what[s->first]), second = all_of(s->what[s->second]);

	while (end > at && (size_t)(end - at) >= STEP + apart &&
	       (size_t)(end - at) >= STEP + s->len) {
		bytes16 x[4], y[4], r;

		memcpy(x, at + s->first, STEP);
		memcpy(y, at + s->second, STEP);
		r = (bytes16)((x[0] == first) & (y[0] == second)) |
		    (bytes16)((x[1] == first) & (y[1] == second)) |
		    (bytes16)((x[2] == first) & (y[2] == second)) |
		    (bytes16)((x[3] == first) & (y[3] == second));
		if (((words2)r)[0] | ((words2)r)[1])
			for (i = 0; i < STEP; i++)
				if (at[i + s->first] == s->what[s->first] &&
				    at[i + s->second] == s->what[s->second] &&
				    !memcmp(at + i, s->what, s->len))
					return at + i;
		at += STEP;
	}
	for (; at < end && (size_t)(end - at) >= s->len; at++)
		if (*at == *s->what && !memcmp(at, s->what, s->len))
			return at;
	return NULL;
}
