/* Stack text of any tool, in blocks of a size that the first byte gives; the second one chooses options. What comes out is fit for folded lines. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "replay.h"
#include "stack/foldtext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void got(void *arg, const struct pt_piece *frames, size_t nr, double count)
{
	size_t i, k;

	if (!(count >= 0) || !nr)
		abort();
	for (i = 0; i < nr; i++)
		for (k = 0; k < frames[i].len; k++)
			if (frames[i].s[k] == ';' || (unsigned char)frames[i].s[k] < 0x20 || frames[i].s[k] == 0x7f)
				abort();
	++*(uint64_t *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_foldtext_opts o = { 0 };
	struct pt_foldtext *t;
	size_t block, at;
	uint64_t stacks = 0;

	if (len < 2)
		return 0;
	block = data[0] ? data[0] : 4096;
	o.from = (enum pt_foldtext_kind)((data[1] & 7) % (PT_FOLDTEXT_FOLDED + 1));
	o.tid = data[1] & 8;
	o.kernel = o.jit = o.inlined = data[1] & 16;
	o.addrs = data[1] & 32;
	o.no_inline = data[1] & 64;
	o.context = data[1] & 128;
	data += 2;
	len -= 2;
	t = pt_foldtext_new(&o, got, &stacks);
	for (at = 0; at < len; at += block)
		pt_foldtext_feed(t, (const char *)data + at, PT_MIN(block, len - at));
	pt_foldtext_end(t);
	if (pt_foldtext_counts(t).stacks != stacks)
		abort();
	pt_foldtext_free(t);
	return 0;
}
