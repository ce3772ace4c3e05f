/* type_priv.h - type.h's functions for types by BTF (btf.c). Only type*.c include it. */
#ifndef PT_PROBE_VALUE_TYPE_PRIV_H
#define PT_PROBE_VALUE_TYPE_PRIV_H

#include "probe/value/type.h"

void pt_type_btf_info(const struct pt_type *t, struct pt_type_info *i);
void pt_type_btf_name(const struct pt_type *t, struct pt_buf *b);
bool pt_type_btf_member(const struct pt_type *t, const char *name, struct pt_type_member *m);
/* Calls see() with each member's name, also in structures without name, until it returns false. */
bool pt_type_btf_members(const struct pt_type *t, bool (*see)(void *arg, const char *name),
			 void *arg);

#endif
