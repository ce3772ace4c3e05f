/* var_priv.h - the value of an expression so far, shared by var*.c */
#ifndef PT_PROBE_VALUE_VAR_PRIV_H
#define PT_PROBE_VALUE_VAR_PRIV_H

#include "probe/value/var.h"

struct pt_obj {
	struct pt_type type;
	struct pt_loc loc;
	uint64_t off;			/* offset into it in bytes */
	uint64_t whole_bytes;		/* size of loc's variable; 0: unknown */
	uint32_t bit_bytes_off, bits;	/* a bit field: see struct pt_type_member */
};

/* var.c */
struct pt_var *pt_vars_more(struct pt_vars *vars);
char *pt_var_type_text(const struct pt_var_scope *s, const struct pt_type *t);

/* var_find.c: name lookup as in the language. */
enum pt_var_found { PT_VAR_FOUND, PT_VAR_OF_THIS, PT_VAR_ENCLOSING, PT_VAR_NONE };
/* OF_THIS: a member of the object that `*out` (the parameter `this`) points to. ENCLOSING: a
 * variable of a function around this one, whose frame is unknown. */
enum pt_var_found pt_var_find(const struct pt_var_scope *s, const char *name, Dwarf_Die *out);
/* The innermost function among the scopes, also an inlined one; false: none. */
bool pt_var_function(const struct pt_var_scope *s, Dwarf_Die *f, unsigned *index);
/* The definition of a static member or an extern; false: unknown. */
bool pt_var_definition(const struct pt_var_scope *s, Dwarf_Die *declaration, Dwarf_Die *out);
/* Completes a structure that is defined in another split unit. */
void pt_var_complete(const struct pt_var_scope *s, struct pt_type_info *i);
/* The address of an extern without a definition, by the symbol of its name. */
bool pt_var_symbol(const struct pt_var_scope *s, Dwarf_Die *declaration, uint64_t *vaddr);

/* var_obj.c: one step each; -1: e has the reason, without caret. */
int pt_obj_of_var(struct pt_obj *o, const struct pt_var_scope *s, Dwarf_Die *var, struct pt_err *e);
/* A parameter of s->func. */
int pt_obj_of_param(struct pt_obj *o, const struct pt_var_scope *s, const char *name,
		    struct pt_err *e);
/* var_retval.c */
int pt_obj_of_retval(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e);
/* follows C++'s references */
int pt_obj_follow(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e);
int pt_obj_member(struct pt_obj *o, const struct pt_var_scope *s, const char *name,
		  struct pt_err *e);
int pt_obj_index(struct pt_obj *o, const struct pt_var_scope *s, int64_t index, struct pt_err *e);
int pt_obj_deref(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e);
int pt_obj_address(struct pt_obj *o, struct pt_err *e);
/* The chain that gives the address which the pointer holds. */
int pt_obj_pointer(const struct pt_obj *o, const struct pt_var_scope *s, struct pt_chain *c,
		   struct pt_err *e);
/* The piece that contains `len` bytes at o->off; NULL: none does, e says why. *off: where in the
 * piece. */
const struct pt_loc_piece *pt_obj_piece(const struct pt_obj *o, uint64_t len, uint64_t *off,
					struct pt_err *e);
/* The number that these bytes of the program are. */
uint64_t pt_obj_number(const struct pt_var_scope *s, const uint8_t *p, unsigned len);
/* Sets the message why a piece that is nowhere, computed or a pointer has no value; -1. */
int pt_obj_no_value(const struct pt_loc_piece *p, struct pt_err *e);
void pt_obj_deinit(struct pt_obj *o);

/* var_fetch.c: the value in the kernel's syntax with its type, into v->fetch and v->companion.
 * `type` NULL: the variable's own. */
int pt_obj_fetch(const struct pt_obj *o, const struct pt_var_scope *s, const char *type,
		 unsigned array, struct pt_var *v, struct pt_err *e);

#endif
