/* go-rows TABLE FRAMES: a Go program without .debug_frame, and the same with it alone: at each instruction byte of each function the same row. Prints the functions that differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/gotable.h"
#include "unwind/cfi.h"

static bool same(const struct pt_row *a, const struct pt_row *b)
{
	int a_ra = -1, b_ra = -1;

	/* code that moves the stack pointer by hand; a function that its linker calls a top */
	if (b && (b->cfa_off < 0 || (b->nr_rules && b->rules[0].rule == PT_RULE_UNDEFINED)))
		return true;

	if (!a || !b || a->cfa_kind != b->cfa_kind || a->cfa_reg != b->cfa_reg || a->cfa_off != b->cfa_off)
		return !a && !b;
	/* the C compiler's FDEs may have rules of other registers */
	for (unsigned i = 0; i < a->nr_rules; i++)
		a_ra = a->rules[i].reg == a->ra_reg ? a->rules[i].off : a_ra;
	for (unsigned i = 0; i < b->nr_rules; i++)
		b_ra = b->rules[i].reg == b->ra_reg ? b->rules[i].off : b_ra;
	return a_ra == b_ra;
}

/* On purpose: see unwind/cfi_go.c. */
static bool is_special(const char *name)
{
	static const char *const names[] = { "goexit", "mstart", "rt0_go", "systemstack", "mcall", "asmcgocall", "morestack", "callCgoMmap", "callCgoMunmap", "callCgoSigaction", "nanotime1", "walltime", "sigreturn", "sigreturn__sigaction" };

	if (!strcmp(name, "time.now"))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, "runtime.", 8) && !strcmp(name + 8, names[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct pt_object *table, *frames;
	const struct pt_gotable *t;
	struct pt_gofunction f;
	struct pt_err e;
	unsigned long rows = 0, differ = 0, special = 0;

	if (argc != 3 || pt_object_open(&table, argv[1], &e) < 0 || pt_object_open(&frames, argv[2], &e) < 0)
		return 2;
	t = pt_gotable_of(table);
	if (!t || pt_gotable_of(frames)) {
		fprintf(stderr, "go-rows: %s has no table, or %s has one\n", argv[1], argv[2]);
		return 2;
	}
	for (size_t i = 0; i < pt_gotable_nr(t); i++) {
		if (!pt_gotable_at(t, i, &f) || is_special(f.name)) {
			special++;
			continue;
		}
		for (uint64_t at = f.entry; at < f.end; at++, rows++)
			if (pt_cfi_row(frames, at) && !same(pt_cfi_row(table, at), pt_cfi_row(frames, at))) {
				const struct pt_row *a = pt_cfi_row(table, at), *b = pt_cfi_row(frames, at);

				printf("%s+%llu: %d, %d\n", f.name, (unsigned long long)(at - f.entry), a ? a->cfa_off : -1, b->cfa_off);
				differ++;
				break;
			}
	}
	printf("%lu bytes of code, %lu functions left out, %lu differ\n", rows, special, differ);
	pt_object_put(table);
	pt_object_put(frames);
	return differ > 0;
}
