/* frames OBJECT: the frames (inlined ones first) at the addresses on standard input, hexadecimal, one a line: NAME, then FILE:LINE, for each frame; an empty
 * line behind each address; "??" and "??:0" where nothing is known. As llvm-symbolizer --inlining --functions=linkage prints them, without columns.
 * OBJECT holds the debug information. -n: names only. -f: through tables as they would be kept: everything is asked once, made flat, and asked of that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dwarf/inlines.h"

enum { MAX = 256 };

static bool names_only;

static void show(struct pt_inlines *in, uint64_t addr)
{
	struct pt_inline x[MAX];
	size_t n = names_only ? pt_inlines_at(in, addr, x, MAX) : pt_inlines_lines_at(in, addr, x, MAX), i;

	for (i = 0; i < n; i++) {
		puts(x[i].name);
		if (!names_only)
			printf("%s:%u\n", x[i].file ? x[i].file : "??", x[i].file ? x[i].line : 0);
	}
	if (!n)
		puts(names_only ? "??" : "??\n??:0");
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct pt_object *o;
	struct pt_inlines *in;
	struct pt_err e;
	uint64_t *addrs = NULL;
	size_t nr = 0, cap = 0, i;
	bool flat = false;
	char line[64];

	for (; argc > 2 && argv[1][0] == '-'; argc--, argv++) {
		names_only = true;
		flat |= argv[1][1] != 'n';
	}
	if (argc != 2 || pt_object_open(&o, argv[1], &e) < 0) {
		fprintf(stderr, "frames: %s\n", argc != 2 ? "usage: frames [-n|-f] OBJECT < ADDRESSES" : e.msg);
		return 1;
	}
	in = pt_inlines_new(o);
	while (fgets(line, sizeof(line), stdin)) {
		PT_GROW(addrs, nr, cap);
		addrs[nr++] = strtoull(line, NULL, 16);
	}
	if (flat) {
		struct pt_buf b = PT_BUF_INIT;
		struct pt_inline x;

		for (i = 0; i < nr; i++)
			pt_inlines_at(in, addrs[i], &x, 1);
		pt_inlines_flat(in, &b);
		pt_inlines_free(in);
		in = pt_inlines_new(o);
		if (!pt_inlines_use(in, b.data, b.len))
			return 1;
		for (i = 0; i < nr; i++)
			show(in, addrs[i]);
		fprintf(stderr, "%zu bytes, %zu learned\n", b.len, pt_inlines_learned(in));
		pt_inlines_free(in);
		pt_buf_deinit(&b);
	} else {
		for (i = 0; i < nr; i++)
			show(in, addrs[i]);
		pt_inlines_free(in);
	}
	pt_object_put(o);
	free(addrs);
	return 0;
}
