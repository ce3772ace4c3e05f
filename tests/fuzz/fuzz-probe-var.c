/* fuzz-probe-var: any bytes as an ELF file with debug information: all variables at places of its functions, and some expressions; or ("loc" in front, then a byte for
 * the CPU and the type) as a location of a variable in debug information that is sound.
 * The corpus: small functions with variables of many kinds by -O2 -nostdlib -shared: gcc with DWARF 2, 4 and 5, -gsplit-dwarf; clang with DWARF 4 and 5; C++; -m32;
 * and locations. */
#include "replay.h"

#include <elf.h>
#include <string.h>

#include "vars.h"

enum { MAX_UNITS = 16, MAX_FUNCTIONS = 64, MAX_BYTES = 1 << 16 };

static void check(const struct pt_vars *vars)
{
	for (size_t i = 0; i < vars->nr; i++) {
		const char *f = vars->v[i].fetch;

		if (!vars->v[i].name || !f == !vars->v[i].why || (f && (strlen(f) > 63 || strpbrk(f, " \t\n"))))
			__builtin_trap();
	}
}

static void ask(struct vars_place *p)
{
	static const char *const args[] = { "$vars", "v->a", "p->next->next", "*p", "&v", "a[1]", "s:string", "f:u8", "$retval", "this->x", "ns::v", "missing" };
	struct pt_vars vars = PT_VARS_INIT;
	struct pt_err e = PT_ERR_INIT;

	pt_vars_list(&vars, &p->scope, PT_VARS_LOCAL | PT_VARS_EXTERN | PT_VARS_RANGES);
	check(&vars);
	pt_vars_deinit(&vars);
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		struct pt_vars left = PT_VARS_INIT;

		pt_vars_add(&vars, &p->scope, args[i], &left, &e);
		check(&vars);
		check(&left);
		pt_vars_deinit(&left);
	}
	pt_vars_deinit(&vars);
}

static void locations(const uint8_t *data, size_t len)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64, EM_S390, EM_386 };
	struct vars_image i;
	struct vars_image_opts o = { .machine = machines[data[0] & 3], .type = data[0] >> 2 & 15, .expr = data + 1, .expr_len = len - 1 };

	o.big_endian = o.machine == EM_S390;
	o.word_bytes = o.machine == EM_386 ? 4 : 8;
	o.param = data[0] & 64;
	if (data[0] & 128) {
		o.frame_base = o.other_expr = o.expr;
		o.frame_base_len = o.other_expr_len = o.expr_len / 2;
	}
	if (len > 4096 || !vars_image(&i, &o))
		return;
	ask(&i.place);
	i.place.scope.vaddr = 0x1000;
	i.place.scope.entry = true;
	ask(&i.place);
	vars_image_free(&i);
}

static void functions(Dwarf *dw, struct pt_object *o, Dwarf_Die *cu)
{
	Dwarf_Die d;
	unsigned nr = 0, budget = 4096;

	if (dwarf_child(cu, &d))
		return;
	do {
		struct vars_place p;
		Dwarf_Addr low, high;

		if (dwarf_lowpc(&d, &low))
			continue;
		if (vars_at(&p, dw, o, low, NULL))
			ask(&p);
		if (!dwarf_highpc(&d, &high) && high > low && vars_at(&p, dw, o, low + (high - low) / 2, NULL))
			ask(&p);
		nr++;
	} while (nr < MAX_FUNCTIONS && --budget && !dwarf_siblingof(&d, &d));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pt_object *o;
	Elf *elf;
	Dwarf *dw;
	Dwarf_CU *c = NULL;
	Dwarf_Die cu, sub;
	unsigned nr = 0;

	if (len > 4 && !memcmp(data, "loc", 3)) {
		locations(data + 3, len - 3);
		return 0;
	}
	if (len > MAX_BYTES || pt_object_open_memory(&o, data, len, "fuzz", NULL) < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)data, len);
	dw = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	while (dw && nr++ < MAX_UNITS && !dwarf_get_units(dw, c, &c, NULL, NULL, &cu, &sub))
		functions(dw, o, &cu);
	dwarf_end(dw);
	elf_end(elf);
	pt_object_put(o);
	return 0;
}
