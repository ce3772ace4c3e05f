/* vars.h - the scope of a place for tests of variables (probe/value/var.h): by libdw alone, from an address. */
#ifndef PT_TEST_VARS_H
#define PT_TEST_VARS_H

#include "probe/value/var.h"

enum { VARS_SCOPES = 32 };

struct vars_place {
	struct pt_var_scope scope;
	Dwarf_Die scopes[VARS_SCOPES];
};

/* The machine of an object, and nothing else: no debug information. */
void vars_machine(struct pt_var_scope *s, struct pt_object *o);
/* Everything that holds `vaddr`, inwards to the innermost block; `func` not NULL: to the innermost block of the function of that name. False: no unit or function holds it. */
bool vars_at(struct vars_place *p, Dwarf *dw, struct pt_object *o, uint64_t vaddr, const char *func);

/* An image with debug information made by hand, for locations: a function main at 0x1000 to 0x1100 with the frame base given, and in it `v`, of the type given, with the location given.
 * Types by number: 0 int, 1 unsigned char, 2 long, 3 double, 4 struct s { int a; short b; unsigned f:3, g:9; signed h:4; unsigned char name[8]; long *p; unsigned long wide; }, 5 struct s *, 6 char *,
 * 7 unsigned long, 8 int [3], 9 unsigned int, 10 short.
 * Also `other` (long), whose location is `other_expr`; entries of types, for operations that name them, are at vars_type_off(). */
struct vars_image_opts {
	uint16_t machine;		/* EM_*; 0: x86-64 */
	bool big_endian;
	uint8_t word_bytes;		/* 0: 8 */
	unsigned type;
	const void *frame_base;		/* NULL: DW_OP_call_frame_cfa */
	size_t frame_base_len;
	const void *expr;		/* NULL: v has none */
	size_t expr_len;
	const void *other_expr;
	size_t other_expr_len;
	bool param;
	bool constant;			/* v has DW_AT_const_value `value` */
	int64_t value;
};
struct vars_image {
	uint8_t *data;
	size_t len;
	Elf *elf;
	Dwarf *dw;
	struct pt_object *object;
	struct vars_place place;
};
enum { VARS_MAX_TYPES = 16 };
/* At main + 0x10, behind a prologue that ends at main + 8; false: libdw takes no such image. */
bool vars_image(struct vars_image *i, const struct vars_image_opts *o);
void vars_image_free(struct vars_image *i);
/* Offsets of types' entries in .debug_info of every such image, and that of `other`. */
uint32_t vars_type_off(const struct vars_image_opts *o, unsigned type);
uint32_t vars_other_off(const struct vars_image_opts *o);

#endif
