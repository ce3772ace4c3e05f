/* vars.h - the scope of a place for tests of variables (probe/var.h): by libdw alone, from an address. */
#ifndef PT_TEST_VARS_H
#define PT_TEST_VARS_H

#include "probe/var.h"

enum { VARS_SCOPES = 32 };

struct vars_place {
	struct pt_var_scope scope;
	Dwarf_Die scopes[VARS_SCOPES];
};

/* The machine of an object, and nothing else: no debug information. */
void vars_machine(struct pt_var_scope *s, struct pt_object *o);
/* Everything that holds `vaddr`, inwards to the innermost block; `func` not NULL: to the innermost block of the function of that name. False: no unit or function holds it. */
bool vars_at(struct vars_place *p, Dwarf *dw, struct pt_object *o, uint64_t vaddr, const char *func);

#endif
