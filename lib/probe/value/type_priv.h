/* type_priv.h - type.h's functions for types by BTF (btf.c). Only type*.c include it. */
#ifndef PT_PROBE_VALUE_TYPE_PRIV_H
#define PT_PROBE_VALUE_TYPE_PRIV_H

#include "probe/value/type.h"

void pt_type_btf_info(const struct pt_type *t, struct pt_type_info *i);
void pt_type_btf_name(const struct pt_type *t, struct pt_buf *b);
/* Names of members, for messages. */
struct pt_type_names { struct pt_buf *b; unsigned nr, max; };
/* False: it is full. */
bool pt_type_list_name(struct pt_type_names *l, const char *name);
/* `list` not NULL: none is searched, all names are added to it. */
bool pt_type_btf_member(const struct pt_type *t, const char *name, struct pt_type_names *list,
			struct pt_type_member *m);

#endif
