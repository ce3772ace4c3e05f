/* insns FILE FUNCTIONS [CPU]: of so many functions of .text, RUN neighbours each from all parts of it, a line "function START END", then a line "ADDRESS TEXT" for each of its
 * instructions, as lib/disasm reads it. CPU: as uname -m has it; x86_64 unless given. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "disasm/disasm.h"
#include "elf/symtab.h"

enum { RUN = 50 };

static void print_function(const struct pt_object *o, const char *arch, const struct pt_symbol *s)
{
	struct pt_disasm_code code = { .arch = arch, .len_bytes = s->end - s->vaddr, .vaddr = s->vaddr };
	struct pt_insns in = { .nr = 0 };
	struct pt_err e = PT_ERR_INIT;

	code.bytes = pt_object_bytes(o, s->vaddr, s->end - s->vaddr, false);
	if (!code.bytes)
		return;
	if (pt_disasm(&in, &code, &e) < 0) {
		fprintf(stderr, "insns: %s\n", e.msg);
		exit(1);
	}
	printf("function %llx %llx\n", (unsigned long long)s->vaddr, (unsigned long long)s->end);
	for (size_t i = 0; i < in.nr; i++)
		printf("%llx %s\n", (unsigned long long)in.v[i].vaddr, in.v[i].text);
	pt_insns_deinit(&in);
}

int main(int argc, char **argv)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_object *o = NULL;
	struct pt_section text;
	struct pt_symbol s;
	size_t functions = argc == 3 || argc == 4 ? strtoul(argv[2], NULL, 10) : 0, every;

	if (!functions || pt_object_open(&o, argv[1], &e) < 0 || !pt_object_section(o, ".text", &text)) {
		fprintf(stderr, "insns: %s\n", o ? "no .text" : e.msg);
		return 1;
	}
	every = PT_MAX(pt_symtab_nr(pt_symtab_of(o)) / functions, (size_t)1);
	for (size_t i = 0; pt_symtab_at(pt_symtab_of(o), i, &s); i++)
		if (i / RUN % every == 0 && s.vaddr - text.vaddr < text.len_bytes && s.end - text.vaddr <= text.len_bytes)
			print_function(o, argv[3] ? argv[3] : "x86_64", &s);
	pt_object_put(o);
	return 0;
}
