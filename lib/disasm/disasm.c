#include "disasm/disasm.h"

#include <stdlib.h>

#include "base/mem.h"
#include "disasm/disasm_priv.h"

struct pt_insn *pt_insns_add(struct pt_insns *in, uint64_t vaddr, uint32_t len_bytes,
			     const char *text, size_t len)
{
	PT_GROW(in->v, in->nr, in->cap);
	in->v[in->nr] = (struct pt_insn){ .vaddr = vaddr,
					  .len_bytes = len_bytes,
					  .text = pt_arena_strndup(&in->text, text, len) };
	return &in->v[in->nr++];
}

void pt_insns_deinit(struct pt_insns *in)
{
	free(in->v);
	pt_arena_deinit(&in->text);
	*in = (struct pt_insns){ .nr = 0 };
}

static bool all_good(const struct pt_insns *in)
{
	for (size_t i = 0; i < in->nr; i++)
		if (in->v[i].kind == PT_INSN_BAD)
			return false;
	return true;
}

int pt_disasm(struct pt_insns *in, const struct pt_disasm_code *code, struct pt_err *e)
{
	struct pt_insns other = { .nr = 0 };
	bool read = pt_disasm_zydis(in, code);
	int rc;

	if (read && all_good(in))
		return 0;
	/* objdump knows more instructions; it is asked for the whole function then. */
	rc = pt_disasm_objdump(&other, code, e);
	if (rc > 0) {
		pt_insns_deinit(in);
		*in = other;
		return 0;
	}
	pt_insns_deinit(&other);
	if (read || rc < 0)
		return read ? 0 : -1;
	return pt_err_set(e, "nothing here reads code of %s (objdump does)", code->arch);
}
