/* fuzz-dwarf: any bytes as an ELF file with debug information: inlined functions and lines at many addresses, made into tables and asked again;
 * or ("ptinl" in front) as such tables.
 * The corpus: a few small functions that inline one another, with a switch, a loop and a block of their own, by -O2 -nostdlib -shared -fPIC: gcc with
 * DWARF 2, 4, 5, 5 with 64-bit offsets, -gz, -gsplit-dwarf, -fdebug-types-section (C++), dwz -m's; clang with DWARF 4 and 5; -m32; a file of tables. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/inlines.h"

enum { MAX = 16 };

static void same(const struct pt_inline *a, size_t n, const struct pt_inline *b, size_t m)
{
	size_t i;

	if (n != m)
		__builtin_trap();
	for (i = 0; i < n; i++)
		if (strcmp(a[i].name, b[i].name) || a[i].linkage != b[i].linkage)
			__builtin_trap();
}

/* The same answers from tables as from the debug information. */
static void ask(struct pt_inlines *in, struct pt_inlines *kept, uint64_t vaddr)
{
	struct pt_inline x[MAX], y[MAX];
	size_t n = pt_inlines_at(in, vaddr, x, MAX), i;

	for (i = 0; i < n; i++)
		if (!x[i].name)
			__builtin_trap();
	same(x, n, y, pt_inlines_at(kept, vaddr, y, MAX));
	pt_inlines_lines_at(in, vaddr, x, MAX);
}

static void tables(const uint8_t *data, size_t len)
{
	static const uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 2 : 1, 1 };
	struct pt_object *o;
	struct pt_inlines *in;
	struct pt_inline x[MAX];
	struct pt_buf b = PT_BUF_INIT;
	void *copy = aligned_alloc(8, (len + 7) / 8 * 8);
	uint64_t v;
	size_t i;

	memcpy(copy, data, len);
	if (pt_object_open_memory(&o, elf, sizeof(elf), "fuzz", NULL) < 0)
		__builtin_trap();
	in = pt_inlines_new(o);
	if (pt_inlines_use(in, copy, len)) {
		for (i = 0; i + 8 <= len; i += 8) {
			memcpy(&v, data + i, 8);
			pt_inlines_at(in, v, x, MAX);
			pt_inlines_at(in, v + 1, x, MAX);
		}
		pt_inlines_flat(in, &b);
	}
	pt_inlines_free(in);
	pt_object_put(o);
	pt_buf_deinit(&b);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_object *o;
	struct pt_inlines *in, *kept;
	struct pt_buf b = PT_BUF_INIT;
	struct pt_inline x[MAX];
	struct pt_err e;
	size_t i, k;

	if (len >= 5 && !memcmp(data, "ptinl", 5)) {
		tables(data, len);
		return 0;
	}
	if (len > 1 << 18 || pt_object_open_memory(&o, data, len, "fuzz", &e) < 0)
		return 0;
	in = pt_inlines_new(o);
	kept = pt_inlines_new(o);
	pt_inlines_at(in, o->entry, x, MAX);
	for (i = 0; i < o->nr_segments && i < 8; i++)
		for (k = 0; k < 24; k++)
			pt_inlines_at(in, o->segments[i].vaddr + o->segments[i].mem_bytes / 24 * k + k % 8, x, MAX);
	pt_inlines_flat(in, &b);
	if (!pt_inlines_use(kept, b.data, b.len))
		__builtin_trap();
	for (i = 0; i < o->nr_segments && i < 8; i++)
		for (k = 0; k < 24; k++)
			ask(in, kept, o->segments[i].vaddr + o->segments[i].mem_bytes / 24 * k + k % 8);
	ask(in, kept, o->entry);
	pt_inlines_free(in);
	pt_inlines_free(kept);
	pt_object_put(o);
	pt_buf_deinit(&b);
	return 0;
}
