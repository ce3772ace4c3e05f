/* code-rows FILE: at each instruction of each function of an x86-64 file with call frame information, the stack's depth as unwind/code.h reads it from the instructions, beside the CFA.
 * Prints those that differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/insn.h"
#include "elf/object.h"
#include "unwind/cfi.h"
#include "unwind/code.h"

enum { RSP = 7 };

static unsigned long rows, unknown, differ;

/* The saved registers, too, as far as the row has rules for them. */
static bool same(const struct pt_row *row, const struct pt_code_frame *f)
{
	if ((uint32_t)row->cfa_off != f->depth_bytes + 8)
		return false;
	for (unsigned i = 0; i < row->nr_rules; i++)
		if (row->rules[i].rule == PT_RULE_OFFSET && row->rules[i].reg < PT_CODE_REGS && f->saved[row->rules[i].reg] &&
		    row->rules[i].off != -8 - (int)f->saved[row->rules[i].reg])
			return false;
	return true;
}

static void function(struct pt_object *o, uint64_t start, uint64_t end)
{
	const uint8_t *code = pt_object_bytes(o, start, end - start, false);
	const struct pt_row *entry = pt_cfi_row(o, start);
	struct pt_code_frame f;

	if (!entry || entry->cfa_off != 8)	/* a part of a function, to which another one jumps */
		return;
	for (uint64_t at = 0, len; code && at < end - start; at += len) {
		const struct pt_row *row = pt_cfi_row(o, start + at);

		len = pt_insn_len(o->machine, code + at, end - start - at);
		if (!len)
			return;
		if (!row || row->cfa_kind != PT_CFA_REG || row->cfa_reg != RSP)
			continue;
		rows++;
		if (!pt_code_frame_at(code, end - start, at, &f)) {
			unknown++;
		} else if (!same(row, &f)) {
			differ++;
			printf("%llx (of %llx): %u, not %d\n", (unsigned long long)(start + at), (unsigned long long)start, f.depth_bytes, row->cfa_off - 8);
		}
	}
}

int main(int argc, char **argv)
{
	struct pt_object *o;
	struct pt_section text;
	struct pt_err e;
	uint64_t start, end = 0;

	if (argc != 2 || pt_object_open(&o, argv[1], &e) < 0 || !pt_object_section(o, ".text", &text))
		return 2;
	for (uint64_t at = text.vaddr; at < text.vaddr + text.len_bytes; at = end > at ? end : at + 1)
		if (pt_cfi_range(o, at, &start, &end) && start == at)
			function(o, start, end);
		else
			end = at + 1;
	printf("%lu rows, %lu unknown, %lu differ\n", rows, unknown, differ);
	pt_object_put(o);
	return 0;
}
