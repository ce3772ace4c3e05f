/* A perf-PID.map in pieces of a size that the first byte gives: every line that is whole is found again unless a later one lies over it. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stack/jitcode.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_jitcodes *c = pt_jitcodes_new();
	const struct pt_jitcode *x;
	size_t step, at = 1, end = 1, i, used;
	bool others;
	int64_t n;

	if (!len)
		goto out;
	step = data[0] ? data[0] : 4096;
	while (end < len) {
		end = PT_MIN(len, end + step);
		used = pt_jitcodes_read_map(c, (const char *)data + at, end - at, end == len);
		if (used > end - at || (end == len && used != end - at))
			abort();
		at += used;
	}
	for (i = 0; i < pt_jitcodes_nr(c); i++) {
		x = pt_jitcodes_at(c, i);
		n = pt_jitcodes_find(c, x->start, UINT64_MAX, &others);
		if (n < (int64_t)i || x->end <= x->start)
			abort();
		if (n > (int64_t)i && !others)
			abort();
		n = pt_jitcodes_find(c, x->end - 1, UINT64_MAX, NULL);
		if (n < (int64_t)i)
			abort();
	}
	pt_jitcodes_find(c, 0, 0, NULL);
	pt_jitcodes_find(c, UINT64_MAX, UINT64_MAX, NULL);
out:
	pt_jitcodes_free(c);
	return 0;
}
