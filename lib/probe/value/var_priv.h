/* var_priv.h - what the var*.c share: an expression's value so far. Nobody else includes it. */
#ifndef PT_PROBE_VALUE_VAR_PRIV_H
#define PT_PROBE_VALUE_VAR_PRIV_H

#include "probe/value/var.h"

struct pt_obj {
	struct pt_type type;
	struct pt_loc loc;
	uint64_t off;			/* bytes into it */
	uint64_t whole_bytes;		/* of the variable that loc is of; 0: not known */
	uint32_t bit_bytes_off, bits;	/* a bit field: see struct pt_type_member */
};

/* var_find.c: by name, as the language sees it from the place. */
enum pt_var_found { PT_VAR_FOUND, PT_VAR_OF_THIS, PT_VAR_ENCLOSING, PT_VAR_NONE };
/* OF_THIS: a member of the object that `*out` points to (out is the parameter `this`). ENCLOSING:
 * of a function around this one, whose frame is not known here. */
enum pt_var_found pt_var_find(const struct pt_var_scope *s, const char *name, Dwarf_Die *out,
			      bool *global);
/* The scopes' function: the innermost one that is called or inlined; false: none. */
bool pt_var_function(const struct pt_var_scope *s, Dwarf_Die *f, unsigned *index);
/* A static member's or an extern's definition; false: none is known. */
bool pt_var_definition(const struct pt_var_scope *s, Dwarf_Die *declaration, Dwarf_Die *out);
/* What an incomplete structure is in other split units, if it is one. */
void pt_var_complete(const struct pt_var_scope *s, struct pt_type_info *i);
/* Of an extern whose definition is in no unit: by the symbol of its name. */
bool pt_var_symbol(const struct pt_var_scope *s, Dwarf_Die *declaration, uint64_t *vaddr);

/* var_obj.c: steps from one to the next; -1 with the reason in e, without caret. */
int pt_obj_of_var(struct pt_obj *o, const struct pt_var_scope *s, Dwarf_Die *var, struct pt_err *e);
/* A parameter of s->func. */
int pt_obj_of_param(struct pt_obj *o, const struct pt_var_scope *s, const char *name,
		    struct pt_err *e);
/* var_retval.c */
int pt_obj_of_retval(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e);
/* through C++'s references */
int pt_obj_follow(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e);
int pt_obj_member(struct pt_obj *o, const struct pt_var_scope *s, const char *name,
		  struct pt_err *e);
int pt_obj_index(struct pt_obj *o, const struct pt_var_scope *s, int64_t index, struct pt_err *e);
int pt_obj_deref(struct pt_obj *o, const struct pt_var_scope *s, struct pt_err *e);
int pt_obj_address(struct pt_obj *o, struct pt_err *e);
/* What the pointer points to, as the chain of its address. */
int pt_obj_pointer(const struct pt_obj *o, const struct pt_var_scope *s, struct pt_chain *c,
		   struct pt_err *e);
/* The piece that has all of `len` bytes; NULL: none has, and e says why. *off: where in it. */
const struct pt_loc_piece *pt_obj_piece(const struct pt_obj *o, uint64_t len, uint64_t *off,
					struct pt_err *e);
/* Why a piece that is nowhere, computed or a pointer to nowhere has no value: the message; -1. */
int pt_obj_no_value(const struct pt_loc_piece *p, struct pt_err *e);
void pt_obj_deinit(struct pt_obj *o);

/* var_fetch.c: the kernel's syntax, with type. `type` NULL: by the variable's own. */
int pt_obj_fetch(const struct pt_obj *o, const struct pt_var_scope *s, const char *type,
		 unsigned array, struct pt_buf *b, struct pt_err *e);

#endif
