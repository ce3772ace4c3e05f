/* fuzz-elf: any bytes as an ELF file: segments, sections, symbols, call frame information at many addresses, and an unwinding step from there.
 * The corpus: a few small functions (alloca, recursion, a realigned frame) by gcc -O1 -nostdlib -shared -fPIC: with all there is; stripped; without
 * .eh_frame_hdr (-Wl,--no-eh-frame-hdr); with .debug_frame only; -m32; an object file of arm64;
 * go-*: the images of tests/unit/t-gotable.c, in Go's four forms. */
#include "replay.h"

#include "elf/gotable.h"
#include "unwind/cfi.h"
#include "elf/sdt.h"
#include "elf/symtab.h"
#include "unwind/unwind.h"

struct world { struct pt_object *o; };

static bool find(void *ctx, uint64_t addr, struct pt_place *p)
{
	struct world *w = ctx;

	*p = (struct pt_place){ .object = addr < 1ull << 40 ? w->o : NULL, .exec = true };
	return addr != 0;
}

static bool read_some(void *ctx, uint64_t addr, void *to, size_t len)
{
	(void)ctx;
	if (addr & 1)
		return false;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)to)[i] = (uint8_t)(addr >> 3 * i);
	return true;
}

static void go_line(struct pt_object *o, uint64_t vaddr)
{
	const struct pt_gotable *t = pt_gotable_of(o);
	struct pt_gofunction f;
	struct pt_goframe frames[8];
	size_t nr;

	if (!t || !pt_gotable_find(t, vaddr, &f))
		return;
	if (vaddr < f.entry || vaddr >= f.end || strlen(f.name) > 1 << 14)
		__builtin_trap();
	nr = pt_gotable_frames(t, &f, vaddr, frames, 8);
	for (size_t i = 0; i < nr; i++)
		if (strlen(frames[i].file) > 1 << 14 || strlen(frames[i].name) > 1 << 14)
			__builtin_trap();
}

static void at(struct pt_unwinder *u, struct world *w, uint64_t vaddr)
{
	static const struct pt_unwind_ops ops = { find, read_some };
	const struct pt_arch *a = pt_arch_of_machine(w->o->machine);
	const struct pt_row *row = pt_cfi_row(w->o, vaddr);
	struct pt_unwind_result end;
	struct pt_frame frames[16];
	struct pt_regs regs = { .valid = ~0ull };
	uint64_t from = 0, to = 0;
	size_t n;

	go_line(w->o, vaddr);
	if (row && (!pt_cfi_range(w->o, vaddr, &from, &to) || vaddr < from || vaddr >= to || row->nr_rules > PT_CFI_REGS))
		__builtin_trap();
	if (!a)
		return;
	for (n = 0; n < PT_CFI_REGS; n++)
		regs.r[n] = vaddr + 16 * n;
	regs.r[a->ip] = vaddr;
	n = pt_unwind(u, a, &ops, w, &regs, frames, 16, &end);
	if (n > 16)
		__builtin_trap();
}

static void marker(void *arg, const struct pt_sdt *sdt)
{
	(void)arg;
	if (!sdt->provider[0] || !sdt->name[0] || strlen(sdt->args) > 4096)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct world w;
	struct pt_err e;
	struct pt_unwinder *u;
	const struct pt_symtab *t;
	size_t i, k;

	if (len > 1 << 18 || pt_object_open_memory(&w.o, data, len, "fuzz", &e) < 0)
		return 0;
	u = pt_unwinder_new();
	t = pt_symtab_of(w.o);
	for (i = 0; i < pt_symtab_nr(t) && i < 256; i++) {
		struct pt_symbol s, found;

		if (!pt_symtab_at(t, i, &s) || s.end <= s.vaddr || !*s.name)
			continue;
		if (!pt_symtab_find(t, s.vaddr, &found))
			__builtin_trap();
		at(u, &w, s.vaddr);
		at(u, &w, s.vaddr + (s.end - s.vaddr) / 2);
	}
	for (i = 0; i < w.o->nr_segments && i < 8; i++)
		for (k = 0; k < 64; k++)
			at(u, &w, w.o->segments[i].vaddr + w.o->segments[i].mem_bytes / 64 * k + k);
	at(u, &w, w.o->entry);
	pt_sdt_each(w.o, marker, NULL);
	pt_unwinder_free(u);
	pt_object_put(w.o);
	return 0;
}
