/* A jitdump that grows by steps of a size that the first two bytes give; then all that can be asked of each of its functions. What whole reading gives, growing gives. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "unwind/cfi.h"
#include "stack/jitdump.h"
#include "replay.h"

static void ask(struct pt_jitdump *d, size_t i)
{
	const struct pt_jitcode *c = pt_jitdump_code(d, i);
	struct pt_object *o;
	const char *file;
	size_t file_len;
	uint32_t line;
	uint64_t v;
	bool others;

	pt_jitdump_find(d, c->start, c->from_ns, &others);
	if (pt_jitdump_find(d, c->start, UINT64_MAX, &others) < (int64_t)i)
		abort();
	if (pt_jitdump_line(d, i, c->start, &file, &file_len, &line) && file_len && !file[0])
		abort();
	o = pt_jitdump_object(d, i, EM_X86_64);
	if (o != pt_jitdump_object(d, i, EM_X86_64))
		abort();
	for (v = 0; o && v < PT_MIN(c->end - c->start, (uint64_t)16); v++)
		pt_cfi_row(o, PT_JITDUMP_VADDR + v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_jitdump *whole = pt_jitdump_new(), *grows = pt_jitdump_new();
	struct pt_err e = PT_ERR_INIT;
	size_t step, at, i;
	int rc = 0;

	if (len < 2)
		goto out;
	step = (size_t)(data[0] | data[1] << 8) + 1;
	data += 2;
	len -= 2;
	for (at = 0; at < len && rc >= 0; ) {
		at = PT_MIN(len, at + step);
		rc = pt_jitdump_read(grows, data, at, &e);
	}
	pt_jitdump_read(whole, data, len, &e);
	if (rc >= 0 && (pt_jitdump_counts(whole).loads != pt_jitdump_counts(grows).loads || pt_jitdump_last_ns(whole) != pt_jitdump_last_ns(grows)))
		abort();
	for (i = 0; i < 256 && pt_jitdump_code(grows, i); i++)
		ask(grows, i);
	pt_jitdump_find(grows, 0, 0, NULL);
	pt_jitdump_find(grows, UINT64_MAX, UINT64_MAX, NULL);
out:
	pt_jitdump_free(whole);
	pt_jitdump_free(grows);
	return 0;
}
