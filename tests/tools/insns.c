/* insns FILE: of each function of .text a line "function START END", then the address of each of its instructions, as lib/disasm reads it by Zydis.
 * Status 3: pt was built without. */
#include <stdio.h>

#include "disasm/disasm_priv.h"
#include "elf/symtab.h"

static bool print_function(const struct pt_object *o, const struct pt_symbol *s)
{
	struct pt_disasm_code code = { .arch = "x86_64", .len_bytes = s->end - s->vaddr, .vaddr = s->vaddr };
	struct pt_insns in = { .nr = 0 };
	bool read;

	code.bytes = pt_object_bytes(o, s->vaddr, s->end - s->vaddr, false);
	if (!code.bytes)
		return true;
	read = pt_disasm_zydis(&in, &code);
	printf("function %llx %llx\n", (unsigned long long)s->vaddr, (unsigned long long)s->end);
	for (size_t i = 0; i < in.nr; i++)
		printf("%llx\n", (unsigned long long)in.v[i].vaddr);
	pt_insns_deinit(&in);
	return read;
}

int main(int argc, char **argv)
{
	struct pt_err e = PT_ERR_INIT;
	struct pt_object *o = NULL;
	struct pt_section text;
	struct pt_symbol s;
	bool read = true;

	if (argc != 2 || pt_object_open(&o, argv[1], &e) < 0 || !pt_object_section(o, ".text", &text)) {
		fprintf(stderr, "insns: %s\n", o ? "no .text" : e.msg);
		return 1;
	}
	for (size_t i = 0; read && pt_symtab_at(pt_symtab_of(o), i, &s); i++)
		if (s.vaddr - text.vaddr < text.len_bytes && s.end - text.vaddr <= text.len_bytes)
			read = print_function(o, &s);
	pt_object_put(o);
	return read ? 0 : 3;
}
